//! The commands that agent programs run at the start of a session, and before and after an edit.
//!
//! The command never fails and never blocks: a program without cairn, or with an older one, goes
//! on as if there were no hook. Exit code 2 would stop an edit in several of these programs.

use std::fmt;
use std::str::FromStr;

use base::similarity::suggestion;

use crate::json::{JsonEntry, JsonEntryValue};

/// A moment at which an agent's program calls cairn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentHook {
    /// A session begins
    SessionStart,
    /// A file is about to be edited
    BeforeEdit,
    /// A file was edited
    AfterEdit,
}

impl AgentHook {
    /// Every hook.
    pub const ALL: [Self; 3] = [Self::SessionStart, Self::BeforeEdit, Self::AfterEdit];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::BeforeEdit => "before-edit",
            Self::AfterEdit => "after-edit",
        }
    }

    /// The name of the event in the settings of Claude Code and of Codex.
    pub const fn event_name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::BeforeEdit => "PreToolUse",
            Self::AfterEdit => "PostToolUse",
        }
    }
}

impl fmt::Display for AgentHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AgentHook {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|hook| hook.name() == text).ok_or_else(|| {
            let hint = suggestion(text, &Self::ALL.map(Self::name), "hooks");
            format!("cairn has no hook `{}`; {hint}", text.escape_debug())
        })
    }
}

/// The text of one entry: a matcher, and the command with its limit in seconds.
macro_rules! hook_entry {
    ($event:literal, $matcher:literal, $name:literal, $seconds:literal) => {
        JsonEntry {
            container: "hooks",
            name: $event,
            value: JsonEntryValue::Text(concat!(
                "[{ \"matcher\": \"",
                $matcher,
                "\", \"hooks\": [{ \"type\": \"command\", \"command\": \"command -v cairn >/dev/null 2>&1 || \
                 exit 0; cairn hook ",
                $name,
                " --event - 2>/dev/null || exit 0\", \"timeout\": ",
                $seconds,
                " }] }]"
            )),
        }
    };
}

/// The entries in `.claude/settings.json` and `.codex/hooks.json`.
pub(crate) static HOOK_ENTRIES: [JsonEntry; 3] = [
    hook_entry!("SessionStart", "startup|clear|compact", "session-start", "20"),
    hook_entry!("PreToolUse", "Edit|MultiEdit|Write|apply_patch", "before-edit", "10"),
    hook_entry!("PostToolUse", "Edit|MultiEdit|Write|apply_patch", "after-edit", "10"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hook_has_its_entry() {
        for (hook, entry) in AgentHook::ALL.into_iter().zip(&HOOK_ENTRIES) {
            assert_eq!(hook.name().parse(), Ok(hook));
            assert_eq!(hook.event_name(), entry.name);
            let JsonEntryValue::Text(text) = entry.value else { panic!("{entry:?}") };
            assert!(text.contains(&format!("cairn hook {hook} --event -")), "{text}");
        }
        assert!("after-edits".parse::<AgentHook>().unwrap_err().contains("`after-edit`"));
    }
}
