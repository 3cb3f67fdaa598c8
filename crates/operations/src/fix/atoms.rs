//! Paths of atoms that no longer match a file because their files were moved.

use base::words::counted;
use base::{RepoPath, Result};
use work::WorkRecordRef;
use work::knowledge::drift::footprint;
use work::knowledge::edit::{KnowledgeFields, KnowledgeTarget, update};
use work::knowledge::globs::{GlobList, PathGlob, literal_folders};
use work::record::Atom;
use work::text::ListArg;
use work::words::{KnowledgeKind, KnowledgeWriteMode};

use super::move_tracker::{MoveTracker, Relocation};
use super::{RepairPlan, StaleReference};
use engine::areas::work::{is_empty, matched_files, plan, read_store};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

pub(super) fn repair(view: &View, trail: &MoveTracker<'_>) -> Result<RepairPlan> {
    let mut stale = Vec::new();
    let mut moved: Vec<(Atom, Vec<String>)> = Vec::new();
    if !is_empty(view)? {
        let atoms = read_store(view, |draft| {
            let atoms: Vec<Atom> = draft.all()?;
            Ok(atoms)
        })?;
        for atom in atoms {
            view.call().check_stopped()?;
            let mut paths = atom.paths.clone();
            for pattern in &mut paths {
                let Some(went) = relocate_pattern(view, trail, &atom, pattern)? else { continue };
                let mut told = StaleReference::new(
                    format!("atom:{}", atom.id.short()),
                    pattern.clone(),
                    &went.0,
                );
                if let Some(new) = went.1 {
                    told.new = Some(new.clone());
                    *pattern = new;
                }
                stale.push(told);
            }
            if paths != atom.paths {
                moved.push((atom, paths));
            }
        }
    }
    if moved.is_empty() {
        return Ok(Plan {
            summary: String::new(),
            change: PlannedChange::Nothing,
            answer: stale,
            retry_on_conflict: true,
        });
    }
    let count = moved.len();
    plan(
        view,
        |_| format!("repair the paths of {}", counted(count, "atom")),
        |draft| {
            for (atom, paths) in &moved {
                let patterns = paths.iter().filter_map(|path| path.parse::<PathGlob>().ok());
                let fields = KnowledgeFields {
                    paths: Some(ListArg(patterns.collect())),
                    ..KnowledgeFields::default()
                };
                let id: WorkRecordRef =
                    format!("atom:{}", atom.id).parse().map_err(base::Problem::internal)?;
                let grain = Some(KnowledgeKind::Atom);
                let target = KnowledgeTarget { grain, id: &id, version: atom.version };
                update(draft, target, &fields, KnowledgeWriteMode::Overwrite, None)?;
            }
            Ok(stale)
        },
    )
}

/// The new pattern for one that no longer matches, if its files were moved.
fn relocate_pattern(
    view: &View,
    trail: &MoveTracker<'_>,
    atom: &Atom,
    pattern: &str,
) -> Result<Option<(Relocation, Option<String>)>> {
    let one = [pattern.to_owned()];
    if !matched_files(view, &one)?.is_empty() {
        return Ok(None);
    }
    if !pattern.contains(['*', '?', '{', '[']) {
        let Ok(path) = pattern.parse::<RepoPath>() else { return Ok(None) };
        let went = trail.locate_file(&path)?;
        let new = matches!(went, Relocation::Certain { .. }).then(|| went.reference());
        return Ok(Some((went, new)));
    }
    let patterns = GlobList::of(&one);
    let then = read_store(view, |draft| footprint(draft, &atom.id))?;
    let files = then.map(|then| then.files).unwrap_or_default();
    let covered = files.iter().filter(|file| patterns.matches(&file.path));
    let (folders, mut moved) = (literal_folders(&one), None);
    let unknown = |because: &str| {
        let because = because.to_owned();
        Ok(Some((Relocation::Uncertain { candidates: Vec::new(), because }, None)))
    };
    let [folder] = folders.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return unknown("the pattern starts in several folders");
    };
    for file in covered {
        let Ok(path) = file.path.parse::<RepoPath>() else { continue };
        let went = trail.locate_file(&path)?;
        let Relocation::Certain { path: new, because, .. } = &went else { continue };
        let rest = file.path.strip_prefix(folder).unwrap_or_default();
        let name = new.to_string();
        let Some(to) = name.strip_suffix(rest).filter(|_| !rest.is_empty()) else {
            return unknown(&format!("{} was renamed to {name}", file.path));
        };
        match &moved {
            None => moved = Some((to.to_owned(), because.clone())),
            Some((known, _)) if known == to => {}
            Some(_) => return unknown("its files were moved to several places"),
        }
    }
    let Some((to, because)) = moved else {
        return unknown("no move of a covered file was found");
    };
    let new = format!("{to}{}", &pattern[folder.len()..]);
    let new = new.trim_start_matches('/').to_owned();
    let path = new.trim_end_matches(['*', '/']).parse().unwrap_or(RepoPath::ROOT);
    Ok(Some((Relocation::Certain { path, symbol: None, because }, Some(new))))
}
