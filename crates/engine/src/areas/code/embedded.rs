//! Files whose code is not read because it is inside another format: `.mdx` files, and components
//! and notebooks that could not be parsed. They may import and call anything of their language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use rayon::prelude::*;
use syntax::Language;

use crate::index::tables;
use crate::view::View;

/// Largest file that is searched, in bytes.
const MAX_SEARCHED_BYTES: u64 = 8 * 1024 * 1024;

/// The key under which they are cached.
const CACHE_KEY: &str = "code.embedded";

/// The files of each format.
type ByFormat = BTreeMap<&'static str, Vec<RepoPath>>;

/// Files whose code is not read because of their format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbeddedCode {
    /// How many files there are of each format
    pub counts: BTreeMap<&'static str, usize>,
    /// The files among them that contain one of the wanted words
    pub mentioning: Vec<RepoPath>,
}

impl EmbeddedCode {
    /// Finds such files that may use code of a language, and those among them that contain one of
    /// some words.
    pub fn find(view: &View, language: Option<Language>, words: &[String]) -> Result<Self> {
        let Some(language) = language else { return Ok(Self::default()) };
        let all = files(view)?;
        let mut found = Self::default();
        for format in formats(language) {
            let Some(paths) = all.get(format) else { continue };
            found.counts.insert(format, paths.len());
            let tree = view.tree();
            let holds = |path: &&RepoPath| match tree.read_at_most(path, MAX_SEARCHED_BYTES) {
                Ok(Some(Ok(blob))) => {
                    let text = String::from_utf8_lossy(&blob.bytes);
                    words.iter().any(|word| text.contains(word.as_str()))
                }
                Ok(None) => false,
                _ => true,
            };
            if !words.is_empty() {
                found
                    .mentioning
                    .extend(paths.par_iter().filter(holds).cloned().collect::<Vec<_>>());
            }
        }
        Ok(found)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The number of files as part of a sentence: `23 .vue files and 1 .svelte file`.
    pub fn counts_text(&self) -> String {
        let each = self.counts.iter();
        let each = each.map(|(format, count)| counted(*count, &format!(".{format} file")));
        each.collect::<Vec<_>>().join(" and ")
    }

    /// Reports in the basis that these files are not read.
    pub fn report(&self, view: &View) {
        if !self.is_empty() {
            view.mark_partial(format!("not read: {}", self.counts_text()));
        }
    }
}

/// Reports code in other formats that is not read, if the answer is about code that it may use.
pub fn report_embedded_code<'n>(
    view: &View,
    about: impl Iterator<Item = &'n EntityRef>,
) -> Result<()> {
    let code = about.filter(|node| matches!(node, EntityRef::Module(_) | EntityRef::Symbol(..)));
    let languages: BTreeSet<Language> =
        code.filter_map(|node| Language::from_path(node.path()?)).collect();
    let mut found = EmbeddedCode::default();
    for language in languages {
        found.counts.extend(EmbeddedCode::find(view, Some(language), &[])?.counts);
    }
    found.report(view);
    Ok(())
}

/// The extensions of formats that contain code of a language's family.
fn formats(language: Language) -> BTreeSet<&'static str> {
    let members = language.family_members();
    let never_read = members.iter().flat_map(|one| one.descriptor().files.embedded_in);
    let other_formats = members.iter().filter(|one| one.family() != **one);
    let maybe_read = other_formats.flat_map(|one| one.descriptor().extensions);
    never_read.chain(maybe_read).copied().collect()
}

fn files(view: &View) -> Result<Arc<ByFormat>> {
    view.cached_for_index(CACHE_KEY, || {
        let mut found = ByFormat::new();
        let known = Language::ALL.iter().flat_map(|one| one.descriptor().files.embedded_in);
        let known: Vec<&'static str> = known.copied().collect();
        for path in tables::all_files(view.index()?.conn())? {
            let extension = path.extension();
            let format = known.iter().find(|format| extension.as_deref() == Some(**format));
            if let Some(format) = format {
                found.entry(*format).or_default().push(path);
            }
        }
        for path in code::files_not_read(view.index()?.conn())? {
            let extensions =
                Language::from_path(&path).map_or(&[][..], |it| it.descriptor().extensions);
            let own = path.extension();
            if let Some(format) = extensions.iter().find(|one| own.as_deref() == Some(**one)) {
                found.entry(*format).or_default().push(path);
            }
        }
        Ok(found)
    })
}
