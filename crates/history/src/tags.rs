//! Tags: from the folders a file is in, and from the `tags:` lines of commits.

use std::collections::BTreeSet;

use base::RepoPath;

/// A tag that a commit added to or removed from the files it touched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TagOp {
    /// The tag
    pub tag: String,
    /// Whether it was added; otherwise it was removed
    pub adds: bool,
}

/// Which parts of a path do not become tags.
#[derive(Debug, Clone, Default)]
pub struct FolderTagRules {
    /// Parts that only structure the repository, such as `src`
    pub structural_parts: Vec<String>,
    /// Names that are too general to be useful
    pub stop_words: Vec<String>,
}

impl FolderTagRules {
    /// The tags that the folders above a file give it.
    pub fn tags(&self, path: &RepoPath) -> BTreeSet<String> {
        let folder = path.parent().unwrap_or(RepoPath::ROOT).to_string();
        let parts = folder.split('/').filter(|part| !matches!(*part, "" | "."));
        let silent = |part: &&str| {
            self.structural_parts.iter().chain(&self.stop_words).any(|word| word == part)
        };
        parts.filter(|part| !silent(part)).map(str::to_owned).collect()
    }
}

/// The tags of a file: those of its folders, with everything done to them since, in order.
pub fn replay_tag_ops<'a>(
    mut tags: BTreeSet<String>,
    ops: impl IntoIterator<Item = &'a TagOp>,
) -> BTreeSet<String> {
    for TagOp { tag, adds } in ops {
        if *adds {
            tags.insert(tag.clone());
        } else {
            tags.remove(tag);
        }
    }
    tags
}

/// The tag operations in the `tags:` line of a message.
///
/// It counts in the last paragraph, or in the one before a closing block of git trailers. Prose
/// that happens to start with the word further up does not, and neither does the subject.
pub fn tag_ops_in_message(message: &str) -> Vec<TagOp> {
    if !message.contains("tags:") {
        return Vec::new(); // nearly every message
    }
    let paragraphs = paragraphs(message);
    let mut last = paragraphs.iter().rev();
    let found = last.next().and_then(|last_one| {
        tag_line(last_one).or_else(|| {
            let before = last.next().filter(|_| last_one.iter().all(|line| is_trailer(line)))?;
            tag_line(before)
        })
    });
    found.map(parse_tag_list).unwrap_or_default()
}

/// The lines below the subject, in groups between empty lines.
fn paragraphs(message: &str) -> Vec<Vec<&str>> {
    let mut groups = vec![Vec::new()];
    for line in message.trim_start().lines().skip(1).map(str::trim_end) {
        match (line.is_empty(), groups.last_mut()) {
            (false, Some(group)) => group.push(line),
            _ => groups.push(Vec::new()),
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn tag_line<'a>(paragraph: &[&'a str]) -> Option<&'a str> {
    paragraph.iter().find_map(|line| line.strip_prefix("tags:"))
}

/// Whether a line is a git trailer or a similar line at the end of a message.
fn is_trailer(line: &str) -> bool {
    let is_key = |key: &str| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    line.starts_with([' ', '\t'])
        || line.starts_with("(cherry picked from commit ")
        || line.split_once(':').is_some_and(|(key, _)| is_key(key.trim_end()))
}

fn parse_tag_list(list: &str) -> Vec<TagOp> {
    let op = |word: &str| {
        let word = word.trim();
        let (adds, tag) = match word.strip_prefix('-') {
            Some(tag) => (false, tag),
            None => (true, word.strip_prefix('+').unwrap_or(word)),
        };
        let tag = tag.trim();
        (!tag.is_empty()).then(|| TagOp { tag: tag.to_owned(), adds })
    };
    list.split(',').filter_map(op).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> String {
        let op = |op: TagOp| format!("{}{}", if op.adds { '+' } else { '-' }, op.tag);
        tag_ops_in_message(message).into_iter().map(op).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_tags_line_counts_at_the_end_alone() {
        for (message, ops) in [
            ("a\n\nwhy\n\ntags: x, +y, -z", "+x +y -z"),
            ("a\n\ntags: x\nSigned-off-by: A <a@b.c>", "+x"),
            ("a\n\nwhy\ntags: x\n\nSigned-off-by: A\nCo-authored-by: B", "+x"),
            ("a\n\ntags: x\n\n(cherry picked from commit abc)", "+x"),
            ("a\r\n\r\ntags: x , y\r\n", "+x +y"),
            ("a\ntags: x", "+x"),
            ("a\n\ntags: x\ntags: y", "+x"),
            ("a\n\ntags: , +, -, two words", "+two words"),
            ("a\n\ntags: x\n\nand more prose", ""),
            ("a\n\ntags: x\n\nProse here.\n\nSigned-off-by: A", ""),
            ("tags: x", ""),
            ("a\n\nTags: are replayed in order now", ""),
            ("a\n\nthe tags: line", ""),
            ("", ""),
        ] {
            assert_eq!(shown(message), ops, "{message:?}");
        }
    }

    #[test]
    fn folders_give_tags_and_lines_change_them_in_order() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let folders = FolderTagRules {
            structural_parts: words(&["src", "lib"]),
            stop_words: words(&["utils"]),
        };
        let path = "src/auth/utils/lib/session/handler.ts".parse().unwrap();
        let tags = folders.tags(&path);
        assert_eq!(tags, ["auth".to_owned(), "session".to_owned()].into());
        assert!(folders.tags(&"README.md".parse().unwrap()).is_empty());
        let ops = tag_ops_in_message("a\n\ntags: -auth, redis, -never, -redis, +redis");
        assert_eq!(replay_tag_ops(tags, &ops), ["redis".to_owned(), "session".to_owned()].into());
    }
}
