//! Random changes of a repository: edits, git commands, links, and changes that a watcher is not
//! told about.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::answers::files_below;
use crate::soak::SeededRng;
use crate::{McpClient, TestRepo};

const PATHS: [&str; 10] = [
    "src/a.ts",
    "src/b.ts",
    "src/deep/c.rs",
    "lib/d.py",
    "docs/e.md",
    ".cairn/cards/f.card.md",
    "docs/requirements/g.md",
    "Cargo.toml",
    "x.log",
    "src/deep/more/h.ts",
];

const TEXTS: [&str; 8] = [
    "/** @see spec::f */\nimport { b } from './b';\nexport function alpha() { return b(); }\n",
    "export * from './a';\nexport const b = () => 1;\n",
    "pub mod c;\n/// Doc\npub fn c() {}\n",
    "from a import b\n\ndef d():\n    return b()\n",
    "# Alpha\n[a](../src/a.ts)\n",
    "---\nkey: spec::f\ntype: spec\nsummary: F\nstatus: draft\n---\nText\n",
    "---\nid: REQ-1\ntitle: G\nstatus: open\npriority: must\n---\n",
    "[package]\nname = \"a-b\"\n",
];

const FOLDERS: [&str; 5] = ["src", "src/deep", "lib", "docs", "moved"];

const IGNORE_RULES: [&str; 5] = ["*.log\n", "docs/\n!docs/e.md\n", "", "/many/\n", "deep\n"];

/// Number of files that are added at once.
const BULK_FILES: usize = 2_000;

/// The folder of these files.
const BULK_FOLDER: &str = "many";

/// Number of steps after which they are removed, because every step takes much longer with them.
const BULK_STEPS: usize = 6;

/// A step that was taken.
pub(super) struct DeveloperStep {
    pub(super) name: &'static str,
    pub(super) description: String,
}

/// A simulated developer, who changes a repository at random.
pub(super) struct SimulatedDeveloper<'r> {
    repo: &'r TestRepo,
    pub(super) dice: SeededRng,
    /// Where other names of files are, and a repository to be a submodule
    outside: TempDir,
    /// Files that have another name outside of the repository
    hard_linked: Vec<PathBuf>,
    mapper: MmapWriter,
}

type StepAction = for<'d, 'r> fn(&'d mut SimulatedDeveloper<'r>, &mut McpClient) -> String;

/// The kinds of steps, with their relative frequency.
const STEPS: [(&str, usize, StepAction); 27] = [
    ("edit", 10, |d, _| d.edit()),
    ("same size, same tick", 4, |d, server| d.write_twice_in_tick(server)),
    ("remove", 3, |d, _| d.remove()),
    ("rename a file", 3, |d, _| d.rename()),
    ("rename a folder", 3, |d, _| d.rename_folder()),
    ("file and folder change places", 2, |d, _| d.change_file_kind()),
    ("mode", 2, |d, _| d.change_mode()),
    ("symbolic link", 2, |d, _| d.link()),
    ("hard link", 3, |d, _| d.hard_link()),
    ("write through a hard link", 4, |d, _| d.write_through_link()),
    ("mapped write", 3, |d, _| d.mapped_write()),
    ("older time", 2, |d, _| d.write_backdated()),
    ("nested repository", 3, |d, _| d.add_nested_repo()),
    ("ignore rules", 3, |d, _| d.ignore()),
    ("info/exclude", 2, |d, _| d.exclude()),
    ("cairn.jsonc", 2, |d, _| d.configure()),
    ("commit", 6, |d, _| d.commit()),
    ("amend", 2, |d, _| d.run(&["commit", "-q", "--amend", "--allow-empty", "-m", "amended"])),
    ("switch", 5, |d, _| d.switch()),
    ("rebase", 2, |d, _| d.git_or_abort("rebase")),
    ("merge", 2, |d, _| d.git_or_abort("merge")),
    ("stash", 3, |d, _| d.stash()),
    ("reset", 2, |d, _| d.run(&["reset", "-q", "--hard", "HEAD~1"])),
    ("stage", 2, |d, _| d.stage()),
    ("submodule", 2, |d, _| d.submodule()),
    ("2,000 files", 1, |d, _| d.toggle_bulk_files()),
    ("whole folder back", 1, |d, _| d.run(&["checkout", "-q", "HEAD", "--", "."])),
];

impl<'r> SimulatedDeveloper<'r> {
    pub(super) fn new(repo: &'r TestRepo, dice: SeededRng) -> Self {
        let outside = tempfile::tempdir().expect("a folder");
        let library = outside.path().join("library");
        fs::create_dir(&library).expect("a folder");
        fs::write(library.join("l.ts"), "export const library = 1;\n").expect("a file");
        let git = |args: &[&str]| assert!(git(&library, args), "git {args:?}");
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "library"]);
        Self { repo, dice, outside, hard_linked: Vec::new(), mapper: MmapWriter::start() }
    }

    /// Runs one random step.
    pub(super) fn step(&mut self, server: &mut McpClient) -> DeveloperStep {
        if self.root().join(BULK_FOLDER).exists() && self.dice.below(BULK_STEPS) == 0 {
            return DeveloperStep {
                name: "2,000 files",
                description: format!("2,000 files: {}", self.toggle_bulk_files()),
            };
        }
        let all: usize = STEPS.iter().map(|(_, often, _)| often).sum();
        let mut number = self.dice.below(all);
        for (name, often, take) in STEPS {
            if number < often {
                return DeveloperStep {
                    name,
                    description: format!("{name}: {}", take(self, server)),
                };
            }
            number -= often;
        }
        DeveloperStep { name: "nothing", description: "nothing".into() }
    }

    fn root(&self) -> PathBuf {
        self.repo.root()
    }

    fn path(&mut self) -> &'static str {
        PATHS[self.dice.below(PATHS.len())]
    }

    /// A random existing file, by its path from the root.
    fn file(&mut self) -> Option<String> {
        let files = files_below(&self.root(), &self.root());
        (!files.is_empty()).then(|| files[self.dice.below(files.len())].clone())
    }

    fn text(&mut self) -> String {
        format!("{}{}", TEXTS[self.dice.below(TEXTS.len())], "\n".repeat(self.dice.below(3)))
    }

    /// Writes a file and removes what is in its way. Returns whether that was possible.
    fn write(&self, path: &str, text: &str) -> bool {
        let file = self.root().join(path);
        for above in file.ancestors().skip(1).take_while(|above| above.starts_with(self.root())) {
            if above.is_symlink() || above.is_file() {
                let _ = fs::remove_file(above);
            }
        }
        let folder = file.parent().unwrap_or(&file);
        fs::create_dir_all(folder).and_then(|()| fs::write(&file, text)).is_ok()
    }

    fn edit(&mut self) -> String {
        let (path, text) = (self.path(), self.text());
        format!("{path} {}", self.write(path, &text))
    }

    /// Writes two texts of equal length within one tick of the clock, with a question between them.
    fn write_twice_in_tick(&mut self, server: &mut McpClient) -> String {
        let path = self.path();
        self.write(path, "// alpha\n");
        let arguments = json!({"operation": "status", "arguments": {}});
        server.call("ask", arguments);
        format!("{path} {}", self.write(path, "// gamma\n"))
    }

    fn remove(&mut self) -> String {
        let Some(path) = self.file() else { return "nothing".into() };
        self.repo.remove(&path);
        path
    }

    fn rename(&mut self) -> String {
        let Some(from) = self.file() else { return "nothing".into() };
        let to = self.path();
        self.move_to(&from, to)
    }

    fn rename_folder(&mut self) -> String {
        let from = FOLDERS[self.dice.below(FOLDERS.len())];
        let to = FOLDERS[self.dice.below(FOLDERS.len())];
        self.move_to(from, to)
    }

    fn move_to(&self, from: &str, to: &str) -> String {
        let (old, new) = (self.root().join(from), self.root().join(to));
        let made = fs::create_dir_all(new.parent().unwrap_or(&new));
        let done = made.and_then(|()| fs::rename(old, new)).is_ok();
        format!("{from} to {to} {done}")
    }

    fn change_file_kind(&mut self) -> String {
        let path = self.path();
        let file = self.root().join(path);
        self.repo.remove(path);
        let below = format!("{path}/inner.ts");
        let name = if file.exists() || self.dice.below(2) == 0 { path } else { &below };
        self.write(name, "export const inner = 1;\n");
        name.to_owned()
    }

    fn change_mode(&mut self) -> String {
        let Some(path) = self.file() else { return "nothing".into() };
        let mode = [0o755, 0o644, 0o600][self.dice.below(3)];
        let set =
            fs::set_permissions(self.root().join(&path), fs::Permissions::from_mode(mode)).is_ok();
        format!("{path} {mode:o} {set}")
    }

    fn link(&mut self) -> String {
        let (name, at) = (["link.ts", "src/link", "docs/link.md"][self.dice.below(3)], self.path());
        let outside = self.outside.path().join("library/l.ts");
        let target = [self.root().join(at), outside, "nothing".into(), "src".into()]
            [self.dice.below(4)]
        .clone();
        self.repo.remove(name);
        let _ = fs::remove_file(self.root().join(name));
        let made = symlink(&target, self.root().join(name)).is_ok();
        format!("{name} to {} {made}", target.display())
    }

    fn hard_link(&mut self) -> String {
        let Some(path) = self.file() else { return "nothing".into() };
        let other = self.outside.path().join(format!("other-{}", self.hard_linked.len()));
        let made = fs::hard_link(self.root().join(&path), &other).is_ok();
        if made {
            self.hard_linked.push(other);
        }
        format!("{path} {made}")
    }

    fn write_through_link(&mut self) -> String {
        if self.hard_linked.is_empty() {
            return self.hard_link();
        }
        let at = self.dice.below(self.hard_linked.len());
        let text = self.text();
        let done = fs::write(&self.hard_linked[at], text).is_ok();
        format!("other-{at} {done}")
    }

    /// Writes a file through a memory mapping.
    fn mapped_write(&mut self) -> String {
        let Some(path) = self.file() else { return "nothing".into() };
        let done = self.mapper.write(&self.root().join(&path));
        format!("{path} {done}")
    }

    /// Writes another text with an earlier modification time, as `cp -p` does.
    fn write_backdated(&mut self) -> String {
        let (path, text) = (self.path(), self.text());
        self.write(path, &text);
        let file = File::options().write(true).open(self.root().join(path));
        let done = file.and_then(|file| {
            let now = file.metadata()?.modified()?;
            file.set_modified(now - Duration::from_hours(1))
        });
        let done = done.is_ok();
        format!("{path} {done}")
    }

    fn add_nested_repo(&mut self) -> String {
        let folder = ["src/deep", "lib", "docs", "nested"][self.dice.below(4)];
        let place = self.root().join(folder);
        let inside = place.join(".git");
        if inside.symlink_metadata().is_ok() {
            let _ = fs::remove_dir_all(&inside).or_else(|_| fs::remove_file(&inside));
            return format!("{folder} is none any more");
        }
        let _ = fs::create_dir_all(&place);
        let done = match self.dice.below(3) {
            0 => fs::write(inside, "gitdir: elsewhere\n").is_ok(),
            _ => git(&place, &["init", "-q"]),
        };
        format!("{folder} {done}")
    }

    fn ignore(&mut self) -> String {
        let file = [".gitignore", "src/.gitignore"][self.dice.below(2)];
        let rules = IGNORE_RULES[self.dice.below(IGNORE_RULES.len())];
        format!("{file} {rules:?} {}", self.write(file, rules))
    }

    fn exclude(&mut self) -> String {
        let rules = IGNORE_RULES[self.dice.below(IGNORE_RULES.len())];
        let done = fs::write(self.root().join(".git/info/exclude"), rules).is_ok();
        format!("{rules:?} {done}")
    }

    fn configure(&mut self) -> String {
        let text = ["{\"exclude\": [\"lib/**\"]}\n", "{}\n", "{\"exclude\": [\"*.md\"]}\n"]
            [self.dice.below(3)];
        format!("{text:?} {}", self.write("cairn.jsonc", text))
    }

    fn run(&self, args: &[&str]) -> String {
        format!("git {args:?} {}", git(&self.root(), args))
    }

    fn commit(&mut self) -> String {
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "-m", "work"])
    }

    fn branch(&mut self) -> &'static str {
        ["main", "side", "topic"][self.dice.below(3)]
    }

    fn switch(&mut self) -> String {
        let branch = self.branch();
        let done = git(&self.root(), &["switch", "-q", branch])
            || git(&self.root(), &["switch", "-qc", branch]);
        format!("{branch} {done}")
    }

    fn git_or_abort(&mut self, verb: &str) -> String {
        let branch = self.branch();
        let args: &[&str] = if verb == "merge" {
            &["merge", "-q", "--no-edit", branch]
        } else {
            &[verb, "-q", branch]
        };
        let done = git(&self.root(), args) || !git(&self.root(), &[verb, "--abort"]);
        format!("{branch} {done}")
    }

    fn stash(&mut self) -> String {
        let done =
            git(&self.root(), &["stash", "pop", "-q"]) || git(&self.root(), &["stash", "-uq"]);
        done.to_string()
    }

    fn stage(&mut self) -> String {
        let path = self.path();
        match self.dice.below(3) {
            0 => self.run(&["add", "-f", path]),
            1 => self.run(&["rm", "-q", "--cached", path]),
            _ => self.run(&["add", "-A"]),
        }
    }

    fn submodule(&mut self) -> String {
        let library = self.outside.path().join("library");
        let url = library.to_string_lossy().into_owned();
        match self.dice.below(3) {
            0 => self.run(&["submodule", "add", "-q", "--force", &url, "vendor"]),
            1 => self.run(&["submodule", "update", "-q", "--init"]),
            _ => self.run(&["submodule", "deinit", "-q", "-f", "--all"]),
        }
    }

    fn toggle_bulk_files(&mut self) -> String {
        let folder = self.root().join(BULK_FOLDER);
        if folder.exists() {
            return format!("gone {}", fs::remove_dir_all(folder).is_ok());
        }
        let write = |number: usize| {
            self.write(
                &format!("{BULK_FOLDER}/{}/{number}.md", number % 40),
                &format!("# Alpha {number}\n"),
            )
        };
        format!("{}", (0..BULK_FILES).filter(|number| write(*number)).count())
    }
}

/// Runs git, which may refuse. Returns whether it succeeded.
#[expect(clippy::disallowed_methods, reason = "a test plays the developer")]
fn git(folder: &Path, args: &[&str]) -> bool {
    let settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let more = ["-c", "core.editor=true", "-c", "protocol.file.allow=always"];
    let mut command = Command::new("git");
    command.current_dir(folder).args(settings).args(more).args(args);
    command.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A child process that writes through a memory mapping, because safe Rust cannot.
struct MmapWriter(Option<Child>);

const MAPPER: &str = "
import mmap, sys
for line in sys.stdin:
    try:
        with open(line[:-1], 'r+b') as file, mmap.mmap(file.fileno(), 0) as memory:
            memory[0:2] = bytes([memory[0] ^ 1, memory[1]])
            memory.flush()
        print('1', flush=True)
    except (OSError, ValueError, IndexError):
        print('0', flush=True)
";

impl MmapWriter {
    #[expect(clippy::disallowed_methods, reason = "no safe code maps a file for writing")]
    fn start() -> Self {
        let mut command = Command::new("python3");
        command.arg("-c").arg(MAPPER).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().ok())
    }

    fn write(&mut self, file: &Path) -> bool {
        let Some(child) = &mut self.0 else { return false };
        let (Some(input), Some(output)) = (&mut child.stdin, &mut child.stdout) else {
            return false;
        };
        let mut answer = [0; 2];
        writeln!(input, "{}", file.display()).is_ok()
            && output.read_exact(&mut answer).is_ok()
            && answer[0] == b'1'
    }
}

impl Drop for MmapWriter {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
