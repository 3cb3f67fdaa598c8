//! Matches deleted with added files: by the same content, or by most of the same lines.

use std::collections::{BTreeMap, BTreeSet};

use super::{ChangedFile, FileChangeKind};

/// Minimum share of common lines for a rename, in percent of the longer file.
const MIN_SIMILARITY_PERCENT: usize = 60;

/// Number of files on either side above which only identical content counts as a rename.
const MAX_FILES_FOR_SIMILARITY: usize = 100;

/// Merges deletions and additions that are renames.
pub(super) fn pair_renames(files: &[ChangedFile]) -> Vec<ChangedFile> {
    let at = |wanted: FileChangeKind| -> Vec<usize> {
        let found = files.iter().enumerate().filter(|(_, file)| file.kind == wanted);
        found.map(|(at, _)| at).collect()
    };
    let (gone, came) = (at(FileChangeKind::Deleted), at(FileChangeKind::Added));
    let pairs = match_renames(files, &gone, &came);
    let taken: BTreeSet<usize> = pairs.values().copied().collect();
    let mut all = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        match pairs.get(&at) {
            _ if taken.contains(&at) => {}
            Some(old) => all.push(ChangedFile {
                old: Some(files[*old].path.clone()),
                kind: FileChangeKind::Renamed,
                before: files[*old].before.clone(),
                ..file.clone()
            }),
            None => all.push(file.clone()),
        }
    }
    all
}

/// Pairs of new and old paths, most similar first; each file is used once.
fn match_renames(files: &[ChangedFile], gone: &[usize], came: &[usize]) -> BTreeMap<usize, usize> {
    if gone.is_empty() || came.is_empty() {
        return BTreeMap::new();
    }
    let only_same = gone.len() > MAX_FILES_FOR_SIMILARITY || came.len() > MAX_FILES_FOR_SIMILARITY;
    let mut scored: Vec<(usize, usize, usize)> = Vec::new();
    for new in came {
        for old in gone {
            let (before, after) = (files[*old].before.as_deref(), files[*new].after.as_deref());
            let (Some(before), Some(after)) = (before, after) else { continue };
            let score = match before == after {
                true if before.is_empty() => 0, // empty files are no evidence
                true => 100,
                false if only_same => 0,
                false => similarity_percent(before, after),
            };
            let same_name = files[*old].path.name() == files[*new].path.name();
            if score >= MIN_SIMILARITY_PERCENT {
                scored.push((score * 2 + usize::from(same_name), *new, *old));
            }
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut pairs, mut used) = (BTreeMap::new(), BTreeSet::new());
    for (at, (score, new, old)) in scored.iter().enumerate() {
        if pairs.contains_key(new) || used.contains(old) {
            continue;
        }
        // Two equally similar candidates are no evidence for either.
        let same = scored.iter().enumerate().filter(|(other, one)| *other != at && one.0 == *score);
        let free = |one: &(usize, usize, usize)| {
            !(pairs.contains_key(&one.1) || used.contains(&one.2))
                && (one.1 == *new || one.2 == *old)
        };
        if !same.into_iter().any(|(_, one)| free(one)) {
            pairs.insert(*new, *old);
            used.insert(*old);
        }
    }
    pairs
}

/// Lines that two texts share, in percent of the longer one.
fn similarity_percent(before: &[u8], after: &[u8]) -> usize {
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    let lines = |text| <[u8]>::split(text, |byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let (mut old, mut new, mut shared) = (0, 0, 0);
    for line in lines(before).filter(|line: &&[u8]| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
        old += 1;
    }
    for line in lines(after).filter(|line: &&[u8]| !line.is_empty()) {
        new += 1;
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    (shared * 100_usize).checked_div(old.max(new)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, before: Option<&str>, after: Option<&str>) -> ChangedFile {
        let how = super::super::change_kind(before.is_some(), after.is_some());
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        super::super::changed_file(path.parse().unwrap(), bytes(before), bytes(after), how)
    }

    #[test]
    fn a_file_is_known_by_its_lines_and_used_once() {
        let found = pair_renames(&[
            file("a.rs", Some("one\ntwo\nthree\nfour\n"), None),
            file("b.rs", None, Some("one\ntwo\nthree\nfive\n")),
            file("c.rs", None, Some("one\ntwo\nthree\nfour\n")),
            file("d.rs", None, Some("something else\n")),
        ]);
        let told: Vec<_> = found.iter().map(|f| (f.path.to_string(), f.kind)).collect();
        let expected = [
            ("b.rs", FileChangeKind::Added),
            ("c.rs", FileChangeKind::Renamed),
            ("d.rs", FileChangeKind::Added),
        ];
        assert_eq!(told, expected.map(|(path, how)| (path.to_owned(), how)));
        assert_eq!(found[1].before_path().to_string(), "a.rs");
        let copies = pair_renames(&[
            file("a.rs", Some("one\ntwo\n"), None),
            file("b.rs", None, Some("one\ntwo\n")),
            file("c.rs", None, Some("one\ntwo\n")),
        ]);
        assert_eq!(copies.len(), 3, "which of two copies it is nobody can say");
    }
}
