//! Every key of `cairn.jsonc`, with its type, its meaning and its default.
//!
//! The doc comments are the descriptions in the published schema.

use std::collections::BTreeMap;

use base::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::values::{
    BranchName, CardType, EvidenceKind, FeatureState, PathPattern, Pipeline, ProgramName,
    RuleLevel, TaskState, Toolset,
};

/// What a repository tells cairn about itself. Every key is optional
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where this file's schema is, for editors; cairn does not read it
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Folders with the project's own code
    #[serde(deserialize_with = "folders")]
    pub source_dirs: Vec<RepoPath>,
    /// Entry points, as files or globs: code that they reach does not count as unused
    #[serde(deserialize_with = "plain")]
    pub entries: Vec<PathPattern>,
    /// What to leave out besides what git ignores, as gitignore patterns
    pub exclude: Vec<PathPattern>,
    /// The kinds of cards; `@see` with another kind is an error
    pub card_types: Vec<CardType>,
    /// The knowledge base
    pub kb: KbConfig,
    /// The index of the git history
    pub history: HistoryConfig,
    /// Projects, features and tasks
    pub work: WorkConfig,
    /// The index of the code
    pub code: CodeConfig,
    /// Language servers and tools, by language such as `typescript`
    pub languages: BTreeMap<String, LanguageConfig>,
    /// The MCP server
    pub mcp: McpConfig,
    /// The team that shares durable records
    pub team: TeamConfig,
}

/// The knowledge base
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KbConfig {
    /// The branch whose knowledge others start from; without it `origin/HEAD`, then `main`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<BranchName>,
    /// Folders or globs with requirements, scenarios, decisions and the like
    #[serde(deserialize_with = "plain")]
    pub documents: Vec<PathPattern>,
    /// Globs of symbol manifests, below the document folders
    #[serde(deserialize_with = "plain")]
    pub manifests: Vec<PathPattern>,
    /// Words that documents use for a status, each with the status that it means
    pub statuses: BTreeMap<String, String>,
    /// Prefixes of ids, each with the type of the entities that have it, such as `"FR-": "req"`
    pub types: BTreeMap<String, String>,
    /// Severity of each rule of `verify`, of whatever area, by its name; true is the default
    pub rules: BTreeMap<String, RuleLevel>,
}

/// The index of the git history
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryConfig {
    /// Folder names that are only structure and give no tag, anywhere in a path
    pub strip_prefixes: Vec<String>,
    /// Names too general to be a tag
    pub stop_tags: Vec<String>,
    /// Paths that are not part of the history, as gitignore patterns
    pub exclude: Vec<PathPattern>,
    /// Take a snapshot after this many commits; 0 takes none
    pub snapshot_frequency: u32,
    /// Commits that touch more files than this are ignored by co-change
    #[schemars(range(min = 1))]
    #[serde(deserialize_with = "positive")]
    pub max_commit_files: u32,
}

/// Projects, features and tasks
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorkConfig {
    /// The states that work passes through
    pub pipelines: PipelinesConfig,
    /// What has to be there before a task is closed, such as `links` or `tests`
    pub evidence: Vec<EvidenceKind>,
}

/// The states that work passes through, from `NEW` through `ACTIVE` to `CLOSED`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PipelinesConfig {
    /// A feature's states, in order
    pub feature: Pipeline<FeatureState>,
    /// A task's states, in order
    pub task: Pipeline<TaskState>,
}

/// The index of the code
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodeConfig {
    /// Files larger than this are listed as skipped
    #[schemars(range(min = 1))]
    #[serde(deserialize_with = "positive")]
    pub max_file_bytes: u32,
}

/// The programs of one language. They run only in a repository that the user trusts
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageConfig {
    /// The language server's program
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ProgramName>,
    /// The language server's arguments
    pub args: Vec<String>,
    /// The formatter's program
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatter: Option<ProgramName>,
    /// The linter's program
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linter: Option<ProgramName>,
}

/// The team that shares durable records
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TeamConfig {
    /// The id of the project in the team's database; `cairn team join` writes it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The MCP server
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// The sets of tools that are listed besides the default ones, or `all`
    pub toolsets: Vec<Toolset>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schema: None,
            source_dirs: vec![RepoPath::ROOT],
            entries: Vec::new(),
            exclude: Vec::new(),
            card_types: parse_all(&["spec", "system", "adapter"]),
            kb: KbConfig::default(),
            history: HistoryConfig::default(),
            work: WorkConfig::default(),
            code: CodeConfig::default(),
            languages: BTreeMap::new(),
            mcp: McpConfig::default(),
            team: TeamConfig::default(),
        }
    }
}

impl Default for KbConfig {
    fn default() -> Self {
        let folders =
            "docs/{requirements,scenarios,tests,adr,adrs,decisions,flags,events,facts}/**";
        Self {
            default_branch: None,
            documents: parse_all(&[
                "documentation/**",
                folders,
                "docs/architecture/{adr,adrs,decisions}/**",
                "doc/{adr,adrs,decisions,architecture/decisions}/**",
                "openspec/specs/**",
                "specs/*/spec.md",
            ]),
            manifests: parse_all(&["**/symbols.{yaml,yml,json}"]),
            statuses: BTreeMap::new(),
            types: BTreeMap::new(),
            rules: BTreeMap::new(),
        }
    }
}

impl Default for HistoryConfig {
    fn default() -> Self {
        Self {
            strip_prefixes: parse_all(&["src", "lib", "components", "app", "pages"]),
            stop_tags: parse_all(&["index", "utils", "helpers", "types"]),
            exclude: parse_all(&["node_modules/**", "dist/**", "*.lock"]),
            snapshot_frequency: 500,
            max_commit_files: 50,
        }
    }
}

impl Default for CodeConfig {
    fn default() -> Self {
        Self { max_file_bytes: 1024 * 1024 }
    }
}

fn parse_all<T: std::str::FromStr>(texts: &[&str]) -> Vec<T> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Folders as people write them: `./src` and `src/` are `src`.
fn folders<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<RepoPath>, D::Error> {
    let folder = |text: String| match RepoPath::normalised(&text.replace('\\', "/")) {
        _ if text.is_empty() || text.starts_with('/') => {
            Err(format!("`{}` is not a folder below the repository's root", text.escape_debug()))
        }
        Some(Ok(path)) => Ok(path),
        Some(Err(error)) => Err(format!("`{}` is {error}", text.escape_debug())),
        None => Err(format!("`{}` leads out of the repository", text.escape_debug())),
    };
    let texts = Vec::<String>::deserialize(input)?;
    texts.into_iter().map(folder).collect::<Result<_, _>>().map_err(serde::de::Error::custom)
}

/// Patterns of paths from the root; a leading `./` is dropped.
fn plain<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<PathPattern>, D::Error> {
    let pattern = |text: String| text.strip_prefix("./").unwrap_or(&text).parse();
    let texts = Vec::<String>::deserialize(input)?;
    texts.into_iter().map(pattern).collect::<Result<_, String>>().map_err(serde::de::Error::custom)
}

fn positive<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    match u32::deserialize(input)? {
        0 => Err(serde::de::Error::custom("0 is too small: at least 1")),
        number => Ok(number),
    }
}
