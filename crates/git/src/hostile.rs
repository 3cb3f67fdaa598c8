//! Test support: a repository that names a program wherever git lets it.
//!
//! Every trap touches a canary file of its own name. A test arms a repository, reads it, and looks
//! for canaries.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{RepoLayout, RepoLocation, discover};

/// Settings that name programs. `{}` is the trap's script; one is written
/// for every setting. Sections come in the order of the file.
const SETTINGS: &[(&str, &[(&str, &str)])] = &[
    (
        "core",
        &[
            ("pager", "{}"),
            ("editor", "{}"),
            ("sshCommand", "{}"),
            ("gitProxy", "{}"),
            ("alternateRefsCommand", "{}"),
            ("askPass", "{}"),
        ],
    ),
    (
        "pager",
        &[
            ("status", "{}"),
            ("log", "{}"),
            ("diff", "{}"),
            ("show", "{}"),
            ("branch", "{}"),
            ("config", "{}"),
        ],
    ),
    ("alias", &[("st", "!{}"), ("ls-tree", "!{}"), ("cat-file", "!{}"), ("rev-parse", "!{}")]),
    ("sequence", &[("editor", "{}")]),
    ("interactive", &[("diffFilter", "{}")]),
    ("diff", &[("external", "{}"), ("tool", "trap")]),
    ("diff \"trap\"", &[("textconv", "{}"), ("cachetextconv", "false")]),
    ("diff \"commanded\"", &[("command", "{}")]),
    ("difftool \"trap\"", &[("cmd", "{}")]),
    ("filter \"trap\"", &[("clean", "{}"), ("smudge", "{}")]),
    ("filter \"long\"", &[("process", "{}")]),
    ("merge \"trap\"", &[("driver", "{}")]),
    ("mergetool \"trap\"", &[("cmd", "{}")]),
    ("credential", &[("helper", "!{}")]),
    ("log", &[("showSignature", "true")]),
    ("gpg", &[("program", "{}")]),
    ("gpg \"ssh\"", &[("program", "{}"), ("defaultKeyCommand", "{}")]),
    ("gpg \"x509\"", &[("program", "{}")]),
    ("uploadpack", &[("packObjectsHook", "{}")]),
    ("trailer \"trap\"", &[("command", "{}"), ("cmd", "{}")]),
    ("tar \"trap\"", &[("command", "{}")]),
    ("hook \"trap\"", &[("event", "post-index-change"), ("command", "{}")]),
    ("submodule \"trap\"", &[("update", "!{}"), ("url", "ext::{} %S"), ("active", "true")]),
    ("url \"trap://\"", &[("insteadOf", "https://")]),
    ("url \"ext::true \"", &[("insteadOf", "trapped://")]),
    ("protocol", &[("allow", "always")]),
    ("protocol \"ext\"", &[("allow", "always")]),
    (
        "remote \"trap\"",
        &[
            ("url", "ext::{} %S"),
            ("promisor", "true"),
            ("partialCloneFilter", "blob:none"),
            ("uploadpack", "{}"),
        ],
    ),
    ("remote \"helped\"", &[("vcs", "trap"), ("url", "trap::x")]),
    ("extensions", &[("partialClone", "trap")]),
];

/// Every hook that git may run during a read.
const HOOKS: [&str; 12] = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "reference-transaction",
    "sendemail-validate",
];

const ATTRIBUTES: &str =
    "* filter=trap diff=trap merge=trap\n*.long filter=long\n*.cmd diff=commanded\n";

/// Arms the repository at `repo_root`: its configuration, attributes, hooks, and programs with
/// git's own names in its root. A trap that springs leaves a file in `canary_dir`.
///
/// Both paths must be plain: no spaces, quotes or backslashes.
pub fn set_traps(repo_root: &Path, canary_dir: &Path) {
    let layout = match discover(repo_root) {
        Ok(RepoLocation::Worktree(layout)) => layout,
        other => panic!("{} is no worktree to arm: {other:?}", repo_root.display()),
    };
    let traps = Traps { folder: layout.common_dir.join("traps"), canaries: canary_dir.to_owned() };
    for path in [&traps.folder, &traps.canaries] {
        let text = path.display().to_string();
        assert!(!text.contains([' ', '\'', '"', '\\']), "{text} is not plain");
        fs::create_dir_all(path).expect("the folder of a test can be made");
    }
    traps.arm_config(&layout);
    traps.arm_hooks(&layout);
    traps.arm_attributes(&layout);
    traps.arm_worktree(&layout);
}

/// The canary files that exist, sorted: each shows a program that was run.
pub fn programs_that_ran(canary_dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(canary_dir).expect("the canaries' folder is there");
    let names = entries.map(|entry| entry.expect("it can be listed").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

struct Traps {
    folder: PathBuf,
    canaries: PathBuf,
}

impl Traps {
    fn arm_config(&self, layout: &RepoLayout) {
        let settings = SETTINGS.iter().map(|(section, settings)| self.section(section, settings));
        let (traps, canaries) = (self.folder.display(), self.canaries.display());
        let text = format!(
            "\n[include]\n\tpath = traps/included\n{}\
             [core]\n\thooksPath = {traps}/hooks\n\tattributesFile = {traps}/attributes\n\
             [trace2]\n\teventTarget = {canaries}/trace2\n",
            settings.collect::<String>()
        );
        let config = layout.common_dir.join("config");
        let before = fs::read_to_string(&config).expect("a repository has a configuration");
        write(&config, &(before + &text));
        let monitor = self.script(&self.folder, "core.fsmonitor");
        write(&self.folder.join("included"), &format!("[core]\n\tfsmonitor = {monitor}\n"));
    }

    /// One section, with a script for each of its settings.
    fn section(&self, section: &str, settings: &[(&str, &str)]) -> String {
        let setting = |(key, value): &(&str, &str)| {
            let script = self.script(&self.folder, &name_of(section, key));
            format!("\t{key} = \"{}\"\n", value.replace("{}", &script))
        };
        format!("[{section}]\n{}", settings.iter().map(setting).collect::<String>())
    }

    fn arm_hooks(&self, layout: &RepoLayout) {
        for folder in [self.folder.join("hooks"), layout.common_dir.join("hooks")] {
            fs::create_dir_all(&folder).expect("the folder of a test can be made");
            for hook in HOOKS {
                self.script(&folder, hook);
            }
        }
    }

    fn arm_attributes(&self, layout: &RepoLayout) {
        let info = layout.common_dir.join("info");
        fs::create_dir_all(&info).expect("the folder of a test can be made");
        write(&info.join("attributes"), ATTRIBUTES);
        write(&layout.root.join(".gitattributes"), ATTRIBUTES);
        write(&self.folder.join("attributes"), ATTRIBUTES);
    }

    /// A submodule that wants to be updated, and programs for a `PATH` with `.` in it.
    fn arm_worktree(&self, layout: &RepoLayout) {
        let update = self.script(&self.folder, "gitmodules.update");
        let text =
            format!("[submodule \"trap\"]\n\tpath = trap\n\turl = ./trap\n\tupdate = !{update}\n");
        write(&layout.root.join(".gitmodules"), &text);
        for name in ["git", "git-remote-trap", "sh", "ssh", "less"] {
            self.script(&layout.root, name);
        }
    }

    /// Writes a program that leaves a canary and passes on what it is given, so that git goes on.
    fn script(&self, folder: &Path, name: &str) -> String {
        let (path, canary) = (folder.join(name), self.canaries.join(name));
        let pass_on = match name {
            "diff.trap.textconv" => "cat \"$1\"",
            "filter.trap.clean" | "filter.trap.smudge" | "core.pager" => "cat",
            _ => "exit 1",
        };
        write(&path, &format!("#!/bin/sh\n: > '{}'\n{pass_on}\n", canary.display()));
        make_executable(&path);
        path.display().to_string()
    }
}

fn name_of(section: &str, key: &str) -> String {
    let section = section.replace([' ', '/', ':'], ".").replace('"', "");
    format!("{section}.{key}")
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the file of a test can be written");
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, permissions).expect("the file of a test can be made executable");
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) {}
