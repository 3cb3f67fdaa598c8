//! Links between documents that lead to where a file was.

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use syntax::Language;

use super::trail::{Trail, Went};
use super::{Stale, Texts};
use crate::layers::files::{dead_links, link_target};
use crate::view::View;

pub(super) fn mend(view: &View, trail: &Trail<'_>, texts: &mut Texts<'_>) -> Result<Vec<Stale>> {
    let mut stale = Vec::new();
    let dead: BTreeSet<(RepoPath, RepoPath, u32)> = dead_links(view)?.into_iter().collect();
    for (from, to, line) in dead {
        let went = trail.file(&to)?;
        // A link that never led anywhere is no business of a repair.
        let Went::To { path: new, .. } = &went else { continue };
        let done = texts.change(&from, |bytes| {
            let facts = syntax::extract(Language::of(&from), bytes);
            let text = std::str::from_utf8(bytes).ok()?;
            let mut out = text.to_owned();
            for link in &facts.links {
                if link_target(&from, &link.target).as_ref() == Some(&to) {
                    out = relinked(&out, &link.target, &written(&from, &link.target, new));
                }
            }
            Some(out.into_bytes())
        })?;
        if done {
            stale.push(Stale::new(format!("{from}:{line}"), to.to_string(), &went));
        }
    }
    Ok(stale)
}

/// A link to a new place, in the way the old one was written.
fn written(from: &RepoPath, old: &str, new: &RepoPath) -> String {
    let end = old.find(['#', '?']).map_or("", |at| &old[at..]);
    if old.starts_with('/') {
        return format!("/{new}{end}");
    }
    let folder = from.parent().map(|folder| folder.to_string()).unwrap_or_default();
    let above: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let name = new.to_string();
    let below: Vec<&str> = name.split('/').collect();
    let shared = above.iter().zip(&below).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(above.len() - shared);
    let dot = if up.is_empty() && old.starts_with("./") { "./" } else { "" };
    format!("{dot}{up}{}{end}", below[shared..].join("/"))
}

/// Replaces the target of inline links and of reference definitions.
fn relinked(text: &str, old: &str, new: &str) -> String {
    let inline = text.replace(&format!("]({old})"), &format!("]({new})"));
    let titled = inline.replace(&format!("]({old} "), &format!("]({new} "));
    titled.replace(&format!("]: {old}\n"), &format!("]: {new}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_keeps_its_form() {
        let from: RepoPath = "docs/guide/a.md".parse().unwrap();
        let new: RepoPath = "docs/b/c.md".parse().unwrap();
        assert_eq!(written(&from, "../old.md#why", &new), "../b/c.md#why");
        assert_eq!(written(&from, "/old.md", &new), "/docs/b/c.md");
        let near: RepoPath = "docs/guide/n.md".parse().unwrap();
        assert_eq!(written(&from, "./old.md", &near), "./n.md");
        assert_eq!(relinked("[x](old.md) [old.md](y)", "old.md", "n.md"), "[x](n.md) [old.md](y)");
    }
}
