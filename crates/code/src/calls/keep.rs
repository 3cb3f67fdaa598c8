//! The call graph as a part of the index: what a file says when it is read, and what files mean
//! together once all are.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use base::{Hash, RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{BuildSet, FileFacts, Language, Manifest};

use super::link::{DECLARED_BY, Linked, Links, METHOD, PACKAGE, World, link};
use super::summary::{Face, LocalEdge, Summary, Want, imports_in, imports_in_term};
use super::value::Out;
use super::{machine, tables};

/// Faces that are kept while files are linked; bounds memory.
const MOST_FACES: usize = 3_000;

/// Names of which it is kept who offers them; bounds memory too.
const MOST_NAMES: usize = 50_000;

/// What all of a name's dependents rest on when a whole file came, went or takes in another.
const WHOLE: &str = "";

/// What a file asks, apart from what it offers.
#[derive(Serialize, Deserialize)]
struct Own {
    edges: Vec<LocalEdge>,
    wants: Vec<Want>,
    names: Vec<(String, String, u32)>,
}

/// A name that a file offers, with a digest of what is behind it and the imports that it comes
/// through.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    digest: i64,
    imports: Vec<(String, u32)>,
}

/// What a file says about calls, as it is kept: a pure function of its facts, and the dearest.
#[derive(Debug)]
pub struct Digest {
    face: Vec<u8>,
    own: Vec<u8>,
    parts: Vec<u8>,
    is_cut: bool,
}

impl Digest {
    /// Interprets a file; none if it is no code.
    pub fn of(path: &RepoPath, facts: &FileFacts) -> Option<Self> {
        let language = Language::of(path)?;
        let summary = match language {
            Language::Markdown => return None,
            Language::CargoManifest => manifest(facts),
            language => machine::interpret(language, facts),
        };
        let bytes = |written: postcard::Result<Vec<u8>>| written.unwrap_or_default();
        let parts = bytes(postcard::to_stdvec(&parts(&summary.face)));
        let face = bytes(postcard::to_stdvec(&summary.face));
        let Summary { edges, wants, names, is_cut, .. } = summary;
        let own = bytes(postcard::to_stdvec(&Own { edges, wants, names }));
        Some(Self { face, own, parts, is_cut })
    }
}

/// Takes in what a file says about calls.
pub(crate) fn learn(conn: &Connection, path: &RepoPath, digest: &Digest) -> Result<()> {
    let place = tables::place(conn, path)?;
    let Digest { face, own, parts, is_cut } = digest;
    tables::put_summary(conn, place, (face, own, parts), *is_cut)?;
    tables::touch(conn, place)
}

/// A manifest offers its package.
fn manifest(facts: &FileFacts) -> Summary {
    let mut face = Face::default();
    if let Some(Manifest::Cargo(cargo)) = &facts.manifest
        && let Some(name) = cargo.lib_name.as_ref().or(cargo.name.as_ref())
    {
        face.names.insert(format!("crate {}", name.replace('-', "_")), Vec::new());
    }
    Summary { face, ..Summary::default() }
}

/// Drops what a file said.
pub(crate) fn forget(conn: &Connection, path: &RepoPath) -> Result<()> {
    match tables::known_place(conn, path)? {
        Some(place) => {
            tables::forget(conn, place)?;
            tables::touch(conn, place)
        }
        None => Ok(()),
    }
}

/// Links all files whose wants may be answered otherwise than before.
pub fn settle(conn: &Connection) -> Result<()> {
    let world = &mut Stored::new(conn);
    for place in tables::touched(conn)? {
        compare(world, place)?;
    }
    for place in tables::stale(conn)? {
        relink(world, place)?;
    }
    tables::clear_stale(conn)
}

/// Compares what a file offers with what it offered, and marks who rests on what differs.
fn compare(world: &mut Stored<'_>, place: i64) -> Result<()> {
    let conn = world.conn;
    let Some(path) = tables::path_of(conn, place)? else { return Ok(()) };
    let mut before: BTreeMap<String, i64> = tables::offers(conn, place)?.into_iter().collect();
    let parts = tables::parts(conn, place)?;
    let parts = parts.and_then(|bytes| postcard::from_bytes::<Vec<Part>>(&bytes).ok());
    let now = match parts {
        Some(parts) => offers(world, &path, parts)?,
        None => BTreeMap::new(),
    };
    let mut changed = Vec::new();
    for (name, digest) in &now {
        if before.remove(name) != Some(*digest) {
            tables::put_offer(conn, place, (name, *digest))?;
            changed.push(name.clone());
        }
    }
    for name in before.into_keys() {
        tables::remove_offer(conn, place, &name)?;
        changed.push(name);
    }
    let folder = match path.parent() {
        Some(folder) => tables::known_place(conn, &folder)?,
        None => None,
    };
    let root = tables::known_place(conn, &RepoPath::ROOT)?;
    for name in changed {
        if name == WHOLE {
            tables::stale_for_all(conn, place)?;
        } else if let Some(module) = name.strip_prefix("mod ") {
            let module: Option<RepoPath> = module.parse().ok();
            if let Some(module) = module
                && let Some(module) = tables::known_place(conn, &module)?
            {
                tables::stale_for(conn, module, DECLARED_BY)?;
            }
        } else {
            tables::stale_for(conn, place, &name)?;
        }
        let everywhere = ["impl ", "crate ", METHOD].iter().any(|one| name.starts_with(one));
        if let Some(root) = root.filter(|_| everywhere) {
            tables::stale_for(conn, root, &name)?;
        }
        if let Some(folder) = folder {
            tables::stale_for(conn, folder, &name)?;
        }
    }
    Ok(())
}

/// The names that a file offers, each with a digest of what is behind it: the values, the shapes
/// inside of it, and the files that the imports it mentions mean.
fn offers(world: &Stored<'_>, path: &RepoPath, parts: Vec<Part>) -> Result<BTreeMap<String, i64>> {
    let targets: HashMap<u32, RepoPath> = tables::targets(world.conn, path)?.into_iter().collect();
    let mut all = BTreeMap::new();
    for part in parts {
        let mut whole = part.digest;
        if !part.imports.is_empty() {
            let mut bytes = part.digest.to_le_bytes().to_vec();
            for (key, import) in &part.imports {
                put(&mut bytes, &(key, targets.get(import).map(RepoPath::as_bytes)));
            }
            whole = digest(&bytes);
        }
        all.insert(part.name, whole);
    }
    for module in tables::modules(world.conn, path)? {
        all.insert(format!("mod {module}"), 0);
    }
    Ok(all)
}

/// What is behind each name that a face offers, as far as the file itself tells.
fn parts(face: &Face) -> Vec<Part> {
    let mut parts: BTreeMap<&str, (Vec<u8>, BTreeSet<&str>)> = BTreeMap::new();
    // Who sees a name depends on the package that has it.
    let start = || {
        let mut bytes = Vec::new();
        if face.namespace.is_some() {
            put(&mut bytes, &(&face.namespace, &face.builds));
        }
        (bytes, BTreeSet::new())
    };
    let top = |name: &'_ str| name.split('.').next().unwrap_or_default().len();
    for (name, outs) in &face.names {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        put(part, &(name, outs));
        imports_in(outs, imports);
    }
    for (name, symbol) in &face.declared {
        put(&mut parts.entry(&name[..top(name)]).or_insert_with(start).0, &(name, symbol));
    }
    for (name, shape) in &face.shapes {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        put(part, &(name, &**shape));
        shape.imports(imports);
    }
    let (part, imports) = parts.entry(WHOLE).or_insert_with(start);
    put(part, &(&face.stars, &face.interfaces));
    face.stars.iter().for_each(|(_, star)| imports_in_term(star, imports));
    let known = |key: &&str| Some(((*key).to_owned(), *face.imports.get(*key)?));
    let part = |(name, (bytes, imports)): (&str, (Vec<u8>, BTreeSet<&str>))| Part {
        name: name.to_owned(),
        digest: digest(&bytes),
        imports: imports.iter().filter_map(known).collect(),
    };
    let mut all: Vec<Part> = parts.into_iter().map(part).collect();
    if let Some(namespace) = &face.namespace {
        let name = format!("{PACKAGE}{namespace}");
        all.push(Part { name, digest: 0, imports: Vec::new() });
    }
    let mut methods: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (of, name, signature) in face.methods() {
        put(methods.entry(name).or_default(), &(&face.namespace, of, signature));
    }
    for (name, bytes) in methods {
        let (name, digest) = (format!("{METHOD}{name}"), digest(&bytes));
        all.push(Part { name, digest, imports: Vec::new() });
    }
    let implemented: BTreeSet<&str> = face.implemented_types().collect();
    for name in implemented {
        let shapes: Vec<(&str, &BTreeMap<String, Vec<Out>>)> =
            face.implementations(name).map(|(path, _, members)| (path, members)).collect();
        let mut bytes = Vec::new();
        put(&mut bytes, &shapes);
        let (name, digest) = (format!("impl {name}"), digest(&bytes));
        all.push(Part { name, digest, imports: Vec::new() });
    }
    all
}

fn put(into: &mut Vec<u8>, value: &impl Serialize) {
    into.extend(postcard::to_stdvec(value).unwrap_or_default());
}

fn digest(bytes: &[u8]) -> i64 {
    let hash = Hash::of(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_le_bytes(first)
}

/// Answers a file's wants anew.
fn relink(world: &mut Stored<'_>, place: i64) -> Result<()> {
    let conn = world.conn;
    tables::forget_links(conn, place)?;
    let Some((path, edges, links)) = raw(world, place)? else { return Ok(()) };
    for edge in edges.iter().chain(&links.edges) {
        if let Some(edge) = named(edge) {
            let ends = (world.place(&edge.from.0)?, world.place(&edge.to.0)?);
            tables::put_edge(conn, place, ends, &edge)?;
        }
    }
    for (from, name, line) in &links.names {
        tables::put_unsure(conn, place, (outer(from), name, *line))?;
    }
    for (on, names) in &links.rests {
        let is_other = |name: &&String| *on != path || *name == DECLARED_BY;
        let on = world.place(on)?;
        for name in names.iter().filter(is_other) {
            tables::put_rest(conn, place, (on, name))?;
        }
    }
    Ok(())
}

/// A file, the edges it says itself, and what its wants come to.
type Raw = (RepoPath, Vec<Linked>, Links);

/// What a file says itself, and what its wants come to.
fn raw(world: &mut Stored<'_>, place: i64) -> Result<Option<Raw>> {
    let conn = world.conn;
    let Some(path) = tables::path_of(conn, place)? else { return Ok(None) };
    let Some(own) = tables::own(conn, place)? else { return Ok(None) };
    let Ok(own) = postcard::from_bytes::<Own>(&own) else { return Ok(None) };
    let local = own.edges.iter().map(|edge| Linked {
        from: (path.clone(), edge.from.clone()),
        relation: edge.relation,
        to: (path.clone(), edge.to.clone()),
        sure: edge.sure,
        line: edge.line,
    });
    let local: Vec<Linked> = local.collect();
    let summary = Summary { wants: own.wants, ..Summary::default() };
    let mut links = link(world, &path, &summary)?;
    links.names.extend(own.names);
    Ok(Some((path, local, links)))
}

/// Every edge that a file says, functions without a name included: who, whom, and how sure.
pub fn every_edge(conn: &Connection, path: &RepoPath) -> Result<Vec<super::EdgeRow>> {
    let world = &mut Stored::new(conn);
    let Some(place) = tables::known_place(conn, path)? else { return Ok(Vec::new()) };
    let Some((_, local, links)) = raw(world, place)? else { return Ok(Vec::new()) };
    let row = |edge: Linked| super::EdgeRow {
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
fn named(edge: &Linked) -> Option<Linked> {
    let from = outer(&edge.from.1);
    if outer(&edge.to.1) != edge.to.1 {
        return None;
    }
    let mut edge = edge.clone();
    edge.from.1.truncate(from.len());
    (edge.from != edge.to).then_some(edge)
}

/// The path of the nearest symbol with a name.
fn outer(path: &str) -> &str {
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
struct Stored<'c> {
    conn: &'c Connection,
    faces: HashMap<RepoPath, Option<Rc<Face>>>,
    places: HashMap<RepoPath, i64>,
    targets: RefCell<HashMap<RepoPath, Rc<HashMap<u32, RepoPath>>>>,
    declared_by: HashMap<RepoPath, Option<RepoPath>>,
    implementors: HashMap<String, Vec<RepoPath>>,
    packages: HashMap<String, Vec<RepoPath>>,
    /// Files that offer a name, by their folder
    offering: HashMap<String, Rc<HashMap<RepoPath, Vec<RepoPath>>>>,
}

impl<'c> Stored<'c> {
    fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            faces: HashMap::new(),
            places: HashMap::new(),
            targets: RefCell::default(),
            declared_by: HashMap::new(),
            implementors: HashMap::new(),
            packages: HashMap::new(),
            offering: HashMap::new(),
        }
    }

    /// Files of a folder that offer a name.
    fn offering(&mut self, folder: &RepoPath, name: &str) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.offering.get(name) {
            return Ok(known.get(folder).cloned().unwrap_or_default());
        }
        let mut all: HashMap<RepoPath, Vec<RepoPath>> = HashMap::new();
        for path in tables::offering(self.conn, name)? {
            if let Some(folder) = path.parent() {
                all.entry(folder).or_default().push(path);
            }
        }
        if self.offering.len() >= MOST_NAMES {
            self.offering.clear();
        }
        let found = all.get(folder).cloned().unwrap_or_default();
        self.offering.insert(name.to_owned(), Rc::new(all));
        Ok(found)
    }

    fn place(&mut self, path: &RepoPath) -> Result<i64> {
        if let Some(place) = self.places.get(path) {
            return Ok(*place);
        }
        let place = tables::place(self.conn, path)?;
        self.places.insert(path.clone(), place);
        Ok(place)
    }
}

impl World for Stored<'_> {
    fn face(&mut self, file: &RepoPath) -> Result<Option<Rc<Face>>> {
        if let Some(face) = self.faces.get(file) {
            return Ok(face.clone());
        }
        let bytes = tables::face(self.conn, file)?;
        let face = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()).map(Rc::new);
        if self.faces.len() >= MOST_FACES {
            self.faces.clear();
        }
        self.faces.insert(file.clone(), face.clone());
        Ok(face)
    }

    fn target(&mut self, file: &RepoPath, import: u32) -> Result<Option<RepoPath>> {
        if let Some(known) = self.targets.borrow().get(file) {
            return Ok(known.get(&import).cloned());
        }
        let all: HashMap<u32, RepoPath> = tables::targets(self.conn, file)?.into_iter().collect();
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

    fn package(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.packages.get(name) {
            return Ok(known.clone());
        }
        let manifests = tables::offering(self.conn, &format!("crate {name}"))?;
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

    fn mates(&mut self, file: &RepoPath, name: &str) -> Result<Vec<RepoPath>> {
        let mut all = self.parts(file, name, file)?;
        // A package does not see what is there for its tests alone.
        if Language::of(file) == Some(Language::Go) && !is_test(file) {
            all.retain(|mate| !is_test(mate));
        }
        Ok(all)
    }

    fn parts(&mut self, file: &RepoPath, name: &str, asker: &RepoPath) -> Result<Vec<RepoPath>> {
        let language = Language::of(file);
        let Some(folder) = file.parent() else { return Ok(Vec::new()) };
        let mut all = self.offering(&folder, name)?;
        all.retain(|one| one != file && Language::of(one) == language);
        let Some(own) = self.face(file)?.filter(|face| face.namespace.is_some()) else {
            return Ok(all);
        };
        let asking = self.face(asker)?.map(|face| builds(asker, &face)).unwrap_or_default();
        let own_builds = builds(file, &own);
        // A folder may hold a package, its tests and programs that are built on their own.
        let mut parts = Vec::new();
        for part in all {
            let Some(face) = self.face(&part)? else { continue };
            let part_builds = builds(&part, &face);
            let is_built =
                !own_builds.and(part_builds).is_empty() && !asking.and(part_builds).is_empty();
            if face.namespace == own.namespace && is_built {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    fn of_package(
        &mut self,
        folder: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>> {
        let own = self.face(asker)?.map(|face| builds(asker, &face)).unwrap_or_default();
        let mut all = Vec::new();
        for file in self.offering(folder, name)? {
            let Some(face) = self.face(&file)?.filter(|_| !is_test(&file)) else { continue };
            let is_package = face.namespace.as_ref().is_some_and(|name| name != "main");
            let is_built = !own.and(builds(&file, &face)).is_empty();
            if is_package && is_built {
                all.push(file);
            }
        }
        Ok(all)
    }

    fn with_method(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        tables::offering(self.conn, &format!("{METHOD}{name}"))
    }

    fn implementors(&mut self, name: &str) -> Result<Vec<RepoPath>> {
        if let Some(known) = self.implementors.get(name) {
            return Ok(known.clone());
        }
        let found = tables::offering(self.conn, &format!("impl {name}"))?;
        self.implementors.insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

/// The builds that a Go file is part of.
fn builds(file: &RepoPath, face: &Face) -> BuildSet {
    let name = std::str::from_utf8(file.name_bytes()).unwrap_or_default();
    face.builds.and(BuildSet::of_name(name))
}

/// Whether a file of a Go package is there for its tests alone.
fn is_test(file: &RepoPath) -> bool {
    file.name().ends_with("_test.go")
}
