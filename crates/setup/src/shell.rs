//! Which hook files are shell scripts, so that our lines can run in them.

use base::text::BYTE_ORDER_MARK;

use crate::MalformedFile;

/// Shells that understand the few POSIX lines we add.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox"];

/// Refuses what is not a shell script. A file without a shebang is one: git hands it to `sh`.
pub(crate) fn check_shell_script(script: &[u8]) -> Result<(), MalformedFile> {
    let refuse = |message: String| Err(MalformedFile::at(script, 0, message));
    if let Some(nul) = script.iter().position(|byte| *byte == 0) {
        return Err(MalformedFile::at(script, nul, "the hook is a program, not a script"));
    }
    if script.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        return refuse("the hook starts with a byte order mark, so it does not run".into());
    }
    let first = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(line) = first.strip_prefix(b"#!") else { return Ok(()) };
    let line = String::from_utf8_lossy(line);
    match interpreter(&line) {
        Some(name) if SHELLS.contains(&name) => Ok(()),
        _ => refuse(format!("the hook runs `{}`, not a shell", line.trim().escape_debug())),
    }
}

/// The program's name in a shebang line, past `env` and its options.
fn interpreter(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().map(|word| word.rsplit(['/', '\\']).next());
    let first = words.next()??;
    let name = if first == "env" {
        words.flatten().find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        first
    };
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

/// Where the script's own lines begin: after the shebang and the comments that follow it.
pub(crate) fn head_end(script: &[u8]) -> usize {
    let lines = script.split_inclusive(|byte| *byte == b'\n');
    lines.take_while(|line| line.starts_with(b"#")).map(<[u8]>::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_told_from_other_programs() {
        for shell in [
            "",
            "echo hi\n",
            "#!/bin/sh",
            "#!/bin/sh -e\n",
            "#! /usr/bin/env bash\n",
            "#!/usr/bin/env -S LANG=C bash -eu\n",
            "#!C:/Program/Git/bin/sh.exe\r\n",
            "#!/bin/busybox sh\n",
        ] {
            assert_eq!(check_shell_script(shell.as_bytes()), Ok(()), "{shell}");
        }
        for other in ["#!/usr/bin/env python3\n", "#!/usr/bin/fish", "#!", "\u{feff}#!/bin/sh"] {
            assert!(check_shell_script(other.as_bytes()).is_err(), "{other}");
        }
        assert!(check_shell_script(b"\x7fELF\x02\x00").is_err());
    }
}
