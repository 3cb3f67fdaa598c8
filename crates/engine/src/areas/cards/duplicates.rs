//! Keys that more than one card file has.

use base::entity::CardKey;
use base::{NextCall, Problem, ProblemCode, RepoPath, Result};
use serde_json::json;

use crate::view::View;

/// Fails if more than one file has the key, and lists these files.
pub fn refuse_duplicate_key(view: &View, key: &CardKey) -> Result<()> {
    let same = files_with_key(view, key)?;
    let [first, _, ..] = same.as_slice() else { return Ok(()) };
    let message = format!("`{key}` is the key of {} files", same.len());
    let rows: Vec<_> = same.iter().map(|path| json!({"path": path.to_string()})).collect();
    Err(Problem::new(ProblemCode::Ambiguous, message)
        .detail("candidates", rows)
        .hint(format!("name one of the files, for example  {first}"))
        .hint_call(
            "to give one of them another key",
            NextCall::new("card.rename").with("old_key", first.to_string()).with("new_key", "…"),
        ))
}

/// The files that claim a key.
pub fn files_with_key(view: &View, key: &CardKey) -> Result<Vec<RepoPath>> {
    let keyed = cards::cards_with_folded_key(view.index()?.conn(), key.as_str())?.into_iter();
    Ok(keyed.filter(|card| card.key == *key).map(|card| card.path).collect())
}
