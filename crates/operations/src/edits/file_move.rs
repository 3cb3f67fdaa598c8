//! Moving a file: its own imports and those of every file that imports it are rewritten, or nothing
//! is.

use std::collections::BTreeMap;

use base::{Problem, ProblemCode, RepoPath, Result};
use syntax::edit::{MovedImport, TextSplice, apply_splices, relocate_import};
use syntax::{FileFacts, Language};

use crate::language_server::{FileRewrite, check_writable};
use engine::view::View;

/// How many places a refusal lists.
const MAX_LISTED: usize = 12;

/// A text that was read, with what it declares.
pub(super) struct EditedSource {
    pub path: RepoPath,
    pub language: Language,
    pub text: String,
    pub hash: base::Hash,
    pub facts: FileFacts,
}

impl EditedSource {
    pub(super) fn read(view: &View, path: &RepoPath) -> Result<Self> {
        let language = Language::from_path(path).filter(|language| language.is_code());
        let language =
            language.ok_or_else(|| Problem::invalid(format!("`{path}` is not parsed as code")))?;
        let blob = view.tree().read(path)?;
        let blob = blob.ok_or_else(|| Problem::not_found(format!("no file `{path}`")))?;
        let text = String::from_utf8(blob.bytes)
            .map_err(|_| refusal(format!("`{path}` is not UTF-8"), Vec::new()))?;
        check_writable(view, path)?;
        let facts = syntax::extract(Some(language), text.as_bytes());
        Ok(Self { path: path.clone(), language, hash: blob.hash, text, facts })
    }

    /// The file with another text.
    pub(super) fn rewritten(self, after: String) -> FileRewrite {
        FileRewrite { path: self.path, hash: self.hash, before: self.text, after }
    }
}

/// A file at its new place, and the files whose imports changed with it.
#[derive(Debug)]
pub(crate) struct MovedFile {
    /// The file at its old path, with the text it has at the new one
    pub file: FileRewrite,
    pub importers: Vec<FileRewrite>,
}

/// Plans the move of a file.
pub(crate) fn move_file(view: &View, from: &RepoPath, to: &RepoPath) -> Result<MovedFile> {
    let source = EditedSource::read(view, from)?;
    refuse_taken(view, to)?;
    refuse_other_language(source.language, to)?;
    let semantics = source.language.semantics();
    if semantics.imports_folders {
        // In this language a package is a folder, in which the names of files do not matter.
        if from.parent() != to.parent() {
            let why = format!("`{to}` is in another folder, and so in another package");
            return Err(refusal(why, Vec::new()).hint("move its symbols one by one"));
        }
        let (file, importers) = (source_rewrite(source), Vec::new());
        return Ok(MovedFile { file, importers });
    }
    if !semantics.rewrites_imports() {
        let why = format!("moving files is not supported for {}", source.language.name());
        return Err(refusal(why, Vec::new())
            .hint("its modules are declared in other files, which a move would have to change"));
    }
    let conn = view.index()?.conn();
    let mut changes = ImportChanges::default();
    let own = code::imports(conn, from)?.into_iter().map(|row| row.target);
    for (import, target) in source.facts.imports.iter().zip(own) {
        let Some(target) = target else { continue };
        let new_target = if &target == from { to } else { &target };
        let moved = MovedImport {
            old_importer: from,
            importer: to,
            old_target: &target,
            target: new_target,
        };
        changes.add(&source, import, moved);
    }
    let own = changes.splices.remove(from).unwrap_or_default();
    let mut importers: BTreeMap<RepoPath, EditedSource> = BTreeMap::new();
    for row in code::importers(conn, from)? {
        if row.via.is_none() && !importers.contains_key(&row.path) {
            importers.insert(row.path.clone(), EditedSource::read(view, &row.path)?);
        }
    }
    for importer in importers.values() {
        let targets = code::imports(conn, &importer.path)?.into_iter().map(|row| row.target);
        for (import, target) in importer.facts.imports.iter().zip(targets) {
            if target.as_ref() == Some(from) {
                let moved = MovedImport {
                    old_importer: &importer.path,
                    importer: &importer.path,
                    old_target: from,
                    target: to,
                };
                changes.add(importer, import, moved);
            }
        }
    }
    let mut splices = changes.finish()?;
    let rewrite = |file: EditedSource, splices: Vec<TextSplice>| {
        let after = apply_splices(&file.text, &splices);
        file.rewritten(after)
    };
    let importers = importers
        .into_values()
        .filter_map(|file| splices.remove(&file.path).map(|splices| rewrite(file, splices)))
        .collect();
    Ok(MovedFile { file: rewrite(source, own), importers })
}

fn source_rewrite(source: EditedSource) -> FileRewrite {
    let after = source.text.clone();
    source.rewritten(after)
}

/// Refuses a path that exists already.
pub(super) fn refuse_taken(view: &View, path: &RepoPath) -> Result<()> {
    match view.tree().stat_if_reachable(path) {
        None => Ok(()),
        Some(_) => Err(Problem::new(ProblemCode::Conflict, format!("`{path}` already exists"))
            .hint("nothing was written; choose another path")),
    }
}

/// Refuses a path whose file would be read as another language.
pub(super) fn refuse_other_language(language: Language, to: &RepoPath) -> Result<()> {
    match Language::from_path(to) {
        Some(other) if other.family() == language.family() => Ok(()),
        _ => Err(Problem::invalid(format!("`{to}` would not be a {} file", language.name()))
            .hint("keep the ending of its name")),
    }
}

pub(super) fn refusal(why: String, places: Vec<String>) -> Problem {
    let listed: Vec<String> = places.into_iter().take(MAX_LISTED).collect();
    let problem = Problem::new(ProblemCode::Blocked, why);
    let problem = listed.iter().take(3).fold(problem, |problem, place| problem.hint(place.clone()));
    problem.detail("places", listed).hint("nothing was written")
}

/// The changes of import statements, by file, and those that cannot be made.
#[derive(Debug, Default)]
pub(super) struct ImportChanges {
    pub splices: BTreeMap<RepoPath, Vec<TextSplice>>,
    refused: Vec<String>,
}

impl ImportChanges {
    pub(super) fn add(
        &mut self,
        file: &EditedSource,
        import: &syntax::Import,
        moved: MovedImport<'_>,
    ) {
        match relocate_import(file.language, &file.text, import, moved) {
            Ok(Some(splice)) => {
                self.splices.entry(file.path.clone()).or_default().push(splice);
            }
            Ok(None) => {}
            Err(why) => self.refuse(file, import, why),
        }
    }

    pub(super) fn refuse(&mut self, file: &EditedSource, import: &syntax::Import, why: &str) {
        self.refused.push(format!("{}:{}: `{}`: {why}", file.path, import.line, import.specifier));
    }

    pub(super) fn finish(self) -> Result<BTreeMap<RepoPath, Vec<TextSplice>>> {
        if !self.refused.is_empty() {
            let count = base::words::counted(self.refused.len(), "import");
            return Err(refusal(format!("{count} cannot be rewritten"), self.refused));
        }
        let mut splices = self.splices;
        for list in splices.values_mut() {
            list.sort_by_key(|splice| splice.span.start);
        }
        Ok(splices)
    }
}
