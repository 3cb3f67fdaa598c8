//! Paths of atoms that match nothing any more, because their files moved.

use base::words::counted;
use base::{RepoPath, Result};
use work::Ref;
use work::graph::drift::footprint;
use work::graph::edit::{Fields, update};
use work::graph::globs::{Pattern, Patterns, anchors};
use work::record::Atom;
use work::text::Many;
use work::words::{Grain, Mode};

use super::trail::{Trail, Went};
use super::{Mended, Stale};
use crate::layers::work::{is_empty, look, plan, seen};
use crate::plan::{Change, Plan};
use crate::view::View;

pub(super) fn mend(view: &View, trail: &Trail<'_>) -> Result<Mended> {
    let mut stale = Vec::new();
    let mut moved: Vec<(Atom, Vec<String>)> = Vec::new();
    if !is_empty(view)? {
        let atoms = look(view, |draft| {
            let atoms: Vec<Atom> = draft.all()?;
            Ok(atoms)
        })?;
        for atom in atoms {
            view.call().go_on()?;
            let mut paths = atom.paths.clone();
            for pattern in &mut paths {
                let Some(went) = went(view, trail, &atom, pattern)? else { continue };
                let mut told =
                    Stale::new(format!("atom:{}", atom.id.short()), pattern.clone(), &went.0);
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
            change: Change::Nothing,
            answer: stale,
            again: true,
        });
    }
    let count = moved.len();
    plan(
        view,
        |_| format!("repair the paths of {}", counted(count, "atom")),
        |draft| {
            for (atom, paths) in &moved {
                let patterns = paths.iter().filter_map(|path| path.parse::<Pattern>().ok());
                let fields = Fields { paths: Some(Many(patterns.collect())), ..Fields::default() };
                let id: Ref =
                    format!("atom:{}", atom.id).parse().map_err(base::Problem::internal)?;
                let target = (Some(Grain::Atom), &id, atom.version);
                update(draft, target, (&fields, Mode::Overwrite), None)?;
            }
            Ok(stale)
        },
    )
}

/// Where the files of a pattern that matches nothing went, and the pattern that says so.
fn went(
    view: &View,
    trail: &Trail<'_>,
    atom: &Atom,
    pattern: &str,
) -> Result<Option<(Went, Option<String>)>> {
    let one = [pattern.to_owned()];
    if !seen(view, &one)?.is_empty() {
        return Ok(None);
    }
    if !pattern.contains(['*', '?', '{', '[']) {
        let Ok(path) = pattern.parse::<RepoPath>() else { return Ok(None) };
        let went = trail.file(&path)?;
        let new = matches!(went, Went::To { .. }).then(|| went.written());
        return Ok(Some((went, new)));
    }
    let patterns = Patterns::of(&one);
    let then = look(view, |draft| footprint(draft, &atom.id))?;
    let files = then.map(|then| then.files).unwrap_or_default();
    let covered = files.iter().filter(|file| patterns.cover(&file.path));
    let (anchors, mut moved) = (anchors(&one), None);
    let unknown = |because: &str| {
        let because = because.to_owned();
        Ok(Some((Went::Unknown { candidates: Vec::new(), because }, None)))
    };
    let [anchor] = anchors.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return unknown("it starts in several folders");
    };
    for file in covered {
        let Ok(path) = file.path.parse::<RepoPath>() else { continue };
        let went = trail.file(&path)?;
        let Went::To { path: new, because, .. } = &went else { continue };
        let rest = file.path.strip_prefix(anchor).unwrap_or_default();
        let name = new.to_string();
        let Some(to) = name.strip_suffix(rest).filter(|_| !rest.is_empty()) else {
            return unknown("its files went to several places");
        };
        match &moved {
            None => moved = Some((to.to_owned(), because.clone())),
            Some((known, _)) if known == to => {}
            Some(_) => return unknown("its files went to several places"),
        }
    }
    let Some((to, because)) = moved else {
        return unknown("no file that it covered is known to have moved");
    };
    let new = format!("{to}{}", &pattern[anchor.len()..]);
    let new = new.trim_start_matches('/').to_owned();
    let path = new.trim_end_matches(['*', '/']).parse().unwrap_or(RepoPath::ROOT);
    Ok(Some((Went::To { path, symbol: None, because }, Some(new))))
}
