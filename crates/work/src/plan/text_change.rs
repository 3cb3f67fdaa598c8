//! The lines of a text that a plan replaces.

use schemars::JsonSchema;
use serde::Serialize;

/// A text of a feature or task that a plan changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextChange {
    /// Which text: `summary`, `description` or the title of a section
    pub text: String,
    /// The lines that it loses
    pub removed: Vec<String>,
    /// The lines that it gets in their place
    pub added: Vec<String>,
}

impl TextChange {
    /// The change from one text to another, without the lines that both start and end with; `None`
    /// if no line differs.
    pub(super) fn between(text: &str, old: &str, new: &str) -> Option<Self> {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let own = |lines: &[&str]| -> Vec<String> {
            lines[..lines.len() - end].iter().map(|line| (*line).to_owned()).collect()
        };
        let (removed, added) = (own(old), own(new));
        let is_same = removed.is_empty() && added.is_empty();
        (!is_same).then(|| Self { text: text.to_owned(), removed, added })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_named() {
        let change = TextChange::between("Plan", "a\nb\nc", "a\nB\nB2\nc").unwrap();
        assert_eq!(
            (change.removed, change.added),
            (vec!["b".into()], vec!["B".into(), "B2".into()])
        );
        let longer = TextChange::between("Plan", "a\na", "a\na\na").unwrap();
        assert_eq!((longer.removed.len(), longer.added.len()), (0, 1));
        assert_eq!(TextChange::between("Plan", "a\n", "a"), None);
    }
}
