//! The laws of `init` and `uninstall` over TOML, Markdown and hooks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use setup::{GitHook, SetupFile};

fn codex() -> &'static SetupFile {
    SetupFile::by_path(".codex/config.toml").unwrap()
}

fn agents() -> &'static SetupFile {
    SetupFile::by_path("AGENTS.md").unwrap()
}

/// Joins lines with one line end, with or without one at the end.
fn lines(all: Vec<String>) -> impl Strategy<Value = String> {
    let ends = prop::sample::select(vec!["\n", "\r\n"]);
    (ends, any::<bool>(), any::<bool>()).prop_map(move |(end, last, bom)| {
        let bom = if bom { "\u{feff}" } else { "" };
        let last = if last { end } else { "" };
        format!("{bom}{}{last}", all.join(end))
    })
}

fn toml() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "  ",
        "# comment",
        "kN = 1 # note",
        "kN = \"[mcp_servers.cairn]\"",
        "[tN]",
        "[mcp_servers.sN]",
        "[mcp_servers.sN.env]",
        "[[listN]]",
        "kN = '''\n[mcp_servers.cairn]\n'''",
        "kN = { a = 1 }",
    ]);
    prop::collection::vec(line, 0..8).prop_flat_map(|all| {
        let numbered = |(index, line): (usize, &str)| line.replace('N', &index.to_string());
        lines(all.into_iter().enumerate().map(numbered).collect())
    })
}

fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        prop::sample::select(vec![
            "",
            "# Title",
            "```sh",
            "text <!-- cairn:begin --> text",
            "@AGENTS.md",
            "\t- ü"
        ])
        .prop_map(str::to_owned),
        "[^\n\r]{0,12}".prop_filter("no marker", |line| !line.contains("cairn:")),
    ];
    prop::collection::vec(line, 0..8).prop_flat_map(lines)
}

fn script() -> impl Strategy<Value = Vec<u8>> {
    let first = prop::sample::select(vec![
        "",
        "#!/bin/sh",
        "#!/usr/bin/env bash",
        "#!/bin/sh -e",
        "#!/bin/bash\r",
    ]);
    let line = prop::sample::select(vec![
        &b""[..],
        b"# comment",
        b"echo hi",
        b"exit 0",
        b"cat <<'E'\n# cairn:begins\nE",
        b"echo '\xfc'",
        b"\tx \\",
        b"exec x\r",
    ]);
    (first, prop::collection::vec(line, 0..6), any::<bool>()).prop_map(|(first, lines, end)| {
        let mut all = vec![first.as_bytes()];
        all.extend(lines);
        let mut script = all.join(&b'\n');
        if end {
            script.push(b'\n');
        }
        script
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn toml_is_given_back(text in toml()) {
        let installed = codex().install(Some(text.as_bytes())).unwrap();
        prop_assert_eq!(&codex().install(Some(&installed)).unwrap(), &installed);
        prop_assert!(!codex().is_customised(&installed));
        let doc: toml_edit::DocumentMut =
            std::str::from_utf8(&installed).unwrap().trim_start_matches('\u{feff}').parse().unwrap();
        prop_assert_eq!(doc["mcp_servers"]["cairn"]["command"].as_str(), Some("cairn"));
        let removed = codex().remove(&installed).unwrap().map(|text| String::from_utf8(text).unwrap());
        prop_assert_eq!(removed, Some(text));
    }

    #[test]
    fn toml_that_the_user_adds_stays(text in toml()) {
        let installed = String::from_utf8(codex().install(Some(text.as_bytes())).unwrap()).unwrap();
        let first = text.split('\n').next().unwrap();
        let end = if first.ends_with('\r') { "\r\n" } else { "\n" };
        let table = format!("[mine]{end}a = 1{end}");
        let gap = if installed.ends_with('\n') { "" } else { end };
        let removed = codex().remove(format!("{installed}{gap}{table}").as_bytes()).unwrap().unwrap();
        prop_assert_eq!(String::from_utf8(removed).unwrap(), format!("{text}{gap}{table}"));
    }

    #[test]
    fn markdown_is_given_back(text in markdown()) {
        let installed = agents().install(Some(text.as_bytes())).unwrap();
        prop_assert_eq!(&agents().install(Some(&installed)).unwrap(), &installed);
        let removed = agents().remove(&installed).unwrap().map(|text| String::from_utf8(text).unwrap());
        prop_assert_eq!(removed, Some(text));
    }

    #[test]
    fn markdown_that_the_user_adds_stays(text in markdown(), before in "[a-z]{0,8}\n") {
        let text = text.trim_start_matches('\u{feff}').replace('\r', "");
        let installed = String::from_utf8(agents().install(Some(text.as_bytes())).unwrap()).unwrap();
        let gap = if installed.ends_with('\n') { "" } else { "\n" };
        let edited = format!("{before}{installed}{gap}after\n");
        let removed = agents().remove(edited.as_bytes()).unwrap().unwrap();
        prop_assert_eq!(String::from_utf8(removed).unwrap(), format!("{before}{text}{gap}after\n"));
    }

    #[test]
    fn hooks_are_given_back(script in script(), hook in prop::sample::select(GitHook::ALL.to_vec())) {
        let installed = hook.install(Some(&script)).unwrap();
        prop_assert_eq!(&hook.install(Some(&installed)).unwrap(), &installed);
        prop_assert_eq!(hook.remove(&installed).unwrap(), Some(script.clone()));
        let first = |script: &[u8]| script.split(|byte| *byte == b'\n').next().unwrap().to_vec();
        if script.starts_with(b"#!") {
            prop_assert_eq!(first(&installed), first(&script));
        }
        let edited = [&installed[..], b"\necho mine"].concat();
        let kept = [&script[..], b"\necho mine"].concat();
        let ended = script.ends_with(b"\n") || script.len() > head(&script) || script.is_empty();
        if ended {
            prop_assert_eq!(hook.remove(&edited).unwrap(), Some(kept));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        for file in [codex(), agents()] {
            if let Ok(installed) = file.install(Some(&bytes)) {
                prop_assert_eq!(file.remove(&installed).unwrap(), Some(bytes.clone()));
            }
        }
        for hook in GitHook::ALL {
            if let Ok(installed) = hook.install(Some(&bytes)) {
                prop_assert_eq!(hook.remove(&installed).unwrap(), Some(bytes.clone()));
            }
        }
    }
}

/// The bytes of the leading comment lines.
fn head(script: &[u8]) -> usize {
    let lines = script.split_inclusive(|byte| *byte == b'\n');
    lines.take_while(|line| line.starts_with(b"#")).map(<[u8]>::len).sum()
}

#[test]
fn files_that_were_not_there_go_again() {
    for file in SetupFile::all() {
        let created = file.install(None).unwrap();
        assert_eq!(file.install(Some(&created)).unwrap(), created, "{}", file.path);
        assert_eq!(file.remove(&created).unwrap(), None, "{}", file.path);
    }
    for hook in GitHook::ALL {
        let created = hook.install(None).unwrap();
        assert_eq!(hook.install(Some(&created)).unwrap(), created);
        assert_eq!(hook.remove(&created).unwrap(), None);
    }
}

#[test]
fn a_table_that_the_user_changed_is_the_users() {
    for text in [
        "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\", \"--read-only\"]\n",
        "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\"]\nenv = {}\n",
        "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\"] # mine\n",
        "[mcp_servers]\ncairn = { command = \"cairn\" }\n",
        "mcp_servers.cairn.command = \"x\"\n",
    ] {
        assert_eq!(codex().install(Some(text.as_bytes())).unwrap(), text.as_bytes());
        assert_eq!(codex().remove(text.as_bytes()).unwrap().unwrap(), text.as_bytes());
        assert!(codex().is_customised(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_cannot_be_edited_says_its_line_and_what_to_do() {
    for (text, line) in [
        ("a = 1\nb = \n", 2),
        ("[a\n", 1),
        ("a = 1\nmcp_servers = {}\n", 2),
        ("mcp_servers = 3\n", 1),
    ] {
        assert_eq!(codex().install(Some(text.as_bytes())).unwrap_err().line, line, "{text}");
    }
    for (text, line, message) in [
        ("a\n<!-- cairn:begin -->\n", 2, "`<!-- cairn:begin -->` without its `<!-- cairn:end -->`"),
        ("<!-- cairn:end -->\n", 1, "`<!-- cairn:end -->` without its `<!-- cairn:begin -->`"),
        ("<!-- cairn:begin -->\n<!-- cairn:begin -->\n", 2, "a second `<!-- cairn:begin -->`"),
    ] {
        let error = agents().install(Some(text.as_bytes())).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (line, message));
        assert_eq!(agents().remove(text.as_bytes()).unwrap_err(), error);
    }
    let python =
        GitHook::PostCommit.install(Some(b"#!/usr/bin/env python3\nprint()\n")).unwrap_err();
    assert_eq!(python.message, "the hook runs `/usr/bin/env python3`, not a shell");
    assert!(python.hint.unwrap().contains("`cairn hook post-commit`"));
}

#[test]
fn an_old_block_is_brought_up_to_date_where_it_stands() {
    let old = "# Mine\n\n<!-- cairn:begin -->\nold words\n<!-- cairn:end -->\n\nmore\n";
    let new = String::from_utf8(agents().install(Some(old.as_bytes())).unwrap()).unwrap();
    assert!(new.starts_with("# Mine\n\n<!-- cairn:begin -->\n## Ask cairn"));
    assert!(new.ends_with("<!-- cairn:end -->\n\nmore\n") && !new.contains("old words"));
    let hook = GitHook::PostMerge;
    let old = b"#!/bin/sh\n# cairn:begin\nold\n# cairn:end\nmine\n";
    let expected = format!("#!/bin/sh\n{}\nmine\n", hook.block());
    assert_eq!(hook.install(Some(old)).unwrap(), expected.as_bytes());
}

#[test]
fn the_paragraph_is_short_enough_to_be_read() {
    let text = String::from_utf8(agents().install(None).unwrap()).unwrap();
    assert!(text.lines().count() <= 22, "{} lines", text.lines().count());
    assert!(text.len() < 2000, "{} bytes", text.len());
}

#[test]
fn lines_below_the_block_of_our_own_hook_stay() {
    let created = GitHook::PreCommit.install(None).unwrap();
    let edited = [&created[..], b"npm test\n"].concat();
    assert_eq!(GitHook::PreCommit.remove(&edited).unwrap().unwrap(), b"#!/bin/sh\nnpm test\n");
}
