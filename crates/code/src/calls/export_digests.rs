//! Digests of exported names: they show which files depend on something that changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::{Hash, RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::schema;

use super::ids::ImportId;
use super::link::{DECLARED_BY_KEY, METHOD_PREFIX, PACKAGE_PREFIX, SCHEMA_PREFIX};
use super::persist::decode;
use super::summary::{ExportTable, collect_ref_imports, collect_value_imports};
use super::tables;
use super::value::ExportedValue;
use crate::interning::{PathId, find_path_id, path_by_id};

/// Dependency key for a file as a whole: it appeared, was deleted, or its star imports changed.
const WHOLE_FILE_KEY: &str = "";

/// An exported name, with a digest of its value and the imports that the value depends on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ExportDigest {
    name: String,
    digest: i64,
    imports: Vec<(String, u32)>,
}

/// Compares the exports of a file with its earlier ones, and marks the files that depend on a
/// difference.
pub(super) fn mark_changed_exports(conn: &Connection, place: PathId) -> Result<()> {
    let Some(path) = path_by_id(conn, place)? else { return Ok(()) };
    let mut before: BTreeMap<String, i64> =
        tables::exported_names(conn, place)?.into_iter().collect();
    let parts = tables::export_digests(conn, place)?;
    let parts = parts.and_then(|bytes| decode::<Vec<ExportDigest>>(&bytes));
    let now = match parts {
        Some(parts) => exported_name_digests(conn, &path, parts)?,
        None => BTreeMap::new(),
    };
    let mut changed = Vec::new();
    for (name, digest) in &now {
        if before.remove(name) != Some(*digest) {
            tables::put_exported_name(conn, place, name, *digest)?;
            changed.push(name.clone());
        }
    }
    for name in before.into_keys() {
        tables::remove_exported_name(conn, place, &name)?;
        changed.push(name);
    }
    let folder = match path.parent() {
        Some(folder) => find_path_id(conn, &folder)?,
        None => None,
    };
    let root = find_path_id(conn, &RepoPath::ROOT)?;
    for name in changed {
        if name == WHOLE_FILE_KEY {
            tables::mark_all_dependents_stale(conn, place)?;
        } else if let Some(module) = name.strip_prefix("mod ") {
            let module: Option<RepoPath> = module.parse().ok();
            if let Some(module) = module
                && let Some(module) = find_path_id(conn, &module)?
            {
                tables::mark_dependents_stale(conn, module, DECLARED_BY_KEY)?;
            }
        } else {
            tables::mark_dependents_stale(conn, place, &name)?;
        }
        let prefixes = ["impl ", "crate ", METHOD_PREFIX, SCHEMA_PREFIX];
        let everywhere = prefixes.iter().any(|one| name.starts_with(one));
        if let Some(root) = root.filter(|_| everywhere) {
            tables::mark_dependents_stale(conn, root, &name)?;
        }
        if let Some(folder) = folder {
            tables::mark_dependents_stale(conn, folder, &name)?;
        }
    }
    Ok(())
}

/// The exported names of a file, each with a digest of its value, of the shapes inside of it, and
/// of the files that its imports mean.
fn exported_name_digests(
    conn: &Connection,
    path: &RepoPath,
    parts: Vec<ExportDigest>,
) -> Result<BTreeMap<String, i64>> {
    let targets: HashMap<ImportId, RepoPath> =
        tables::import_targets(conn, path)?.into_iter().collect();
    let mut all = BTreeMap::new();
    for part in parts {
        let mut whole = part.digest;
        if !part.imports.is_empty() {
            let mut bytes = part.digest.to_le_bytes().to_vec();
            for (key, import) in &part.imports {
                encode(
                    &mut bytes,
                    &(key, targets.get(&ImportId::from(*import)).map(RepoPath::as_bytes)),
                );
            }
            whole = digest(&bytes);
        }
        all.insert(part.name, whole);
    }
    if let Some(key) = schema::file_key(&path.name()) {
        all.insert(format!("{SCHEMA_PREFIX}{key}"), 0);
    }
    for module in tables::declared_modules(conn, path)? {
        all.insert(format!("mod {module}"), 0);
    }
    Ok(all)
}

/// Digests of the exported names, as far as the file itself decides them.
pub(super) fn digest_exports(exports: &ExportTable) -> Vec<ExportDigest> {
    let mut parts: BTreeMap<&str, (Vec<u8>, BTreeSet<&str>)> = BTreeMap::new();
    // Which files see a name depends on the package of the file.
    let start = || {
        let mut bytes = Vec::new();
        if exports.namespace.is_some() {
            encode(&mut bytes, &(&exports.namespace, &exports.builds));
        }
        (bytes, BTreeSet::new())
    };
    // The key of a schema is a name as a whole: `schema file user.proto`.
    let top = |name: &'_ str| match name.starts_with(SCHEMA_PREFIX) {
        true => name.len(),
        false => name.split('.').next().unwrap_or_default().len(),
    };
    for (name, outs) in &exports.names {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        encode(part, &(name, outs));
        collect_value_imports(outs, imports);
    }
    for (name, symbol) in &exports.declared {
        encode(&mut parts.entry(&name[..top(name)]).or_insert_with(start).0, &(name, symbol));
    }
    for (name, shape) in &exports.shapes {
        let (part, imports) = parts.entry(&name[..top(name)]).or_insert_with(start);
        encode(part, &(name, &**shape));
        shape.collect_imports(imports);
    }
    let (part, imports) = parts.entry(WHOLE_FILE_KEY).or_insert_with(start);
    encode(part, &(&exports.stars, &exports.interfaces));
    for (_, star) in &exports.stars {
        collect_ref_imports(star, imports);
    }
    let known = |key: &&str| Some(((*key).to_owned(), *exports.imports.get(*key)?));
    let part = |(name, (bytes, imports)): (&str, (Vec<u8>, BTreeSet<&str>))| ExportDigest {
        name: name.to_owned(),
        digest: digest(&bytes),
        imports: imports.iter().filter_map(known).collect(),
    };
    let mut all: Vec<ExportDigest> = parts.into_iter().map(part).collect();
    if let Some(namespace) = &exports.namespace {
        let name = format!("{PACKAGE_PREFIX}{namespace}");
        all.push(ExportDigest { name, digest: 0, imports: Vec::new() });
    }
    let mut methods: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (of, name, signature) in exports.methods() {
        encode(methods.entry(name).or_default(), &(&exports.namespace, of, signature));
    }
    for (name, bytes) in methods {
        let (name, digest) = (format!("{METHOD_PREFIX}{name}"), digest(&bytes));
        all.push(ExportDigest { name, digest, imports: Vec::new() });
    }
    let implemented: BTreeSet<&str> = exports.external_impl_types().collect();
    for name in implemented {
        let shapes: Vec<(&str, &BTreeMap<String, Vec<ExportedValue>>)> =
            exports.external_impls(name).map(|(path, _, members)| (path, members)).collect();
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
