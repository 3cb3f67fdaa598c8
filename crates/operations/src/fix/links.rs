//! Links in documents that are broken because a file or the document itself was moved.

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use syntax::edit::{format_link_destination, replace_link_destinations};

use super::move_tracker::{MoveTracker, Relocation};
use super::{PendingFileEdits, StaleReference};
use engine::areas::files::{dead_links, link_path};
use engine::view::View;

pub(super) fn repair(
    view: &View,
    trail: &MoveTracker<'_>,
    texts: &mut PendingFileEdits<'_>,
) -> Result<Vec<StaleReference>> {
    // The lines of the dead links of each document, by their targets.
    let mut documents: BTreeMap<RepoPath, BTreeMap<RepoPath, u32>> = BTreeMap::new();
    for (from, to, line) in dead_links(view)? {
        documents.entry(from).or_default().insert(to, line);
    }
    // A link of a moved document may lead out of the repository now, which no index records.
    for moved in trail.moved_documents()? {
        documents.entry(moved).or_default();
    }
    let mut stale = Vec::new();
    for (from, dead) in documents {
        view.call().check_stopped()?;
        let links = DocumentLinks { trail, from: &from, earlier: trail.earlier_paths(&from)? };
        let mut problem = None;
        let mut mended: BTreeMap<String, (u32, Relocation)> = BTreeMap::new();
        texts.change(&from, |bytes| {
            let text = std::str::from_utf8(bytes).ok()?;
            let new = replace_link_destinations(text, |target| {
                let to = link_path(&from, target);
                if to.as_ref().is_some_and(|to| !dead.contains_key(to)) {
                    return None;
                }
                let went = match links.relocate(to.as_ref(), target) {
                    Ok(went) => went?,
                    Err(failed) => {
                        problem.get_or_insert(failed);
                        return None;
                    }
                };
                let Relocation::Certain { path, .. } = &went else { return None };
                let new = rewrite_link(&from, target, path);
                let line = to.as_ref().and_then(|to| dead.get(to).copied());
                let line = line.unwrap_or_else(|| line_of(text, target));
                let old = to.map_or_else(|| target.to_owned(), |to| to.to_string());
                mended.insert(old, (line, went));
                Some(new)
            });
            new.map(String::into_bytes)
        })?;
        if let Some(problem) = problem {
            return Err(problem);
        }
        stale.extend(
            mended.into_iter().map(|(old, (line, went))| {
                StaleReference::new(format!("{from}:{line}"), old, &went)
            }),
        );
    }
    Ok(stale)
}

/// The first line with a text, from 1.
fn line_of(text: &str, part: &str) -> u32 {
    let before = text.find(part).map_or("", |at| &text[..at]);
    u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// The links of one document.
struct DocumentLinks<'d, 'v> {
    trail: &'d MoveTracker<'v>,
    from: &'d RepoPath,
    /// Where the document was before, newest first
    earlier: Vec<RepoPath>,
}

impl DocumentLinks<'_, '_> {
    /// The new place of a broken link's target. A link that was never valid is not repaired.
    fn relocate(&self, to: Option<&RepoPath>, target: &str) -> Result<Option<Relocation>> {
        if let Some(to) = to {
            let found = self.trail.locate_file(to)?;
            if matches!(found, Relocation::Certain { .. }) {
                return Ok(Some(found));
            }
        }
        // The document may have been moved, while the link is relative to its old place.
        for before in &self.earlier {
            let Some(meant) = link_path(before, target) else { continue };
            let because = format!("the document moved from {before}");
            if self.earlier.contains(&meant) {
                let path = self.from.clone();
                return Ok(Some(Relocation::Certain { path, symbol: None, because }));
            }
            if self.trail.exists(&meant)? {
                return Ok(Some(Relocation::Certain { path: meant, symbol: None, because }));
            }
            let found = self.trail.locate_file(&meant)?;
            if matches!(found, Relocation::Certain { .. }) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// A link to a new place, written in the form of the old one.
fn rewrite_link(from: &RepoPath, old: &str, new: &RepoPath) -> String {
    let end = old.find(['#', '?']).map_or("", |at| &old[at..]);
    let name = new.to_string();
    if old.starts_with('/') {
        return format!("/{}{end}", format_link_destination(&name));
    }
    let folder = from.parent().filter(|folder| !folder.is_root());
    let folder = folder.map(|folder| folder.to_string()).unwrap_or_default();
    let above: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let below: Vec<&str> = name.split('/').collect();
    let shared = above.iter().zip(&below).take_while(|(a, b)| a == b).count();
    // The last part is the name of the file, even if a folder has the same name.
    let shared = shared.min(below.len() - 1);
    let up = "../".repeat(above.len() - shared);
    let relative = format_link_destination(&format!("{up}{}", below[shared..].join("/")));
    let dot = if up.is_empty() && old.starts_with("./") && !relative.starts_with("./") {
        "./"
    } else {
        ""
    };
    format!("{dot}{relative}{end}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use engine::areas::files::link_target;

    use super::*;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn a_link_keeps_its_form() {
        let from = path("docs/guide/a.md");
        let new = path("docs/b/c.md");
        assert_eq!(rewrite_link(&from, "../old.md#why", &new), "../b/c.md#why");
        assert_eq!(rewrite_link(&from, "/old.md", &new), "/docs/b/c.md");
        assert_eq!(rewrite_link(&from, "./old.md", &path("docs/guide/n.md")), "./n.md");
        let root = path("README.md");
        assert_eq!(rewrite_link(&root, "a/q.ts", &path("b/q.ts")), "b/q.ts");
        assert_eq!(rewrite_link(&root, "./a/q.ts#L3", &path("q.ts")), "./q.ts#L3");
        assert_eq!(rewrite_link(&path("a/x.md"), "../b", &path("a")), "../a");
    }

    proptest! {
        /// Property: for any rename, the new link leads to the new place.
        #[test]
        fn a_link_leads_to_the_new_place(
            from in "[ab]{1}(/[ab]{1}){0,3}\\.md",
            new in "[ab(&?:# ]{1,3}(/[ab%<é]{1,2}){0,3}",
            dotted in any::<bool>(),
            rooted in any::<bool>(),
        ) {
            let from = path(&from);
            let Ok(new) = RepoPath::from_bytes(new.trim().as_bytes().to_vec()) else {
                return Ok(());
            };
            prop_assume!(new != from && !new.is_root());
            let old = match (dotted, rooted) {
                (_, true) => "/old.md#why",
                (true, _) => "./old.md#why",
                _ => "old.md#why",
            };
            let link = rewrite_link(&from, old, &new);
            prop_assert!(link.ends_with("#why"));
            prop_assert_eq!(link_target(&from, &link), Some(new.clone()), "{}", &link);
            // A document that contains the link parses to the same target.
            let text = replace_link_destinations(&format!("[x]({old})"), |_| Some(link.clone())).unwrap();
            let facts = syntax::extract(syntax::Language::from_path(&from), text.as_bytes());
            prop_assert_eq!(link_target(&from, &facts.links[0].target), Some(new), "{}", text);
        }
    }
}
