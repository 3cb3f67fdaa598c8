//! Cards that an answer had to do without: files that cannot be read, and keys that two claim.

use base::Result;

use crate::index::tables::aside;
use crate::view::View;

/// Marks that this view has said it.
struct Said;

/// Says that some card files are not sound, so that an answer that could show cards is not whole.
pub(crate) fn doubt_unsound(view: &View) -> Result<()> {
    view.once(|| say(view).map(|()| Said)).map(drop)
}

fn say(view: &View) -> Result<()> {
    let conn = view.index()?.conn();
    let troubles = cards::troubles(conn)?.into_iter();
    let troubles = troubles.filter(|trouble| trouble.code != "CARD_FIELD_INVALID");
    let mut bad: Vec<String> =
        troubles.map(|trouble| format!("{}:{}", trouble.path, trouble.line)).collect();
    let links = aside(conn)?.into_iter().filter(|(path, _)| cards::is_card(path));
    bad.extend(links.map(|(path, _)| path.to_string()));
    bad.dedup();
    match bad.as_slice() {
        [] => {}
        [one] => view.doubt(format!("{one} is not a sound card; verify says why")),
        [one, ..] => view.doubt(format!(
            "{} card files such as {one} are not sound; verify says why",
            bad.len()
        )),
    }
    for (key, paths) in cards::duplicates(conn)? {
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        view.doubt(format!("`{key}` is the key of {}", paths.join(" and ")));
    }
    Ok(())
}
