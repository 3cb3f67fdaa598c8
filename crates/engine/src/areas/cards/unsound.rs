//! Reports cards that an answer could not use: files that cannot be read, and keys that two files
//! have.

use base::Result;

use crate::index::tables::skipped_paths;
use crate::view::View;

/// Marks that this view has already reported them.
struct UnsoundCardsReported;

/// Marks the answer as partial if some card files cannot be read.
pub fn report_unsound_cards(view: &View) -> Result<()> {
    view.cached_for_view(|| report(view).map(|()| UnsoundCardsReported)).map(drop)
}

fn report(view: &View) -> Result<()> {
    let conn = view.index()?.conn();
    let troubles = cards::all_diagnostics(conn)?.into_iter();
    let troubles = troubles.filter(|trouble| trouble.code != "CARD_FIELD_INVALID");
    let mut bad: Vec<String> =
        troubles.map(|trouble| format!("{}:{}", trouble.path, trouble.line)).collect();
    let links = skipped_paths(conn)?.into_iter().filter(|(path, _)| cards::is_card_path(path));
    bad.extend(links.map(|(path, _)| path.to_string()));
    bad.dedup();
    match bad.as_slice() {
        [] => {}
        [one] => view.mark_partial(format!("{one} is not a valid card; `verify` shows the reason")),
        [one, ..] => view.mark_partial(format!(
            "{} card files, such as {one}, are not valid; `verify` shows the reasons",
            bad.len()
        )),
    }
    for (key, paths) in cards::duplicate_keys(conn)? {
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        view.mark_partial(format!("`{key}` is the key of {}", paths.join(" and ")));
    }
    Ok(())
}
