//! Reads Gherkin features: scenarios, and the requirements that their tags name.

use base::RepoPath;

use super::foreign::{ForeignEntity, slug};
use super::{ExtractedFacts, Extractor, has_ending};
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Scenarios in `.feature` files.
pub(super) struct GherkinExtractor;

/// Words that start a scenario.
const SCENARIO: [&str; 4] = ["Scenario Outline:", "Scenario Template:", "Scenario:", "Example:"];

/// Marks around text that is no Gherkin.
const DOC_STRINGS: [&str; 2] = ["\"\"\"", "```"];

const NO_SCENARIO: &str =
    "a feature without a scenario; the words of Gherkin are read in English only";

impl Extractor for GherkinExtractor {
    fn name(&self) -> &'static str {
        "gherkin"
    }

    fn accepts(&self, path: &RepoPath) -> bool {
        has_ending(path, &[".feature"])
    }

    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts {
        let mut reader = FeatureReader {
            path,
            out: ExtractedFacts::default(),
            feature_tags: Vec::new(),
            tags: Vec::new(),
            open: None,
            doc_string: None,
        };
        for (number, line) in (1u32..).zip(text.lines()) {
            reader.line(number, line.trim());
        }
        reader.close();
        if reader.out.entities.is_empty() && !text.trim().is_empty() {
            reader.out.notices.push((1, NO_SCENARIO.into()));
        }
        reader.out
    }
}

/// A scenario whose steps are being read.
struct OpenScenario {
    title: String,
    line: u32,
    tags: Vec<String>,
    steps: Vec<String>,
}

struct FeatureReader<'p> {
    path: &'p RepoPath,
    out: ExtractedFacts,
    feature_tags: Vec<String>,
    tags: Vec<String>,
    open: Option<OpenScenario>,
    /// The mark that ends the text that is being read
    doc_string: Option<&'static str>,
}

impl FeatureReader<'_> {
    fn line(&mut self, number: u32, line: &str) {
        let has = |mark: &&str| line.starts_with(mark);
        match self.doc_string {
            Some(mark) => {
                self.doc_string = Some(mark).filter(|mark| !has(mark));
                return self.step(line);
            }
            None => self.doc_string = DOC_STRINGS.iter().find(|mark| has(mark)).copied(),
        }
        if line.starts_with('@') {
            self.close();
            let tags = line.split_whitespace().filter_map(|word| word.strip_prefix('@'));
            self.tags.extend(tags.map(ToOwned::to_owned));
        } else if line.starts_with("Feature:") || line.starts_with("Rule:") {
            self.close();
            self.feature_tags.append(&mut self.tags);
        } else if let Some(title) = SCENARIO.iter().find_map(|word| line.strip_prefix(word)) {
            self.close();
            let mut tags = std::mem::take(&mut self.tags);
            tags.extend(self.feature_tags.iter().cloned());
            self.open = Some(OpenScenario {
                title: title.trim().to_owned(),
                line: number,
                tags,
                steps: Vec::new(),
            });
        } else if line.starts_with("Background:") {
            self.close();
        } else if !line.starts_with('#') {
            self.step(line);
        }
    }

    /// Adds a line to the scenario that is being read.
    fn step(&mut self, line: &str) {
        if let Some(open) = self.open.as_mut().filter(|_| !line.is_empty()) {
            open.steps.push(line.to_owned());
        }
    }

    /// An id that no earlier scenario of the file has: titles need not be unique in Gherkin.
    fn free_id(&self, start: &str, title: &str) -> String {
        let plain = format!("{start}-{}", slug(title));
        let is_taken = |id: &String| self.out.entities.iter().any(|(other, _)| other.id == *id);
        let numbered = (2u32..).map(|number| format!("{plain}-{number}"));
        std::iter::once(plain.clone()).chain(numbered).find(|id| !is_taken(id)).unwrap_or_default()
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let own_id =
            open.tags.iter().find(|tag| KbEntityKind::of_id(tag) == Some(KbEntityKind::Scenario));
        let name = self.path.name();
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let title = match open.title.as_str() {
            "" => open.steps.first().map_or(stem, String::as_str),
            title => title,
        };
        let id =
            own_id.cloned().unwrap_or_else(|| self.free_id(&format!("SCEN-{}", slug(stem)), title));
        let mut entity = ForeignEntity::new(self.path, id.clone(), KbEntityKind::Scenario, title);
        entity.status = "active".into();
        entity.text = open.steps.join("\n");
        let requirements: Vec<String> = open
            .tags
            .iter()
            .filter(|tag| KbEntityKind::of_id(tag) == Some(KbEntityKind::Req))
            .cloned()
            .collect();
        entity.tags =
            open.tags.into_iter().filter(|tag| KbEntityKind::of_id(tag).is_none()).collect();
        self.out.entities.push((entity.into_entity(), open.line));
        for requirement in requirements {
            self.out.relations.push(FileRelation {
                relates: Some(KbRelationKind::SpecifiedBy),
                from: requirement,
                to: id.clone(),
                kind: String::new(),
                origin: FactOrigin::File(self.path.clone(), open.line),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_name_their_requirements_by_tags() {
        let text = "@REQ-1 @slow\nFeature: Pay\n\n  Background:\n    Given a shop\n\n  @SCEN-7\n  Scenario: Once\n    When I pay\n    Then it is paid\n\n  Scenario Outline: Twice <n>\n    When I pay\n";
        let found = GherkinExtractor.extract(&"features/pay.feature".parse().unwrap(), text);
        let ids: Vec<_> = found
            .entities
            .iter()
            .map(|(e, line)| (e.id.as_str(), *line, e.more.tags.join(",")))
            .collect();
        assert_eq!(ids, [("SCEN-7", 8, "slow".into()), ("SCEN-pay-twice-n", 12, "slow".into())]);
        assert_eq!(found.entities[0].0.more.text.as_deref(), Some("When I pay\nThen it is paid"));
        assert_eq!(found.relations.len(), 2);
    }

    #[test]
    fn scenarios_without_a_title_or_with_the_same_one_have_ids_of_their_own() {
        let text = "Feature: Pay\n  Scenario:\n    Given a shop\n  Scenario: Once\n    When I pay\n  Scenario: Once\n    When I pay twice\n";
        let found = GherkinExtractor.extract(&"features/pay.feature".parse().unwrap(), text);
        let told: Vec<_> =
            found.entities.iter().map(|(e, _)| format!("{} {}", e.id, e.title)).collect();
        let expected =
            ["SCEN-pay-given-a-shop Given a shop", "SCEN-pay-once Once", "SCEN-pay-once-2 Once"];
        assert_eq!(told, expected);
    }

    #[test]
    fn texts_in_quotes_are_no_scenarios() {
        let text = "Feature: Mail\n  Scenario: Send\n    Given a mail\n      \"\"\"\n      @all\n      # Hi\n      Scenario: none\n      \"\"\"\n    Then it is sent\n";
        let found = GherkinExtractor.extract(&"features/mail.feature".parse().unwrap(), text);
        let texts: Vec<_> =
            found.entities.iter().map(|(entity, _)| entity.more.text.as_deref()).collect();
        let steps = "Given a mail\n\"\"\"\n@all\n# Hi\nScenario: none\n\"\"\"\nThen it is sent";
        assert_eq!(texts, [Some(steps)]);
        assert!(found.notices.is_empty());
    }

    #[test]
    fn a_feature_that_cannot_be_read_is_reported() {
        let text = "# language: de\nFunktionalität: Gehen\n  Szenario: einmal\n    Wenn ich gehe\n";
        let found = GherkinExtractor.extract(&"features/de.feature".parse().unwrap(), text);
        assert_eq!(found.entities.len(), 0);
        assert_eq!(found.notices, [(1, NO_SCENARIO.to_owned())]);
    }
}
