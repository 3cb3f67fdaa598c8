//! Code that the text of a card names: relative Markdown links, and `path#name` in backticks.

use base::RepoPath;
use syntax::Language;

/// A piece of code that a card's text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardMention {
    /// The file
    pub target: RepoPath,
    /// The symbol in it, if one is named
    pub symbol: Option<String>,
    /// The line number in the card's file
    pub line: u32,
}

/// The code that a text names. Relative links start at the file `card`; `first_line` is the line
/// number of the text in it.
pub(crate) fn find_mentions(card: &RepoPath, body: &str, first_line: u32) -> Vec<CardMention> {
    let mut found: Vec<CardMention> = Vec::new();
    let facts = syntax::extract(Language::from_path(card), body.as_bytes());
    for link in facts.links {
        let (path, symbol) = split_fragment(&link.target);
        let is_web = link.target.contains("://") || link.target.starts_with(['#', '/', '<']);
        let target = (!is_web).then(|| relative(card, path)).flatten();
        add(&mut found, target, symbol, first_line + link.line - 1);
    }
    let mut is_code = false;
    for (line, text) in (first_line..).zip(body.lines()) {
        is_code ^= text.trim_start().starts_with("```");
        let spans = text.split('`').skip(1).step_by(2).filter(|_| !is_code);
        for span in spans.filter(|span| span.contains('#') && !span.contains(' ')) {
            // A handle may have its kind before it, as in the text of a drafted card.
            let (path, symbol) = split_fragment(span.strip_prefix("symbol:").unwrap_or(span));
            add(&mut found, path.parse().ok(), symbol, line);
        }
    }
    found.sort_by_key(|mention| mention.line);
    found
}

fn add(found: &mut Vec<CardMention>, target: Option<RepoPath>, symbol: Option<&str>, line: u32) {
    let is_code = |path: &RepoPath| Language::from_path(path).is_some_and(Language::is_code);
    let Some(target) = target.filter(is_code) else { return };
    let symbol = symbol.map(ToOwned::to_owned);
    if !found.iter().any(|known| known.target == target && known.symbol == symbol) {
        found.push(CardMention { target, symbol, line });
    }
}

/// A path and the symbol after `#`. The anchor of a line, such as `#L10`, is not a symbol.
fn split_fragment(text: &str) -> (&str, Option<&str>) {
    match text.split_once('#') {
        None => (text, None),
        Some((path, anchor)) => {
            let line = anchor.strip_prefix('L').unwrap_or_default();
            let is_line = line.starts_with(|c: char| c.is_ascii_digit());
            (path, Some(anchor).filter(|anchor| !is_line && !anchor.is_empty()))
        }
    }
}

/// The path that a relative link means.
fn relative(card: &RepoPath, link: &str) -> Option<RepoPath> {
    let card = card.to_string();
    let folder = card.rsplit_once('/').map_or("", |(folder, _)| folder);
    RepoPath::normalised(&format!("{folder}/{link}"))?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_handles_in_a_text_are_mentions() {
        let text = "See [login](../../src/login.ts#signIn), [line](../../src/a.ts#L4) and `src/b.rs#run`.\n\n\
            From `symbol:src/d.rs#go`. \
            Not `a b`, [docs](x.md), https://x.y/a.ts or\n```\n`src/c.rs#no`\n```\n";
        let card = ".cairn/cards/a.card.md".parse().unwrap();
        let found: Vec<String> = find_mentions(&card, text, 5)
            .iter()
            .map(|one| format!("{} {:?} {}", one.target, one.symbol, one.line))
            .collect();
        assert_eq!(
            found,
            [
                "src/login.ts Some(\"signIn\") 5",
                "src/a.ts None 5",
                "src/b.rs Some(\"run\") 5",
                "src/d.rs Some(\"go\") 7"
            ]
        );
    }
}
