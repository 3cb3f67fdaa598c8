//! The dependencies of the program: every crate that is linked into it, on any platform.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::run::{self, XtaskResult};

/// One crate.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct CratePackage {
    pub id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    pub description: Option<String>,
    pub repository: Option<String>,
    pub source: Option<String>,
    pub manifest_path: PathBuf,
}

impl CratePackage {
    /// Whether it is a crate of this workspace.
    pub(super) const fn is_ours(&self) -> bool {
        self.source.is_none()
    }

    /// Its folder.
    pub(super) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }
}

/// All crates of the program, sorted by name and version, and their dependencies.
#[derive(Debug)]
pub(super) struct ProgramCrates {
    pub packages: Vec<CratePackage>,
    /// Ids of the crates that each crate depends on
    pub dependencies: BTreeMap<String, Vec<String>>,
    /// The SHA-256 of each crate's file, from `Cargo.lock`, by name and version
    pub checksums: BTreeMap<(String, String), String>,
}

#[derive(Deserialize)]
struct CargoMetadata {
    packages: Vec<CratePackage>,
    resolve: MetadataResolve,
}

#[derive(Deserialize)]
struct MetadataResolve {
    nodes: Vec<MetadataNode>,
}

#[derive(Deserialize)]
struct MetadataNode {
    id: String,
    deps: Vec<MetadataDependency>,
}

#[derive(Deserialize)]
struct MetadataDependency {
    pkg: String,
    dep_kinds: Vec<MetadataDependencyKind>,
}

#[derive(Deserialize)]
struct MetadataDependencyKind {
    kind: Option<String>,
}

/// Asks cargo, and follows dependencies from the crate with the program. Dependencies of tests are
/// left out. Dependencies of builds are kept, because their code can end up in the program.
pub(super) fn read(root: &Path) -> XtaskResult<ProgramCrates> {
    let args = ["metadata", "--format-version", "1", "--locked"];
    let text = run::output(&mut run::cargo(root, &args))?;
    let metadata: CargoMetadata =
        serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let is_linked = |dep: &&MetadataDependency| {
        dep.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    };
    let nodes: BTreeMap<String, Vec<String>> = metadata
        .resolve
        .nodes
        .into_iter()
        .map(|node| {
            (node.id, node.deps.iter().filter(is_linked).map(|dep| dep.pkg.clone()).collect())
        })
        .collect();
    let program = metadata.packages.iter().find(|own| own.name == "cairn" && own.is_ours());
    let program = program.ok_or("no crate `cairn`")?.id.clone();
    let reached = reachable(&nodes, program);
    let mut packages: Vec<CratePackage> =
        metadata.packages.into_iter().filter(|own| reached.contains(&own.id)).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let dependencies = nodes.into_iter().filter(|(id, _)| reached.contains(id)).collect();
    Ok(ProgramCrates { packages, dependencies, checksums: checksums(root)? })
}

fn reachable(nodes: &BTreeMap<String, Vec<String>>, from: String) -> BTreeSet<String> {
    let (mut reached, mut queue) = (BTreeSet::new(), vec![from]);
    while let Some(id) = queue.pop() {
        if reached.insert(id.clone()) {
            queue.extend(nodes.get(&id).into_iter().flatten().cloned());
        }
    }
    reached
}

fn checksums(root: &Path) -> XtaskResult<BTreeMap<(String, String), String>> {
    let path = root.join("Cargo.lock");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let lock: toml_edit::DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let tables = lock["package"].as_array_of_tables().ok_or("Cargo.lock has no packages")?;
    let field = |table: &toml_edit::Table, name: &str| {
        table.get(name).and_then(|item| item.as_str()).map(str::to_owned)
    };
    let row = |table: &toml_edit::Table| {
        let key = (field(table, "name")?, field(table, "version")?);
        Some((key, field(table, "checksum")?))
    };
    Ok(tables.iter().filter_map(row).collect())
}
