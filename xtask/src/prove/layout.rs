//! Versions of files that differ only in layout and comments: every symbol in them must keep its substance.
//!
//! Whether two versions differ in more is decided here with no code that is under proof: by
//! Python's own parser, and for other languages by comparing characters. That comparison knows no
//! language, and rather misses versions that differ only in layout than reports others.

#![expect(clippy::disallowed_methods, reason = "a developer's tool reads repositories with git")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use base::RepoPath;
use syntax::{FileRole, Language, code_substance, extract};

use super::suspects::{git_text, is_product_code};
use crate::run::XtaskResult;

/// The result: how versions that differ only in layout and comments affected the substance of
/// symbols.
#[derive(Debug, Default)]
pub(super) struct LayoutProof {
    /// Commits all of whose changes to code are of layout and comments
    pub commits: BTreeSet<String>,
    /// Pairs of versions of a file
    pub versions: usize,
    /// Symbols that are in both versions
    pub symbols: usize,
    /// Those with another substance, as commit, file and symbol
    pub different: Vec<String>,
}

/// Compares the versions of every file of code that some commits, each after the one before, changed.
pub(super) fn compare(clone: &Path, commits: &[String]) -> XtaskResult<LayoutProof> {
    let mut proof = LayoutProof::default();
    for pair in commits.windows(2) {
        let (before, commit) = (&pair[0], &pair[1]);
        let args = ["diff", "--raw", "--no-abbrev", "--no-renames", before, commit];
        let raw = git_text(clone, &args)?;
        let changes: Vec<CodeChange> = raw.lines().filter_map(CodeChange::parse).collect();
        if changes.is_empty() {
            continue;
        }
        let wanted: Vec<&str> =
            changes.iter().flat_map(|change| [change.before.as_str(), &change.after]).collect();
        let blobs = read_blobs(clone, &wanted)?;
        let mut all_layout = true;
        for change in &changes {
            let (Some(old), Some(new)) = (blobs.get(&change.before), blobs.get(&change.after))
            else {
                all_layout = false;
                continue;
            };
            match is_same_but_for_layout(&change.path, old, new)? {
                true => proof.compare_symbols(commit, &change.path, old, new),
                false => all_layout = false,
            }
        }
        if all_layout {
            proof.commits.insert(commit.clone());
        }
    }
    Ok(proof)
}

impl LayoutProof {
    fn compare_symbols(&mut self, commit: &str, path: &str, old: &[u8], new: &[u8]) {
        let Some(language) =
            path.parse::<RepoPath>().ok().and_then(|path| Language::from_path(&path))
        else {
            return;
        };
        self.versions += 1;
        let names = |bytes: &[u8]| -> BTreeSet<String> {
            extract(Some(language), bytes).symbols.into_iter().map(|symbol| symbol.path).collect()
        };
        for symbol in names(old).intersection(&names(new)) {
            let role = FileRole::Production;
            let substance = |bytes| code_substance(language, role, bytes, Some(symbol));
            self.symbols += 1;
            if substance(old) != substance(new) {
                self.different.push(format!("{} {path}#{symbol}", &commit[..10]));
            }
        }
    }
}

/// A file of code that a commit changed. A file that was added or removed has an object of zeros on one side.
struct CodeChange {
    path: String,
    before: String,
    after: String,
}

impl CodeChange {
    /// Reads `:100644 100644 OLD NEW M<tab>path`.
    fn parse(line: &str) -> Option<Self> {
        let (fields, path) = line.strip_prefix(':')?.split_once('\t')?;
        let mut fields = fields.split(' ').skip(2);
        let (before, after) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        is_product_code(path).then(|| Self { path: path.to_owned(), before, after })
    }
}

/// The contents of objects, by name; those that do not exist are left out.
fn read_blobs(clone: &Path, wanted: &[&str]) -> XtaskResult<BTreeMap<String, Vec<u8>>> {
    let text = |error: std::io::Error| error.to_string();
    let mut list = tempfile::tempfile().map_err(text)?;
    std::io::Write::write_all(&mut list, wanted.join("\n").as_bytes()).map_err(text)?;
    std::io::Seek::rewind(&mut list).map_err(text)?;
    let mut git = Command::new("git");
    git.current_dir(clone).args(["cat-file", "--batch"]).stdin(list).stdout(Stdio::piped());
    let mut git = git.spawn().map_err(text)?;
    let stdout = git.stdout.take().ok_or("git has no output")?;
    let mut reader = BufReader::new(stdout);
    let mut blobs = BTreeMap::new();
    let mut header = String::new();
    while reader.read_line(&mut header).map_err(text)? > 0 {
        let mut fields = header.split_whitespace();
        let name = fields.next().unwrap_or_default().to_owned();
        if let Some(size) = fields.nth(1).and_then(|size| size.parse::<usize>().ok()) {
            let mut bytes = vec![0; size + 1];
            reader.read_exact(&mut bytes).map_err(text)?;
            bytes.pop();
            blobs.insert(name, bytes);
        }
        header.clear();
    }
    git.wait().map_err(text)?;
    Ok(blobs)
}

/// Whether two versions of a file differ only in layout and comments.
fn is_same_but_for_layout(path: &str, old: &[u8], new: &[u8]) -> XtaskResult<bool> {
    if Path::new(path).extension().is_some_and(|extension| extension == "py") {
        return has_same_python_tree(old, new);
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    Ok(without_layout(&old) == without_layout(&new))
}

/// Compares two files by the trees that Python's own parser makes of them.
const COMPARE_TREES: &str = "import ast, sys
trees = [ast.dump(ast.parse(open(name, 'rb').read())) for name in sys.argv[1:]]
sys.exit(trees[0] != trees[1])";

/// Whether Python's own parser makes the same of two texts. A text that it cannot parse is no other's equal.
fn has_same_python_tree(old: &[u8], new: &[u8]) -> XtaskResult<bool> {
    let text = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(text)?;
    let mut python = Command::new("python3");
    python.args(["-c", COMPARE_TREES]).stderr(Stdio::null());
    for (name, bytes) in [("old", old), ("new", new)] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).map_err(text)?;
        python.arg(file);
    }
    Ok(python.status().map_err(text)?.success())
}

/// A text without white space, comments, quotes, commas, semicolons and parentheses.
fn without_layout(text: &str) -> String {
    let mut out = String::new();
    let mut in_block = false;
    for line in text.lines() {
        let mut rest = line.trim();
        loop {
            if in_block {
                let Some(end) = rest.find("*/") else { break };
                rest = &rest[end + 2..];
                in_block = false;
            }
            let starts = ["//", "# ", "/*"].map(|mark| comment_start(rest, mark));
            let first = starts.iter().flatten().min().copied();
            let code = &rest[..first.unwrap_or(rest.len())];
            out.extend(code.chars().filter(|c| !c.is_whitespace() && !"'\"`,;()".contains(*c)));
            if first.is_none() || first != starts[2] {
                break;
            }
            rest = &rest[first.unwrap_or_default() + 2..];
            in_block = true;
        }
    }
    out
}

/// Where a comment starts: at a marker at the start of the text or after white space. The `//` in
/// an address is not a comment.
fn comment_start(text: &str, mark: &str) -> Option<usize> {
    let is_free = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    text.match_indices(mark).map(|(at, _)| at).find(is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_are_told_from_code() {
        let compare = |path: &str, old: &str, new: &str| {
            is_same_but_for_layout(path, old.as_bytes(), new.as_bytes()).unwrap()
        };
        let same = |old: &str, new: &str| compare("a.js", old, new);
        assert!(same("f(a, b) // why\n", "f(\n  a,\n  b,\n);\n"));
        assert!(same("x = 'a'\n# one\n", "x = \"a\"\n"));
        assert!(same("a /* b\n c */ d", "a d"));
        assert!(!same("f('https://a')", "f('https://b')"));
        assert!(!same("f(a)", "f(b)"));
        assert!(!same("a + b", "a - b"));
        assert!(compare("a.py", "f('a b', c)\n", "f(\n    'a '\n    'b', c,\n)  # why\n"));
        assert!(!compare("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"));
    }
}
