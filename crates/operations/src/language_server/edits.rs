//! Converts edits that a server proposes into new texts of files. Writes nothing.

use std::collections::BTreeMap;

use base::{Hash, Problem, ProblemCode, RepoPath, Result};
use serde_json::Value;
use syntax::Language;
use toolchain::lsp::{LspPosition, PositionEncoding, offset_at, path_from_uri};

use super::locations::ParsedFileCache;
use engine::view::View;

/// A file with its text before and after.
#[derive(Debug)]
pub(crate) struct FileRewrite {
    pub path: RepoPath,
    /// The hash of the text before
    pub hash: Hash,
    pub before: String,
    pub after: String,
}

/// The files that a workspace edit changes. Refused if it leaves the repository, does more than
/// change texts, or leaves a file that does not parse.
pub(crate) fn rewrites(
    view: &View,
    edit: &Value,
    encoding: PositionEncoding,
) -> Result<Vec<FileRewrite>> {
    let mut found = Vec::new();
    let texts = ParsedFileCache::new(view);
    for (uri, edits) in by_file(edit)? {
        let file = path_from_uri(&uri);
        let path = file.as_ref().and_then(|file| texts.path_in_repository(file));
        let Some(path) = path else {
            let name = file.and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
            let name = name.unwrap_or_default();
            return Err(refuse_edit(format!(
                "it would change {name}, which is outside this repository"
            )));
        };
        check_writable(view, &path)?;
        let blob = view.tree().read(&path)?;
        let blob = blob.ok_or_else(|| Problem::not_found(format!("`{path}` no longer exists")))?;
        let before = String::from_utf8(blob.bytes)
            .map_err(|_| refuse_edit(format!("`{path}` is not UTF-8")))?;
        let after = apply_edits(&before, &edits, encoding)
            .ok_or_else(|| refuse_edit(format!("the edits of `{path}` do not match its text")))?;
        found.push(FileRewrite { path, hash: blob.hash, before, after });
    }
    found.retain(|rewrite| rewrite.before != rewrite.after);
    found.iter().try_for_each(refuse_new_syntax_errors)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn refuse_edit(why: String) -> Problem {
    Problem::new(ProblemCode::InvalidOperation, why).hint("nothing was written")
}

/// The text edits of each file, from both forms of the protocol.
fn by_file(edit: &Value) -> Result<BTreeMap<String, Vec<Value>>> {
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for change in edit["documentChanges"].as_array().map_or(&[][..], Vec::as_slice) {
        if let Some(kind) = change["kind"].as_str() {
            return Err(refuse_edit(format!(
                "it would also {kind} a file, which is not supported"
            ))
            .hint("move the file yourself, then rename what is in it"));
        }
        let Some(uri) = change["textDocument"]["uri"].as_str() else { continue };
        let edits = change["edits"].as_array().cloned().unwrap_or_default();
        files.entry(uri.to_owned()).or_default().extend(edits);
    }
    if files.is_empty() {
        let changes = edit["changes"].as_object().into_iter().flatten();
        for (uri, edits) in changes {
            let edits = edits.as_array().cloned().unwrap_or_default();
            files.entry(uri.clone()).or_default().extend(edits);
        }
    }
    Ok(files)
}

/// The text with all edits applied; none if one is out of range or two overlap.
fn apply_edits(text: &str, edits: &[Value], encoding: PositionEncoding) -> Option<String> {
    let mut splices = Vec::new();
    for edit in edits {
        let bound =
            |side: &str| offset_at(text, LspPosition::from_json(&edit["range"][side])?, encoding);
        splices.push((bound("start")?, bound("end")?, edit["newText"].as_str()?));
    }
    splices.sort_by_key(|(start, end, _)| (*start, *end));
    splices.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end, new) in splices {
        out.push_str(text.get(at..start)?);
        out.push_str(new);
        at = end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Refuses a result with more syntax errors than before.
pub(crate) fn refuse_new_syntax_errors(rewrite: &FileRewrite) -> Result<()> {
    let language = Language::from_path(&rewrite.path);
    let errors = |text: &str| syntax::extract(language, text.as_bytes()).errors;
    let (before, after) = (errors(&rewrite.before).len(), errors(&rewrite.after));
    match after.first().filter(|_| after.len() > before) {
        None => Ok(()),
        Some(error) => {
            let message = format!("`{}` would no longer parse: {}", rewrite.path, error.message);
            Err(Problem::new(ProblemCode::SyntaxError, message)
                .detail("syntax_error", true)
                .detail("line", error.line)
                .detail("column", error.column)
                .hint("nothing was written; choose another name"))
        }
    }
}

/// Refuses a file that its owner made read-only: a rename into its place would not ask.
pub(crate) fn check_writable(view: &View, path: &RepoPath) -> Result<()> {
    let known = view.tree().dir().symlink_metadata(path.to_relative());
    if known.is_ok_and(|known| known.permissions().readonly()) {
        return Err(Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is read-only"))
            .hint("make it writable first"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An edit of a part of one line, by its columns.
    fn edit(line: u32, columns: std::ops::Range<u32>, text: &str) -> Value {
        let at = |character: u32| json!({"line": line, "character": character});
        json!({"range": {"start": at(columns.start), "end": at(columns.end)}, "newText": text})
    }

    #[test]
    fn edits_are_made_at_once_and_must_fit() {
        let text = "let é = a;\nb(a)\n";
        let both = [edit(1, 2..3, "xyz"), edit(0, 8..9, "xyz")];
        let done = apply_edits(text, &both, PositionEncoding::Utf16);
        assert_eq!(done.as_deref(), Some("let é = xyz;\nb(xyz)\n"));
        let twice = [edit(1, 0..3, "x"), edit(1, 2..4, "y")];
        assert_eq!(apply_edits(text, &twice, PositionEncoding::Utf16), None);
        assert_eq!(apply_edits(text, &[edit(9, 0..1, "x")], PositionEncoding::Utf16), None);
    }

    #[test]
    fn both_forms_are_read_and_moves_refused() {
        let one = json!({"changes": {"file:///a": [1]}});
        let other =
            json!({"documentChanges": [{"textDocument": {"uri": "file:///a"}, "edits": [1]}]});
        assert_eq!(by_file(&one).unwrap(), by_file(&other).unwrap());
        let moved = json!({"documentChanges": [{"kind": "rename", "oldUri": "a", "newUri": "b"}]});
        assert_eq!(by_file(&moved).unwrap_err().code, ProblemCode::InvalidOperation);
    }
}
