//! What manifests say about packages: their names, their entries, where imports lead.

use serde::{Deserialize, Serialize};

/// The parts of a manifest that imports depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Manifest {
    /// `Cargo.toml`
    Cargo(Box<CargoManifest>),
    /// `package.json`
    Npm(Box<NpmManifest>),
    /// `tsconfig.json`, `jsconfig.json` and what they extend
    TsConfig(Box<TsConfig>),
    /// `pnpm-workspace.yaml`: the globs of its packages
    Pnpm(Vec<String>),
    /// `go.mod`, `go.work`
    Go(GoModule),
    /// `pyproject.toml`, `setup.cfg`
    Python(PythonProject),
}

/// A Rust package, a workspace, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CargoManifest {
    /// The package's name as it is written
    pub name: Option<String>,
    /// The name of its library, when that is another
    pub lib_name: Option<String>,
    /// The file of its library, when that is not `src/lib.rs`
    pub lib_path: Option<String>,
    /// Files of its other targets that are named
    pub targets: Vec<String>,
    /// Folders in which a file is no target unless it is named, each ending with `/`
    pub named_only: Vec<String>,
    /// Whether it may be published, so that strangers may use it
    pub is_published: bool,
    /// What it depends on
    pub dependencies: Vec<CargoDependency>,
    /// What members of this workspace may inherit
    pub inherited: Vec<CargoDependency>,
    /// Whether it is the root of a workspace
    pub is_workspace: bool,
}

/// One dependency of a Rust package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CargoDependency {
    /// The name it is known by here
    pub key: String,
    /// Its own name, when that is another
    pub package: Option<String>,
    /// The folder it is in
    pub path: Option<String>,
    /// Whether the rest is declared in the workspace
    pub is_inherited: bool,
}

/// An npm package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NpmManifest {
    /// Its name
    pub name: Option<String>,
    /// Whether it cannot be published
    pub is_private: bool,
    /// Files it names as its entries, the most telling first: `types`, `source`, `module`, `main`
    pub mains: Vec<String>,
    /// Files it installs as programs
    pub bins: Vec<String>,
    /// Files that its scripts name
    pub scripts: Vec<String>,
    /// `exports`
    pub exports: Option<ConditionalTarget>,
    /// `imports`
    pub imports: Option<ConditionalTarget>,
    /// Globs of the workspace's packages
    pub workspaces: Vec<String>,
    /// Its dependencies, each with the requested version
    pub dependencies: Vec<(String, String)>,
}

/// A value of `exports` or `imports`, in the order it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionalTarget {
    /// The path is not exported (`null`)
    Nothing,
    /// A file
    File(String),
    /// The first that works
    First(Vec<ConditionalTarget>),
    /// By subpath or condition
    Keyed(Vec<(String, ConditionalTarget)>),
}

/// Options of the TypeScript compiler that say where modules are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TsConfig {
    /// Configurations it builds on, the last wins
    pub extends: Vec<String>,
    /// The folder that bare names start from
    pub base_url: Option<String>,
    /// Patterns and where they lead
    pub paths: Option<Vec<(String, Vec<String>)>>,
    /// Folders that count as one
    pub root_dirs: Vec<String>,
    /// Where sources are
    pub root_dir: Option<String>,
    /// Where compiled files go
    pub out_dir: Option<String>,
    /// Other projects
    pub references: Vec<String>,
}

/// A Go module; a workspace has no path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoModule {
    /// Its path
    pub module: Option<String>,
    /// Modules that are taken from a folder instead
    pub replaced: Vec<(String, String)>,
}

/// A Python project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonProject {
    /// Its name
    pub name: Option<String>,
    /// Folders that its packages are in
    pub roots: Vec<String>,
    /// What its programs and plugins start: `package.module:name`
    pub entries: Vec<String>,
}
