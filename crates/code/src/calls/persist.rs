//! Stores the call graph: summaries of files when they are indexed, and links between files
//! afterwards.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use base::{RepoPath, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{
    FileFacts, GoBuildSet, Language, LanguageKind, Manifest, is_private_to_package_tests, schema,
};

use super::export_digests::{digest_exports, mark_changed_exports};
use super::ids::ImportId;
use super::link::{
    DECLARED_BY_KEY, LinkResult, LinkSource, LinkedEdge, METHOD_PREFIX, SCHEMA_PREFIX, link,
};
use super::summary::{ExportTable, FileCallSummary, LocalEdge, UnresolvedEdge};
use super::tables::{EncodedSummary, NewEdge};
use super::value::ExportedValue;
use super::{interpreter, tables};
use crate::interning::{NameId, PathId, find_path_id, name_id, path_by_id, path_id};

/// Export tables that are cached while files are linked; limits memory.
const MAX_CACHED_EXPORTS: usize = 3_000;

/// Names whose exporting files are cached while files are linked; limits memory.
const MAX_CACHED_NAMES: usize = 50_000;

/// The part of a summary that linking the file needs.
#[derive(Serialize, Deserialize)]
struct LinkInput {
    edges: Vec<LocalEdge>,
    unresolved_edges: Vec<UnresolvedEdge>,
    unresolved_calls: Vec<(String, String, u32)>,
}

/// The summary of a file's calls in its stored form. It is a pure function of the file's facts and
/// expensive to compute, so it is cached.
#[derive(Debug)]
pub struct CallDigest {
    export_table: Vec<u8>,
    link_input: Vec<u8>,
    export_digests: Vec<u8>,
    is_truncated: bool,
}

impl CallDigest {
    /// Interprets a file; `None` if it is not code.
    pub fn of(path: &RepoPath, facts: &FileFacts) -> Option<Self> {
        let language = Language::from_path(path)?;
        let mut summary = match (language.descriptor().kind, &facts.manifest) {
            (LanguageKind::Prose, _) => return None,
            (LanguageKind::Manifest, Some(Manifest::Cargo(_))) => manifest_summary(facts),
            _ => interpreter::interpret(language, facts),
        };
        add_schema_keys(language, facts, &mut summary.exports);
        let bytes =
            |written: postcard::Result<Vec<u8>>| store::compress(&written.unwrap_or_default());
        let export_digests = bytes(postcard::to_stdvec(&digest_exports(&summary.exports)));
        let export_table = bytes(postcard::to_stdvec(&summary.exports));
        let is_truncated = summary.is_truncated;
        let input = LinkInput {
            edges: summary.edges,
            unresolved_edges: summary.unresolved_edges,
            unresolved_calls: summary.unresolved_calls,
        };
        let link_input = bytes(postcard::to_stdvec(&input));
        Some(Self { export_table, link_input, export_digests, is_truncated })
    }
}

/// Adds the keys by which other files name what a schema declares.
fn add_schema_keys(language: Language, facts: &FileFacts, exports: &mut ExportTable) {
    for (key, symbol) in schema::exported_keys(language, facts) {
        let declared = exports.names.entry(format!("{SCHEMA_PREFIX}{key}")).or_default();
        declared.push(ExportedValue::Sym(facts.symbols[symbol as usize].path.clone()));
    }
}

/// Stores the summary of a file's calls.
pub(crate) fn index_file(conn: &Connection, place: PathId, digest: &CallDigest) -> Result<()> {
    let summary = EncodedSummary {
        export_table: &digest.export_table,
        link_input: &digest.link_input,
        export_digests: &digest.export_digests,
        is_truncated: digest.is_truncated,
    };
    tables::put_summary(conn, place, summary)?;
    tables::mark_touched(conn, place)
}

/// The summary of a Cargo manifest: it exports the name of its package.
fn manifest_summary(facts: &FileFacts) -> FileCallSummary {
    let mut exports = ExportTable::default();
    if let Some(Manifest::Cargo(cargo)) = &facts.manifest
        && let Some(name) = cargo.lib_name.as_ref().or(cargo.name.as_ref())
    {
        exports.names.insert(format!("crate {}", name.replace('-', "_")), Vec::new());
    }
    FileCallSummary { exports, ..FileCallSummary::default() }
}

/// Removes the summary of a file.
pub(crate) fn remove_file(conn: &Connection, path: &RepoPath) -> Result<()> {
    match find_path_id(conn, path)? {
        Some(place) => {
            tables::remove_summary(conn, place)?;
            tables::mark_touched(conn, place)
        }
        None => Ok(()),
    }
}

/// Links all files whose references may resolve differently than before.
pub fn link_pending(conn: &Connection) -> Result<()> {
    let world = &mut IndexedFiles::new(conn);
    for place in tables::touched(conn)? {
        mark_changed_exports(conn, place)?;
    }
    for place in tables::stale_files(conn)? {
        relink(world, place)?;
    }
    tables::clear_stale(conn)
}

/// Links a file again.
fn relink(world: &mut IndexedFiles<'_>, place: PathId) -> Result<()> {
    let conn = world.conn;
    tables::remove_links(conn, place)?;
    let Some((path, edges, links)) = link_file(world, place)? else { return Ok(()) };
    for edge in edges.iter().chain(&links.edges) {
        if let Some(edge) = to_named_edge(edge) {
            let LinkedEdge { from, relation, to, sure, line } = edge;
            let from = (world.path_id(&from.0)?, world.name_id(&from.1)?);
            let to = (world.path_id(&to.0)?, world.name_id(&to.1)?);
            tables::put_edge(conn, place, &NewEdge { from, relation, to, sure, line })?;
        }
    }
    for (from, name, line) in &links.unresolved_calls {
        let (from, name) = (world.name_id(nearest_named_path(from))?, world.name_id(name)?);
        tables::put_unresolved_call(conn, place, from, name, *line)?;
    }
    for (on, names) in &links.dependencies {
        let is_other = |name: &&String| *on != path || *name == DECLARED_BY_KEY;
        let on = world.path_id(on)?;
        for name in names.iter().filter(is_other) {
            let name = world.name_id(name)?;
            tables::put_dependency(conn, place, on, name)?;
        }
    }
    Ok(())
}

/// Reads a part of a summary; `None` if another version wrote it.
pub(super) fn decode<T: DeserializeOwned>(stored: &[u8]) -> Option<T> {
    postcard::from_bytes(&store::decompress(stored).ok()?).ok()
}

/// A file, the edges inside of it, and the result of linking it.
type FileEdges = (RepoPath, Vec<LinkedEdge>, LinkResult);

/// The edges inside a file, and the result of linking it; `None` if the file has no summary.
fn link_file(world: &mut IndexedFiles<'_>, place: PathId) -> Result<Option<FileEdges>> {
    let conn = world.conn;
    let Some(path) = path_by_id(conn, place)? else { return Ok(None) };
    let Some(own) = tables::link_input(conn, place)? else { return Ok(None) };
    let Some(own) = decode::<LinkInput>(&own) else { return Ok(None) };
    let local = own.edges.iter().map(|edge| LinkedEdge {
        from: (path.clone(), edge.from.clone()),
        relation: edge.relation,
        to: (path.clone(), edge.to.clone()),
        sure: edge.sure,
        line: edge.line,
    });
    let local: Vec<LinkedEdge> = local.collect();
    let unresolved_edges = own.unresolved_edges;
    let summary = FileCallSummary { unresolved_edges, ..FileCallSummary::default() };
    let mut links = link(world, &path, &summary)?;
    links.unresolved_calls.extend(own.unresolved_calls);
    Ok(Some((path, local, links)))
}

/// All edges that start in a file, including those of anonymous functions.
pub fn all_edges(conn: &Connection, path: &RepoPath) -> Result<Vec<super::CallEdgeRow>> {
    let world = &mut IndexedFiles::new(conn);
    let Some(place) = find_path_id(conn, path)? else { return Ok(Vec::new()) };
    let Some((_, local, links)) = link_file(world, place)? else { return Ok(Vec::new()) };
    let row = |edge: LinkedEdge| super::CallEdgeRow {
        from: edge.from,
        relation: edge.relation,
        to: edge.to,
        sure: edge.sure,
        line: edge.line,
    };
    Ok(local.into_iter().chain(links.edges).map(row).collect())
}

/// An edge between named symbols: an edge from an anonymous function starts at the named function
/// around it, an edge to one is dropped.
fn to_named_edge(edge: &LinkedEdge) -> Option<LinkedEdge> {
    let from = nearest_named_path(&edge.from.1);
    if nearest_named_path(&edge.to.1) != edge.to.1 {
        return None;
    }
    let mut edge = edge.clone();
    edge.from.1.truncate(from.len());
    (edge.from != edge.to).then_some(edge)
}

/// The path of the nearest named symbol.
fn nearest_named_path(path: &str) -> &str {
    let mut path = path;
    loop {
        let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
        if !last.starts_with('<') {
            return path;
        }
        path = before;
    }
}

/// The files of the index.
struct IndexedFiles<'c> {
    conn: &'c Connection,
    exports: HashMap<RepoPath, Option<Rc<ExportTable>>>,
    path_ids: HashMap<RepoPath, PathId>,
    name_ids: HashMap<String, NameId>,
    targets: RefCell<HashMap<RepoPath, Rc<HashMap<ImportId, RepoPath>>>>,
    declared_by: HashMap<RepoPath, Option<RepoPath>>,
    implementors: HashMap<String, Vec<RepoPath>>,
    packages: HashMap<String, Vec<RepoPath>>,
    /// Files that export a name, by their folder
    files_by_exported_name: HashMap<String, Rc<HashMap<RepoPath, Vec<RepoPath>>>>,
}

impl<'c> IndexedFiles<'c> {
    fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            exports: HashMap::new(),
            path_ids: HashMap::new(),
            name_ids: HashMap::new(),
            targets: RefCell::default(),
            declared_by: HashMap::new(),
            implementors: HashMap::new(),
            packages: HashMap::new(),
            files_by_exported_name: HashMap::new(),
        }
    }

    /// Files of a folder that export a name.
    fn files_in_folder_exporting(
        &mut self,
        folder: &RepoPath,
        name: &str,
    ) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.files_by_exported_name.get(name) {
            return Ok(known.get(folder).cloned().unwrap_or_default());
        }
        let mut all: HashMap<RepoPath, Vec<RepoPath>> = HashMap::new();
        for path in tables::files_exporting(self.conn, name)? {
            if let Some(folder) = path.parent() {
                all.entry(folder).or_default().push(path);
            }
        }
        if self.files_by_exported_name.len() >= MAX_CACHED_NAMES {
            self.files_by_exported_name.clear();
        }
        let found = all.get(folder).cloned().unwrap_or_default();
        self.files_by_exported_name.insert(name.to_owned(), Rc::new(all));
        Ok(found)
    }

    fn path_id(&mut self, path: &RepoPath) -> Result<PathId> {
        if let Some(place) = self.path_ids.get(path) {
            return Ok(*place);
        }
        let place = path_id(self.conn, path)?;
        self.path_ids.insert(path.clone(), place);
        Ok(place)
    }

    fn name_id(&mut self, name: &str) -> Result<NameId> {
        if let Some(id) = self.name_ids.get(name) {
            return Ok(*id);
        }
        let id = name_id(self.conn, name)?;
        if self.name_ids.len() >= MAX_CACHED_NAMES {
            self.name_ids.clear();
        }
        self.name_ids.insert(name.to_owned(), id);
        Ok(id)
    }
}

impl LinkSource for IndexedFiles<'_> {
    fn exports(&mut self, file: &RepoPath) -> Result<Option<Rc<ExportTable>>> {
        if let Some(face) = self.exports.get(file) {
            return Ok(face.clone());
        }
        let bytes = tables::export_table(self.conn, file)?;
        let face = bytes.and_then(|bytes| decode(&bytes)).map(Rc::new);
        if self.exports.len() >= MAX_CACHED_EXPORTS {
            self.exports.clear();
        }
        self.exports.insert(file.clone(), face.clone());
        Ok(face)
    }

    fn import_target(&mut self, file: &RepoPath, import: ImportId) -> Result<Option<RepoPath>> {
        if let Some(known) = self.targets.borrow().get(file) {
            return Ok(known.get(&import).cloned());
        }
        let all: HashMap<ImportId, RepoPath> =
            tables::import_targets(self.conn, file)?.into_iter().collect();
        let found = all.get(&import).cloned();
        self.targets.borrow_mut().insert(file.clone(), Rc::new(all));
        Ok(found)
    }

    fn declared_by(&mut self, file: &RepoPath) -> Result<Option<RepoPath>> {
        if let Some(known) = self.declared_by.get(file) {
            return Ok(known.clone());
        }
        let found = tables::declared_by(self.conn, file)?;
        self.declared_by.insert(file.clone(), found.clone());
        Ok(found)
    }

    fn package_roots(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.packages.get(name) {
            return Ok(known.clone());
        }
        let manifests = tables::files_exporting(self.conn, &format!("crate {name}"))?;
        let shortest = manifests.into_iter().min_by_key(|path| path.as_bytes().len());
        let folder = shortest.and_then(|path| path.parent());
        let roots = folder.into_iter().flat_map(|folder| {
            let folder = if folder.is_root() { String::new() } else { format!("{folder}/") };
            ["src/lib.rs", "lib.rs", "src/main.rs"].map(|end| format!("{folder}{end}"))
        });
        let roots: Vec<RepoPath> = roots.filter_map(|root| root.parse().ok()).collect();
        self.packages.insert(name.to_owned(), roots.clone());
        Ok(roots)
    }

    fn package_files_declaring(&mut self, file: &RepoPath, name: &str) -> Result<Vec<RepoPath>> {
        let mut all = self.package_files_contributing(file, name, file)?;
        // A package does not see its test files.
        if !is_private_to_package_tests(file) {
            all.retain(|mate| !is_private_to_package_tests(mate));
        }
        Ok(all)
    }

    fn package_files_contributing(
        &mut self,
        file: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>> {
        let language = Language::from_path(file);
        let Some(folder) = file.parent() else { return Ok(Vec::new()) };
        let mut all = self.files_in_folder_exporting(&folder, name)?;
        all.retain(|one| one != file && Language::from_path(one) == language);
        let Some(own) = self.exports(file)?.filter(|face| face.namespace.is_some()) else {
            return Ok(all);
        };
        let asking =
            self.exports(asker)?.map(|face| go_build_set(asker, &face)).unwrap_or_default();
        let own_builds = go_build_set(file, &own);
        // A folder may hold a package, its tests, and programs that are built separately.
        let mut parts = Vec::new();
        for part in all {
            let Some(face) = self.exports(&part)? else { continue };
            let part_builds = go_build_set(&part, &face);
            let is_built =
                !own_builds.and(part_builds).is_empty() && !asking.and(part_builds).is_empty();
            if face.namespace == own.namespace && is_built {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    fn imported_package_files(
        &mut self,
        folder: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>> {
        let own = self.exports(asker)?.map(|face| go_build_set(asker, &face)).unwrap_or_default();
        let mut all = Vec::new();
        for file in self.files_in_folder_exporting(folder, name)? {
            let Some(face) = self.exports(&file)?.filter(|_| !is_private_to_package_tests(&file))
            else {
                continue;
            };
            let is_package = face.namespace.as_ref().is_some_and(|name| name != "main");
            let is_built = !own.and(go_build_set(&file, &face)).is_empty();
            if is_package && is_built {
                all.push(file);
            }
        }
        Ok(all)
    }

    fn files_with_method(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        tables::files_exporting(self.conn, &format!("{METHOD_PREFIX}{name}"))
    }

    fn files_with_schema_key(&mut self, key: &str) -> Result<Vec<RepoPath>> {
        tables::files_exporting(self.conn, key)
    }

    fn files_with_impl(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.implementors.get(name) {
            return Ok(known.clone());
        }
        let found = tables::files_exporting(self.conn, &format!("impl {name}"))?;
        self.implementors.insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

/// The builds that a Go file is part of.
fn go_build_set(file: &RepoPath, face: &ExportTable) -> GoBuildSet {
    let name = std::str::from_utf8(file.name_bytes()).unwrap_or_default();
    face.builds.and(GoBuildSet::of_name(name))
}
