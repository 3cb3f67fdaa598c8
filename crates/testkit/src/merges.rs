//! Random three-way merges of cards and shared records, compared with a merge by rule.
//!
//! A model has single values, lists and lines of text. Both sides change copies of one model; the
//! merge by rule works on the models, the merge under test on their texts.

use std::collections::{BTreeMap, BTreeSet};

use document::{Document, MergeTexts, MergedText, merge_documents, merge_records};
use serde_json::{Value, json};

use crate::soak::SeededRng;

const SCALARS: [&str; 5] = ["summary", "status", "owner", "team", "priority"];
const LISTS: [&str; 3] = ["tags", "constraints", "paths"];

/// The result of a run.
#[derive(Debug, Default)]
pub struct MergeProof {
    /// How many merges were made
    pub merges: usize,
    /// Number of merges with a conflict according to the rule, and in fact
    pub conflicts: usize,
    /// Merges whose result differs from the rule
    pub failures: Vec<String>,
}

/// Merges cards and records in turn, from a seed.
pub fn run(count: usize, seed: u64) -> MergeProof {
    let mut proof = MergeProof::default();
    let mut rng = SeededRng::new(seed);
    for number in 0..count {
        let base = MergeModel::random(&mut rng);
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        ours.change(&mut rng, "ours");
        theirs.change(&mut rng, "theirs");
        let case = MergeCase { base, ours, theirs };
        let found = if number % 2 == 0 { case.check_card() } else { case.check_record() };
        proof.merges += 1;
        match found {
            Ok(conflicts) => proof.conflicts += usize::from(conflicts > 0),
            Err(why) => proof.failures.push(format!("merge {number}: {why}\n{case:#?}")),
        }
    }
    proof
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct MergeModel {
    scalars: BTreeMap<&'static str, String>,
    lists: BTreeMap<&'static str, Vec<String>>,
    lines: Vec<String>,
    appended: Vec<String>,
    version: u64,
    /// When it was last changed; no two sides have one time
    changed_at: u64,
    /// What it saw of the files when it was last changed, as atoms note it
    seen: BTreeMap<String, u64>,
}

impl MergeModel {
    fn random(rng: &mut SeededRng) -> Self {
        let mut model = Self {
            scalars: BTreeMap::new(),
            lists: BTreeMap::new(),
            lines: (0..rng.below(5)).map(|at| format!("line {at}")).collect(),
            appended: Vec::new(),
            version: 1 + rng.below(5) as u64,
            changed_at: 1,
            seen: (0..rng.below(3)).map(|at| (format!("file {at}"), 1)).collect(),
        };
        for name in SCALARS {
            if rng.below(3) > 0 {
                model.scalars.insert(name, format!("{name} {}", rng.below(3)));
            }
        }
        for name in LISTS {
            if rng.below(3) == 0 {
                continue;
            }
            let items = (0..=rng.below(3)).map(|at| format!("{name} item {at}"));
            model.lists.insert(name, items.collect());
        }
        model
    }

    fn change(&mut self, rng: &mut SeededRng, side: &str) {
        let before = self.clone();
        for step in 0..rng.below(5) {
            let scalar = SCALARS[rng.below(SCALARS.len())];
            let list = LISTS[rng.below(LISTS.len())];
            match rng.below(6) {
                0 | 1 => {
                    // Now and then both sides come to the same value.
                    let who = if rng.below(3) == 0 { "both" } else { side };
                    self.scalars.insert(scalar, format!("{scalar} of {who}"));
                }
                2 => drop(self.scalars.remove(scalar)),
                3 => self.lists.entry(list).or_default().push(format!("{list} {side} {step}")),
                4 => self.remove_item(rng, list),
                _ if self.lines.is_empty() || rng.below(2) == 0 => {
                    self.appended.push(format!("appended by {side} {step}"));
                }
                _ => {
                    let at = rng.below(self.lines.len());
                    self.lines[at] = format!("line {at} of {side}");
                }
            }
        }
        if *self != before {
            self.version += 1;
            self.changed_at = 2 + 2 * rng.below(40) as u64 + u64::from(side == "ours");
            self.seen.insert(format!("file {}", rng.below(3)), self.changed_at);
        }
    }

    fn remove_item(&mut self, rng: &mut SeededRng, list: &'static str) {
        if let Some(items) = self.lists.get_mut(list) {
            let at = rng.below(items.len());
            items.remove(at);
            if items.is_empty() {
                self.lists.remove(list);
            }
        }
    }

    /// The lines of the body. Lines that can change are not adjacent, so no two changes touch.
    fn body(&self) -> String {
        let lines = self.lines.iter().enumerate();
        let lines = lines.map(|(at, line)| format!("{line}\nbetween {at}\n"));
        let appended = self.appended.iter().map(|line| format!("\n{line}\n"));
        lines.chain(["the end\n".to_owned()]).chain(appended).collect()
    }

    fn card(&self) -> String {
        let scalars = self.scalars.iter().map(|(name, value)| format!("{name}: {value}\n"));
        let lists = self.lists.iter().map(|(name, items)| {
            let items: Vec<String> = items.iter().map(|item| format!("  - {item}\n")).collect();
            format!("{name}:\n{}", items.concat())
        });
        let fields: String = scalars.chain(lists).collect();
        format!("---\nkey: spec::a\n{fields}---\n\n{}", self.body())
    }

    fn record(&self) -> String {
        let mut head: BTreeMap<&str, Value> = BTreeMap::new();
        head.insert("id", json!("a"));
        head.insert("version", json!(self.version));
        head.insert("updated_at", json!(format!("2026-01-01T00:00:{:02}Z", self.changed_at)));
        head.insert("footprint", self.footprint());
        head.extend(self.scalars.iter().map(|(name, value)| (*name, json!(value))));
        head.extend(self.lists.iter().map(|(name, items)| (*name, json!(items))));
        let head: String = head.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        format!("{head}---\n{}\n", self.body().trim_end_matches('\n'))
    }
}

impl MergeModel {
    /// What it saw of the files, in the form in which atoms note it.
    fn footprint(&self) -> Value {
        let files = self.seen.iter().map(|(path, hash)| json!({"path": path, "hash": hash}));
        json!({"at": self.changed_at, "files": files.collect::<Vec<_>>()})
    }
}

#[derive(Debug)]
struct MergeCase {
    base: MergeModel,
    ours: MergeModel,
    theirs: MergeModel,
}

impl MergeCase {
    /// The merge according to the rule, and the names of what both sides changed. There, our side
    /// is kept.
    fn by_rule(&self) -> (MergeModel, BTreeSet<String>) {
        let Self { base, ours, theirs } = self;
        let mut merged = ours.clone();
        let mut conflicts = BTreeSet::new();
        for name in SCALARS {
            let sides = [base, ours, theirs].map(|side| side.scalars.get(name).cloned());
            let [was, our, their] = sides;
            if our == was && their != was {
                merged.scalars.remove(name);
                merged.scalars.extend(their.map(|value| (name, value)));
            } else if our != was && their != was && our != their {
                conflicts.insert(name.to_owned());
            }
        }
        for name in LISTS {
            let [was, our, their] =
                [base, ours, theirs].map(|side| side.lists.get(name).cloned().unwrap_or_default());
            let mut items: Vec<String> = our.clone();
            items.retain(|item| !was.contains(item) || their.contains(item));
            items.extend(their.iter().filter(|i| !was.contains(i) && !our.contains(i)).cloned());
            merged.lists.remove(name);
            if !items.is_empty() {
                merged.lists.insert(name, items);
            }
        }
        for at in 0..base.lines.len() {
            let (was, our, their) = (&base.lines[at], &ours.lines[at], &theirs.lines[at]);
            if our == was {
                merged.lines[at].clone_from(their);
            } else if their != was && our != their {
                conflicts.insert("text".to_owned());
            }
        }
        if ours.appended != theirs.appended {
            merged.appended.extend(theirs.appended.iter().cloned());
        }
        let both = ours != theirs && ours != base && theirs != base;
        merged.version = ours.version.max(theirs.version) + u64::from(both);
        // What was seen belongs to the later change as a whole.
        let later = if ours.changed_at >= theirs.changed_at { ours } else { theirs };
        merged.changed_at = later.changed_at;
        merged.seen.clone_from(&later.seen);
        (merged, conflicts)
    }

    fn check_card(&self) -> Result<usize, String> {
        let texts = [&self.base, &self.ours, &self.theirs].map(MergeModel::card);
        let [base, ours, theirs] = &texts;
        let merged = merge_documents(MergeTexts { base, ours, theirs });
        let (expected, conflicts) = self.checked_conflicts(&merged)?;
        let text = resolve_with_ours(&merged.text);
        let document =
            Document::parse(&text).map_err(|fault| format!("{}\n{text}", fault.message))?;
        let fields: BTreeMap<&str, Value> =
            document.fields().map(|(name, node)| (name, node.to_json())).collect();
        compare(&fields, &expected)?;
        same("text", document.body(), &format!("\n{}", expected.body()))?;
        Ok(conflicts)
    }

    fn check_record(&self) -> Result<usize, String> {
        let texts = [&self.base, &self.ours, &self.theirs].map(MergeModel::record);
        let [base, ours, theirs] = &texts;
        let merged = merge_records(MergeTexts { base, ours, theirs });
        let (expected, conflicts) = self.checked_conflicts(&merged)?;
        let text = resolve_with_ours(&merged.text);
        let file =
            base::shared::parse_file(&text, "body").map_err(|why| format!("{why}\n{text}"))?;
        let record = file.record.ok_or("it is deleted")?;
        let fields: BTreeMap<&str, Value> =
            record.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        compare(&fields, &expected)?;
        same("version", &fields["version"].to_string(), &expected.version.to_string())?;
        same("footprint", &fields["footprint"].to_string(), &expected.footprint().to_string())?;
        let body = fields["body"].as_str().unwrap_or_default();
        same("text", body.trim_end_matches('\n'), expected.body().trim_end_matches('\n'))?;
        Ok(conflicts)
    }

    fn checked_conflicts(&self, merged: &MergedText) -> Result<(MergeModel, usize), String> {
        let (expected, conflicts) = self.by_rule();
        let found: BTreeSet<String> = merged.conflicts.iter().cloned().collect();
        match found == conflicts {
            true => Ok((expected, found.len())),
            false => Err(format!("conflicts {found:?}, by rule {conflicts:?}\n{}", merged.text)),
        }
    }
}

fn compare(fields: &BTreeMap<&str, Value>, expected: &MergeModel) -> Result<(), String> {
    for name in SCALARS {
        let found = fields.get(name).and_then(Value::as_str);
        let wanted = expected.scalars.get(name).map(String::as_str);
        same(name, &format!("{found:?}"), &format!("{wanted:?}"))?;
    }
    for name in LISTS {
        let wanted = expected.lists.get(name).map(|items| json!(items));
        let found = fields.get(name).filter(|value| **value != json!([]) && !value.is_null());
        same(name, &format!("{found:?}"), &format!("{:?}", wanted.as_ref()))?;
    }
    Ok(())
}

fn same(what: &str, found: &str, wanted: &str) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{what} is\n{found}\nand should be\n{wanted}")),
    }
}

/// A text in which every conflict is settled as ours.
fn resolve_with_ours(text: &str) -> String {
    let (mut kept, mut is_theirs) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            "<<<<<<< ours" => {}
            "=======" => is_theirs = true,
            ">>>>>>> theirs" => is_theirs = false,
            _ if is_theirs => {}
            _ => kept.push_str(line),
        }
    }
    kept
}
