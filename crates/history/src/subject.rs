//! Parses the subject of a conventional commit.

/// The parts of `feat(auth)!: add rate limiting`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConventionalSubject<'a> {
    /// `feat`, `fix` and the like
    pub kind: &'a str,
    /// The scope
    pub scope: Option<&'a str>,
    /// Whether it is a breaking change
    pub breaking: bool,
}

/// Parses the subject of a message; `None` if it is not a conventional commit.
pub fn parse_conventional_subject(message: &str) -> Option<ConventionalSubject<'_>> {
    let (head, rest) = crate::commit::subject(message).split_once(':')?;
    if !rest.starts_with(' ') {
        return None;
    }
    let (head, bang) = head.strip_suffix('!').map_or((head, false), |head| (head, true));
    let (kind, scope) = match head.split_once('(') {
        Some((kind, scope)) => (kind, Some(scope.strip_suffix(')')?)),
        None => (head, None),
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if kind.is_empty() || !kind.chars().all(is_word) || scope == Some("") {
        return None;
    }
    Some(ConventionalSubject { kind, scope, breaking: bang || has_footer(message) })
}

fn has_footer(message: &str) -> bool {
    let marks = ["BREAKING CHANGE: ", "BREAKING-CHANGE: "];
    message.lines().skip(1).any(|line| marks.iter().any(|mark| line.starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventional_subjects_are_told_from_others() {
        let read = |text: &'static str| {
            parse_conventional_subject(text).map(|c| (c.kind, c.scope.unwrap_or("-"), c.breaking))
        };
        assert_eq!(read("feat(auth): add"), Some(("feat", "auth", false)));
        assert_eq!(read("fix!: x"), Some(("fix", "-", true)));
        assert_eq!(read("refactor(a/b)!: x"), Some(("refactor", "a/b", true)));
        assert_eq!(read("feat: x\n\nBREAKING CHANGE: y"), Some(("feat", "-", true)));
        for text in ["add a thing", "feat(: x", "see http://x", "two words: x", "feat(): x", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
