//! The lines of `.gitattributes` that send cairn's files to its merge driver.

use crate::markdown_block::find_marked_range;
use crate::{FileChange, MalformedFile, append};

const PATH: &str = ".gitattributes";
const BEGIN: &str = "# cairn:begin";
const END: &str = "# cairn:end";

/// The files that are merged by field.
const LINES: &str = "\
.cairn/cards/**/*.card.md merge=cairn
.cairn/cards/*.card.md merge=cairn
.cairn/shared/** merge=cairn
.cairn/links/** merge=cairn";

/// The name of the driver in git's configuration.
pub const MERGE_DRIVER: &str = "cairn";

/// The command that git runs for a file that both sides changed.
pub const MERGE_COMMAND: &str = "cairn merge-file %O %A %B %P";

/// The change that `init` makes; `None` if the lines are already there.
pub fn plan_merge_driver(before: Option<Vec<u8>>) -> Result<Option<FileChange>, MalformedFile> {
    let block = format!("{BEGIN}\n{LINES}\n{END}");
    let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default()).into_owned();
    if find_marked_range(text.as_bytes(), BEGIN, END)?.is_some() {
        return Ok(None);
    }
    let after = if text.is_empty() { append::new_file(&block) } else { append::add(&text, &block) };
    Ok(Some(FileChange { path: PATH, before, after: Some(after.into_bytes()) }))
}

/// What `uninstall` takes out again; `None` if nothing is there.
pub fn plan_merge_driver_removal(
    before: Option<Vec<u8>>,
) -> Result<Option<FileChange>, MalformedFile> {
    let Some(bytes) = before else { return Ok(None) };
    let Some(range) = find_marked_range(&bytes, BEGIN, END)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let after = append::remove_block(&text, range).map(String::into_bytes);
    Ok(Some(FileChange { path: PATH, before: Some(bytes), after }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_come_and_go_again() {
        for text in [None, Some("*.png binary\n"), Some("*.png binary")] {
            let before = text.map(|text| text.as_bytes().to_vec());
            let added = plan_merge_driver(before.clone()).unwrap().unwrap();
            assert_eq!(plan_merge_driver(added.after.clone()).unwrap(), None);
            let removed = plan_merge_driver_removal(added.after).unwrap().unwrap();
            assert_eq!(removed.after, before);
        }
    }
}
