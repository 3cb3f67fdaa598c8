//! cairn's lines in git hooks.
//!
//! They come before the script's own lines, because a script may end in `exit`; they leave its
//! standard input, its variables and its exit status alone. All but `pre-commit` run in the
//! background and never fail. A hook file that cairn created says so in a line after the shebang,
//! so that it is not confused with an empty hook of the user's.

use std::fmt;
use std::str::FromStr;

use base::similarity::suggestion;

use crate::markdown_block::find_marked_range;
use crate::{MalformedFile, shell};

const BEGIN: &str = "# cairn:begin";
const END: &str = "# cairn:end";
const SHEBANG: &str = "#!/bin/sh\n";
const CREATED_BY_CAIRN: &str =
    "# Made by `cairn init`. Your own lines go below the block; they stay when it goes.\n";

/// Git's third argument is 1 when a branch was checked out, 0 for single files.
const IF_BRANCH_CHECKOUT: &str = "[ \"${3-}\" = 1 ] && ";

const PRE_COMMIT_SCRIPT: &str = "\
# Stops the commit when cairn has findings (exit 1), never for any other reason.
if command -v cairn >/dev/null 2>&1; then
  cairn hook pre-commit \"$@\" </dev/null || [ $? -ne 1 ] || exit 1
fi";

/// A hook that cairn listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GitHook {
    /// Another branch was checked out
    PostCheckout,
    /// A merge or a pull
    PostMerge,
    /// A rebase or an amended commit
    PostRewrite,
    /// A commit
    PostCommit,
    /// Before a commit: the only one that can stop git, and only on findings
    PreCommit,
}

impl GitHook {
    /// Every hook.
    pub const ALL: [Self; 5] =
        [Self::PostCheckout, Self::PostMerge, Self::PostRewrite, Self::PostCommit, Self::PreCommit];

    /// The name of the hook and of its file in the hooks folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PostCheckout => "post-checkout",
            Self::PostMerge => "post-merge",
            Self::PostRewrite => "post-rewrite",
            Self::PostCommit => "post-commit",
            Self::PreCommit => "pre-commit",
        }
    }

    /// The lines that go into the hook, markers included: also what to add by hand.
    pub fn block(self) -> String {
        let name = self.name();
        let background = |when: &str| {
            format!(
                "# Keeps cairn in step, in the background; cannot delay or fail git.\n\
                 ( {when}command -v cairn && cairn hook {name} \"$@\" & ) \
                 </dev/null >/dev/null 2>&1 || :"
            )
        };
        let lines = match self {
            Self::PreCommit => PRE_COMMIT_SCRIPT.into(),
            Self::PostCheckout => background(IF_BRANCH_CHECKOUT),
            _ => background(""),
        };
        format!("{BEGIN}\n{lines}\n{END}")
    }

    /// The hook's script with cairn's lines in it. The caller makes a new file executable.
    pub fn install(self, existing: Option<&[u8]>) -> Result<Vec<u8>, MalformedFile> {
        let block = self.block();
        let Some(script) = existing else {
            return Ok(format!("{SHEBANG}{CREATED_BY_CAIRN}{block}\n").into_bytes());
        };
        shell::check_shell_script(script).map_err(|error| error.hint(self.manual_hint()))?;
        if let Some(range) = find_marked_range(script, BEGIN, END)? {
            return Ok([&script[..range.start], block.as_bytes(), &script[range.end..]].concat());
        }
        let (head, own) = script.split_at(shell::head_end(script));
        // If the head ends without a newline, so does the block.
        let open = !head.is_empty() && !head.ends_with(b"\n");
        let block = if open { format!("\n{block}") } else { format!("{block}\n") };
        Ok([head, block.as_bytes(), own].concat())
    }

    /// The script without cairn's lines; `None` when the file was cairn's own.
    pub fn remove(self, existing: &[u8]) -> Result<Option<Vec<u8>>, MalformedFile> {
        let Some(range) = find_marked_range(existing, BEGIN, END)? else {
            return Ok(Some(existing.to_vec()));
        };
        let (before, after) = (&existing[..range.start], &existing[range.end..]);
        let left = match after.strip_prefix(b"\n") {
            Some(after) => [before, after].concat(),
            None => [before.strip_suffix(b"\n").unwrap_or(before), after].concat(),
        };
        let own = format!("{SHEBANG}{CREATED_BY_CAIRN}");
        Ok(match left.strip_prefix(own.as_bytes()) {
            Some(b"") => None,
            Some(rest) => Some([SHEBANG.as_bytes(), rest].concat()),
            None => Some(left),
        })
    }

    fn manual_hint(self) -> String {
        let name = self.name();
        match self {
            Self::PreCommit => format!(
                "let the hook run `cairn hook {name}` and stop the commit when that exits with 1"
            ),
            _ => format!(
                "let the hook run `cairn hook {name}` with its own arguments, in the background, \
                 and ignore how that exits"
            ),
        }
    }
}

impl fmt::Display for GitHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GitHook {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|hook| hook.name() == text).ok_or_else(|| {
            let hint = suggestion(text, &Self::ALL.map(Self::name), "hooks");
            format!("cairn has no hook `{}`; {hint}", text.escape_debug())
        })
    }
}
