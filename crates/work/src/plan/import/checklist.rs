//! Markdown checklists: a heading is a feature, a checkbox is a task, and a checkbox below another
//! is a subtask.

use base::{Problem, Result};

use super::{clean_name, clean_tags, set_description};
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::words::{WorkKind, WorkStatus};

/// A line of a checklist.
pub(super) struct CheckItem<'t> {
    /// How far it is indented, in characters
    pub indent: usize,
    pub is_done: bool,
    pub text: &'t str,
}

/// Reads a line of a checklist; `None` for any other line.
pub(super) fn item(line: &str) -> Option<CheckItem<'_>> {
    let trimmed = line.trim_start();
    let indent =
        line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 });
    let marker = trimmed.strip_prefix(['-', '*', '+']);
    let numbered = || trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = marker.or_else(|| numbered().strip_prefix(['.', ')']))?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let is_done = match mark {
        " " | "" => false,
        "x" | "X" => true,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| CheckItem { indent: indent.sum(), is_done, text })
}

/// Reads a checklist.
pub(super) fn parse(text: &str) -> Result<PlanDocument> {
    let mut plan = PlanDocument::default();
    let mut feature: Option<usize> = None;
    // The checkboxes around the next one: their indents and their positions in the plan.
    let mut around: Vec<(usize, usize)> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            feature = Some(plan.items.len());
            around.clear();
            plan.items.push(PlannedItem::new(WorkKind::Feature, clean_name(title)));
        } else if let Some(found) = item(line) {
            around.retain(|(indent, _)| *indent < found.indent);
            let parent = around.last().map(|(_, at)| plan.items[*at].name.clone());
            around.push((found.indent, plan.items.len()));
            plan.items.push(task(&found, feature, parent));
        } else if let Some((indent, at)) = around.last()
            && line.chars().take_while(|c| c.is_whitespace()).count() > *indent
        {
            let known = plan.items[*at].description.take().unwrap_or_default();
            let text = format!("{known}\n{}", line.trim());
            set_description(&mut plan.items[*at], &text);
        }
    }
    let tasks = |at: usize| plan.items.iter().any(|one| one.feature == Some(at));
    let empty: Vec<bool> =
        plan.items.iter().enumerate().map(|(at, one)| one.is_feature() && !tasks(at)).collect();
    let plan = without(plan, &empty);
    if plan.items.is_empty() {
        return Err(Problem::invalid("the text has no checkbox such as `- [ ] a task`"));
    }
    Ok(plan)
}

fn task(found: &CheckItem<'_>, feature: Option<usize>, parent: Option<String>) -> PlannedItem {
    let is_tag =
        |word: &&str| word.len() > 1 && word.starts_with('#') && !word[1..].starts_with('#');
    let words: Vec<&str> = found.text.split_whitespace().collect();
    let tags = clean_tags(words.iter().filter(|word| is_tag(word)).map(|word| &word[1..]));
    let name: Vec<&str> = words.iter().copied().filter(|word| !is_tag(word)).collect();
    let name = if name.is_empty() { found.text.to_owned() } else { name.join(" ") };
    let relation =
        |other| PlannedRelation { kind: PlannedRelationKind::PartOf, other, reason: String::new() };
    PlannedItem {
        feature,
        status: Some(if found.is_done { WorkStatus::Closed } else { WorkStatus::New }),
        tags,
        relations: parent.map(relation).into_iter().collect(),
        ..PlannedItem::new(WorkKind::Task, clean_name(&name))
    }
}

/// A plan without some items. Headings without checkboxes are not features.
fn without(plan: PlanDocument, gone: &[bool]) -> PlanDocument {
    let place = |at: usize| at - gone[..at].iter().filter(|gone| **gone).count();
    let items = plan.items.into_iter().enumerate().filter(|(at, _)| !gone[*at]);
    let items = items.map(|(_, one)| PlannedItem { feature: one.feature.map(place), ..one });
    PlanDocument { items: items.collect(), ..plan }
}
