//! The call graph as a part of the index: what a file says when it is read, and what files mean
//! together once all are.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use base::{Hash, RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{
    FileFacts, GoBuildSet, Language, LanguageKind, Manifest, is_private_to_package_tests,
};

use super::link::{
    DECLARED_BY_KEY, LinkResult, LinkSource, LinkedEdge, METHOD_PREFIX, PACKAGE_PREFIX, link,
};
use super::summary::{
    ExportTable, FileCallSummary, LocalEdge, UnresolvedEdge, collect_ref_imports,
    collect_value_imports,
};
use super::value::ExportedValue;
use super::{interpreter, tables};

/// Faces that are kept while files are linked; bounds memory.
const MAX_CACHED_EXPORTS: usize = 3_000;

/// Names of which it is kept who offers them; bounds memory too.
const MAX_CACHED_NAMES: usize = 50_000;

/// What all of a name's dependents rest on when a whole file came, went or takes in another.
const WHOLE_FILE_KEY: &str = "";

/// What a file asks, apart from what it offers.
#[derive(Serialize, Deserialize)]
struct LinkInput {
    edges: Vec<LocalEdge>,
    wants: Vec<UnresolvedEdge>,
    names: Vec<(String, String, u32)>,
}

/// A name that a file offers, with a digest of what is behind it and the imports that it comes
/// through.
#[derive(Debug, Serialize, Deserialize)]
struct ExportDigest {
    name: String,
    digest: i64,
    imports: Vec<(String, u32)>,
}

/// What a file says about calls, as it is kept: a pure function of its facts, and the dearest.
#[derive(Debug)]
pub struct CallDigest {
    export_table: Vec<u8>,
    link_input: Vec<u8>,
    export_digests: Vec<u8>,
    is_cut: bool,
}

impl CallDigest {
    /// Interprets a file; none if it is no code.
    pub fn of(path: &RepoPath, facts: &FileFacts) -> Option<Self> {
        let language = Language::from_path(path)?;
        let summary = match (language.descriptor().kind, &facts.manifest) {
            (LanguageKind::Prose, _) => return None,
            (LanguageKind::Manifest, Some(Manifest::Cargo(_))) => manifest_summary(facts),
            _ => interpreter::interpret(language, facts),
        };
        let bytes = |written: postcard::Result<Vec<u8>>| written.unwrap_or_default();
        let parts = bytes(postcard::to_stdvec(&export_digests(&summary.face)));
        let face = bytes(postcard::to_stdvec(&summary.face));
        let FileCallSummary { edges, wants, names, is_cut, .. } = summary;
        let own = bytes(postcard::to_stdvec(&LinkInput { edges, wants, names }));
        Some(Self { export_table: face, link_input: own, export_digests: parts, is_cut })
    }
}

/// Takes in what a file says about calls.
pub(crate) fn index_file(conn: &Connection, path: &RepoPath, digest: &CallDigest) -> Result<()> {
    let place = tables::path_id(conn, path)?;
    let CallDigest { export_table: face, link_input: own, export_digests: parts, is_cut } = digest;
    tables::put_summary(conn, place, (face, own, parts), *is_cut)?;
    tables::mark_touched(conn, place)
}

/// A manifest offers its package.
fn manifest_summary(facts: &FileFacts) -> FileCallSummary {
    let mut face = ExportTable::default();
    if let Some(Manifest::Cargo(cargo)) = &facts.manifest
        && let Some(name) = cargo.lib_name.as_ref().or(cargo.name.as_ref())
    {
        face.names.insert(format!("crate {}", name.replace('-', "_")), Vec::new());
    }
    FileCallSummary { face, ..FileCallSummary::default() }
}

/// Drops what a file said.
pub(crate) fn remove_file(conn: &Connection, path: &RepoPath) -> Result<()> {
    match tables::find_path_id(conn, path)? {
        Some(place) => {
            tables::remove_summary(conn, place)?;
            tables::mark_touched(conn, place)
        }
        None => Ok(()),
    }
}

/// Links all files whose wants may be answered otherwise than before.
pub fn link_pending(conn: &Connection) -> Result<()> {
    let world = &mut IndexedFiles::new(conn);
    for place in tables::touched(conn)? {
        mark_changed_exports(world, place)?;
    }
    for place in tables::stale_files(conn)? {
        relink(world, place)?;
    }
    tables::clear_stale(conn)
}

/// Compares what a file offers with what it offered, and marks who rests on what differs.
fn mark_changed_exports(world: &mut IndexedFiles<'_>, place: i64) -> Result<()> {
    let conn = world.conn;
    let Some(path) = tables::path_by_id(conn, place)? else { return Ok(()) };
    let mut before: BTreeMap<String, i64> =
        tables::exported_names(conn, place)?.into_iter().collect();
    let parts = tables::export_digests(conn, place)?;
    let parts = parts.and_then(|bytes| postcard::from_bytes::<Vec<ExportDigest>>(&bytes).ok());
    let now = match parts {
        Some(parts) => exported_name_digests(world, &path, parts)?,
        None => BTreeMap::new(),
    };
    let mut changed = Vec::new();
    for (name, digest) in &now {
        if before.remove(name) != Some(*digest) {
            tables::put_exported_name(conn, place, (name, *digest))?;
            changed.push(name.clone());
        }
    }
    for name in before.into_keys() {
        tables::remove_exported_name(conn, place, &name)?;
        changed.push(name);
    }
    let folder = match path.parent() {
        Some(folder) => tables::find_path_id(conn, &folder)?,
        None => None,
    };
    let root = tables::find_path_id(conn, &RepoPath::ROOT)?;
    for name in changed {
        if name == WHOLE_FILE_KEY {
            tables::mark_all_dependents_stale(conn, place)?;
        } else if let Some(module) = name.strip_prefix("mod ") {
            let module: Option<RepoPath> = module.parse().ok();
            if let Some(module) = module
                && let Some(module) = tables::find_path_id(conn, &module)?
            {
                tables::mark_dependents_stale(conn, module, DECLARED_BY_KEY)?;
            }
        } else {
            tables::mark_dependents_stale(conn, place, &name)?;
        }
        let everywhere = ["impl ", "crate ", METHOD_PREFIX].iter().any(|one| name.starts_with(one));
        if let Some(root) = root.filter(|_| everywhere) {
            tables::mark_dependents_stale(conn, root, &name)?;
        }
        if let Some(folder) = folder {
            tables::mark_dependents_stale(conn, folder, &name)?;
        }
    }
    Ok(())
}

/// The names that a file offers, each with a digest of what is behind it: the values, the shapes
/// inside of it, and the files that the imports it mentions mean.
fn exported_name_digests(
    world: &IndexedFiles<'_>,
    path: &RepoPath,
    parts: Vec<ExportDigest>,
) -> Result<BTreeMap<String, i64>> {
    let targets: HashMap<u32, RepoPath> =
        tables::import_targets(world.conn, path)?.into_iter().collect();
    let mut all = BTreeMap::new();
    for part in parts {
        let mut whole = part.digest;
        if !part.imports.is_empty() {
            let mut bytes = part.digest.to_le_bytes().to_vec();
            for (key, import) in &part.imports {
                encode(&mut bytes, &(key, targets.get(import).map(RepoPath::as_bytes)));
            }
            whole = digest(&bytes);
        }
        all.insert(part.name, whole);
    }
    for module in tables::declared_modules(world.conn, path)? {
        all.insert(format!("mod {module}"), 0);
    }
    Ok(all)
}

/// What is behind each name that a face offers, as far as the file itself tells.
fn export_digests(face: &ExportTable) -> Vec<ExportDigest> {
    let mut parts: BTreeMap<&str, (Vec<u8>, BTreeSet<&str>)> = BTreeMap::new();
    // Who sees a name depends on the package that has it.
    let start = || {
        let mut bytes = Vec::new();
        if face.namespace.is_some() {
            encode(&mut bytes, &(&face.namespace, &face.builds));
        }
        (bytes, BTreeSet::new())
    };
    let top = |name: &'_ str| name.split('.').next().unwrap_or_default().len();
    for (name, outs) in &face.names {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        encode(part, &(name, outs));
        collect_value_imports(outs, imports);
    }
    for (name, symbol) in &face.declared {
        encode(&mut parts.entry(&name[..top(name)]).or_insert_with(start).0, &(name, symbol));
    }
    for (name, shape) in &face.shapes {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        encode(part, &(name, &**shape));
        shape.collect_imports(imports);
    }
    let (part, imports) = parts.entry(WHOLE_FILE_KEY).or_insert_with(start);
    encode(part, &(&face.stars, &face.interfaces));
    face.stars.iter().for_each(|(_, star)| collect_ref_imports(star, imports));
    let known = |key: &&str| Some(((*key).to_owned(), *face.imports.get(*key)?));
    let part = |(name, (bytes, imports)): (&str, (Vec<u8>, BTreeSet<&str>))| ExportDigest {
        name: name.to_owned(),
        digest: digest(&bytes),
        imports: imports.iter().filter_map(known).collect(),
    };
    let mut all: Vec<ExportDigest> = parts.into_iter().map(part).collect();
    if let Some(namespace) = &face.namespace {
        let name = format!("{PACKAGE_PREFIX}{namespace}");
        all.push(ExportDigest { name, digest: 0, imports: Vec::new() });
    }
    let mut methods: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (of, name, signature) in face.methods() {
        encode(methods.entry(name).or_default(), &(&face.namespace, of, signature));
    }
    for (name, bytes) in methods {
        let (name, digest) = (format!("{METHOD_PREFIX}{name}"), digest(&bytes));
        all.push(ExportDigest { name, digest, imports: Vec::new() });
    }
    let implemented: BTreeSet<&str> = face.external_impl_types().collect();
    for name in implemented {
        let shapes: Vec<(&str, &BTreeMap<String, Vec<ExportedValue>>)> =
            face.external_impls(name).map(|(path, _, members)| (path, members)).collect();
        let mut bytes = Vec::new();
        encode(&mut bytes, &shapes);
        let (name, digest) = (format!("impl {name}"), digest(&bytes));
        all.push(ExportDigest { name, digest, imports: Vec::new() });
    }
    all
}

fn encode(into: &mut Vec<u8>, value: &impl Serialize) {
    into.extend(postcard::to_stdvec(value).unwrap_or_default());
}

fn digest(bytes: &[u8]) -> i64 {
    let hash = Hash::of(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_le_bytes(first)
}

/// Answers a file's wants anew.
fn relink(world: &mut IndexedFiles<'_>, place: i64) -> Result<()> {
    let conn = world.conn;
    tables::remove_links(conn, place)?;
    let Some((path, edges, links)) = link_file(world, place)? else { return Ok(()) };
    for edge in edges.iter().chain(&links.edges) {
        if let Some(edge) = to_named_edge(edge) {
            let ends = (world.path_id(&edge.from.0)?, world.path_id(&edge.to.0)?);
            tables::put_edge(conn, place, ends, &edge)?;
        }
    }
    for (from, name, line) in &links.unresolved_calls {
        tables::put_unresolved_call(conn, place, (nearest_named_path(from), name, *line))?;
    }
    for (on, names) in &links.dependencies {
        let is_other = |name: &&String| *on != path || *name == DECLARED_BY_KEY;
        let on = world.path_id(on)?;
        for name in names.iter().filter(is_other) {
            tables::put_dependency(conn, place, (on, name))?;
        }
    }
    Ok(())
}

/// A file, the edges it says itself, and what its wants come to.
type FileEdges = (RepoPath, Vec<LinkedEdge>, LinkResult);

/// What a file says itself, and what its wants come to.
fn link_file(world: &mut IndexedFiles<'_>, place: i64) -> Result<Option<FileEdges>> {
    let conn = world.conn;
    let Some(path) = tables::path_by_id(conn, place)? else { return Ok(None) };
    let Some(own) = tables::link_input(conn, place)? else { return Ok(None) };
    let Ok(own) = postcard::from_bytes::<LinkInput>(&own) else { return Ok(None) };
    let local = own.edges.iter().map(|edge| LinkedEdge {
        from: (path.clone(), edge.from.clone()),
        relation: edge.relation,
        to: (path.clone(), edge.to.clone()),
        sure: edge.sure,
        line: edge.line,
    });
    let local: Vec<LinkedEdge> = local.collect();
    let summary = FileCallSummary { wants: own.wants, ..FileCallSummary::default() };
    let mut links = link(world, &path, &summary)?;
    links.unresolved_calls.extend(own.names);
    Ok(Some((path, local, links)))
}

/// Every edge that a file says, functions without a name included: who, whom, and how sure.
pub fn all_edges(conn: &Connection, path: &RepoPath) -> Result<Vec<super::CallEdgeRow>> {
    let world = &mut IndexedFiles::new(conn);
    let Some(place) = tables::find_path_id(conn, path)? else { return Ok(Vec::new()) };
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

/// An edge between symbols that have names: what a nameless function does, the one around it
/// does; what is done to it is left out.
fn to_named_edge(edge: &LinkedEdge) -> Option<LinkedEdge> {
    let from = nearest_named_path(&edge.from.1);
    if nearest_named_path(&edge.to.1) != edge.to.1 {
        return None;
    }
    let mut edge = edge.clone();
    edge.from.1.truncate(from.len());
    (edge.from != edge.to).then_some(edge)
}

/// The path of the nearest symbol with a name.
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

/// All files, as the index has them.
struct IndexedFiles<'c> {
    conn: &'c Connection,
    exports: HashMap<RepoPath, Option<Rc<ExportTable>>>,
    path_ids: HashMap<RepoPath, i64>,
    targets: RefCell<HashMap<RepoPath, Rc<HashMap<u32, RepoPath>>>>,
    declared_by: HashMap<RepoPath, Option<RepoPath>>,
    implementors: HashMap<String, Vec<RepoPath>>,
    packages: HashMap<String, Vec<RepoPath>>,
    /// Files that offer a name, by their folder
    files_by_exported_name: HashMap<String, Rc<HashMap<RepoPath, Vec<RepoPath>>>>,
}

impl<'c> IndexedFiles<'c> {
    fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            exports: HashMap::new(),
            path_ids: HashMap::new(),
            targets: RefCell::default(),
            declared_by: HashMap::new(),
            implementors: HashMap::new(),
            packages: HashMap::new(),
            files_by_exported_name: HashMap::new(),
        }
    }

    /// Files of a folder that offer a name.
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

    fn path_id(&mut self, path: &RepoPath) -> Result<i64> {
        if let Some(place) = self.path_ids.get(path) {
            return Ok(*place);
        }
        let place = tables::path_id(self.conn, path)?;
        self.path_ids.insert(path.clone(), place);
        Ok(place)
    }
}

impl LinkSource for IndexedFiles<'_> {
    fn exports(&mut self, file: &RepoPath) -> Result<Option<Rc<ExportTable>>> {
        if let Some(face) = self.exports.get(file) {
            return Ok(face.clone());
        }
        let bytes = tables::export_table(self.conn, file)?;
        let face = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()).map(Rc::new);
        if self.exports.len() >= MAX_CACHED_EXPORTS {
            self.exports.clear();
        }
        self.exports.insert(file.clone(), face.clone());
        Ok(face)
    }

    fn import_target(&mut self, file: &RepoPath, import: u32) -> Result<Option<RepoPath>> {
        if let Some(known) = self.targets.borrow().get(file) {
            return Ok(known.get(&import).cloned());
        }
        let all: HashMap<u32, RepoPath> =
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
        // A package does not see what is there for its tests alone.
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
        // A folder may hold a package, its tests and programs that are built on their own.
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
