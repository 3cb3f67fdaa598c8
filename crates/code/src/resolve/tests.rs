//! Fixtures: small repositories as text, and the files that their imports mean.

use super::*;

/// A repository in memory.
pub(crate) struct Fixture {
    conn: Connection,
    files: BTreeSet<RepoPath>,
}

impl Fixture {
    /// Files as text; `//- path` starts a file.
    pub(crate) fn new(text: &str) -> Self {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(crate::tables::SCHEMA).unwrap();
        let mut fixture = Self { conn, files: BTreeSet::new() };
        let parts: Vec<&str> = text.split("//- ").filter(|part| !part.trim().is_empty()).collect();
        let changed: Vec<RepoPath> = parts.iter().map(|part| fixture.put(part)).collect();
        resolve(&fixture.conn, &fixture.files, &changed).unwrap();
        fixture
    }

    fn put(&mut self, part: &str) -> RepoPath {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        let path: RepoPath = path.trim().parse().unwrap();
        let facts = syntax::extract(syntax::Language::from_path(&path), text.as_bytes());
        let is_new = self.files.insert(path.clone());
        if !is_new {
            crate::remove_file(&self.conn, &path, false).unwrap();
        }
        let digest = crate::CallDigest::of(&path, &facts);
        crate::index_file(&self.conn, &path, &facts, digest.as_ref(), is_new).unwrap();
        path
    }

    /// Writes a file; returns the files that were resolved again.
    pub(crate) fn write(&mut self, part: &str) -> Vec<String> {
        let path = self.put(part);
        self.settle(&[path])
    }

    /// Removes a file; returns the files that were resolved again.
    pub(crate) fn remove(&mut self, path: &str) -> Vec<String> {
        let path: RepoPath = path.parse().unwrap();
        self.files.remove(&path);
        crate::remove_file(&self.conn, &path, true).unwrap();
        self.settle(&[])
    }

    fn settle(&self, changed: &[RepoPath]) -> Vec<String> {
        let done = resolve(&self.conn, &self.files, changed).unwrap();
        done.iter().map(ToString::to_string).collect()
    }

    /// The symbols that a file uses: `line file#name`, with the re-exporting file.
    pub(crate) fn taken(&self, from: &str) -> Vec<String> {
        let from: RepoPath = from.parse().unwrap();
        let mut rows = Vec::new();
        for file in &self.files {
            let all = importers(&self.conn, file).unwrap();
            self.assert_same_in_short(file, &all);
            for taker in all {
                if taker.path == from && !taker.handed_on {
                    let through = taker.via.map(|by| format!(" through {by}"));
                    let row = format!("{} {file}#{}", taker.line, taker.name);
                    rows.push((taker.line, format!("{row}{}", through.unwrap_or_default())));
                }
            }
        }
        rows.sort();
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Both queries for the importers of a file give the same files.
    fn assert_same_in_short(&self, file: &RepoPath, all: &[ImporterRow]) {
        let short = importer_names(&self.conn, file).unwrap();
        let paths: BTreeSet<&RepoPath> = short.iter().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), short.len(), "each once");
        let pairs = short.iter().flat_map(|(path, names)| names.iter().map(move |n| (path, n)));
        let expected: BTreeSet<_> = all.iter().map(|taker| (&taker.path, &taker.name)).collect();
        assert_eq!(pairs.collect::<BTreeSet<_>>(), expected, "{file}");
    }

    /// The files that the imports of a file mean, in source order; `-` for none.
    pub(crate) fn targets(&self, from: &str) -> Vec<String> {
        let imports = crate::imports(&self.conn, &from.parse().unwrap()).unwrap();
        let text = |target: Option<RepoPath>| target.map_or("-".into(), |path| path.to_string());
        imports.into_iter().map(|import| text(import.target)).collect()
    }
}

#[test]
fn only_those_are_resolved_again_whose_questions_have_other_answers() {
    let mut fixture = Fixture::new(
        "//- a.ts\nimport { x } from './b';\n//- b.ts\nexport { x } from './c';\n//- c.ts\nexport const x = 1;\n//- d.ts\nimport './e';\n//- f.ts\nexport {};\n",
    );
    assert_eq!(fixture.taken("a.ts"), ["1 c.ts#x through b.ts"]);
    // The text changes, the exports do not.
    assert_eq!(fixture.write("c.ts\n// more\nexport const x = 2;\n"), ["c.ts"]);
    // The exports change: files that depend on them are resolved again.
    assert_eq!(fixture.write("c.ts\nexport const y = 2;\n"), ["a.ts", "b.ts", "c.ts"]);
    // A file appears that was searched before.
    assert_eq!(fixture.write("e.ts\nexport const z = 1;\n"), ["d.ts", "e.ts"]);
    assert_eq!(fixture.targets("d.ts"), ["e.ts"]);
    assert_eq!(fixture.remove("e.ts"), ["d.ts"]);
    assert_eq!(fixture.targets("d.ts"), ["-"]);
    // A file appears that takes precedence.
    assert_eq!(fixture.write("b/index.ts\nexport const x = 1;\n"), ["b/index.ts"]);
    assert_eq!(fixture.remove("b.ts"), ["a.ts"]);
    assert_eq!(fixture.taken("a.ts"), ["1 b/index.ts#x"]);
}

#[test]
fn manifests_decide_for_those_who_read_them() {
    let mut fixture = Fixture::new(
        "//- tsconfig.json\n{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}\n//- src/a.ts\nimport '@/b';\n//- src/b.ts\n//- lib/b.ts\n//- other.rs\nfn f() {}\n",
    );
    assert_eq!(fixture.targets("src/a.ts"), ["src/b.ts"]);
    let again = fixture
        .write("tsconfig.json\n{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./lib/*\"]}}}\n");
    assert_eq!(again, ["src/a.ts"]);
    assert_eq!(fixture.targets("src/a.ts"), ["lib/b.ts"]);
    let same = fixture.write(
        "tsconfig.json\n// comment\n{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./lib/*\"]}}}\n",
    );
    assert_eq!(same, [""; 0]);
}

#[test]
fn a_barrel_may_be_of_any_width() {
    let modules = (0..600).map(|at| format!("//- m{at}.ts\nexport const x{at} = 1;\n"));
    let barrel: String = (0..600).map(|at| format!("export * from './m{at}';\n")).collect();
    let text = modules.collect::<String>() + "//- index.ts\n" + &barrel;
    let fixture = Fixture::new(&(text + "//- a.ts\nimport { x599 } from './index';\nx599;\n"));
    assert_eq!(fixture.taken("a.ts"), ["1 m599.ts#x599 through index.ts"]);
}
