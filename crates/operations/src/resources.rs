//! What agents can read by address, without a tool: one function and one line in [`RESOURCES`].

use base::{Problem, RepoPath, Result};

use engine::areas::files;
use engine::view::View;

/// The largest text that can be read as a resource, in bytes.
const MAX_TEXT_BYTES: u64 = 512 * 1024;

/// How many resources are listed, and how many completions are offered, at most.
const MAX_LISTED: usize = 100;

/// A family of resources with one address template.
pub struct Resource {
    /// What comes before the variable part of the address
    pub prefix: &'static str,
    /// The name of the variable part
    pub variable: &'static str,
    /// What it is called
    pub name: &'static str,
    /// What it gives
    pub description: &'static str,
    /// The resources that are listed: the variable part and a title
    pub list: fn(&View<'_>) -> Result<Vec<ResourceEntry>>,
    /// Reads one
    pub read: fn(&View<'_>, &str) -> Result<ResourceContent>,
    /// Completions for the start of a variable part
    pub complete: fn(&View<'_>, &str) -> Result<Vec<String>>,
}

/// The variable part of an address, and a title.
pub type ResourceEntry = (String, String);

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// Text
    Text(String),
    /// Anything else
    Bytes(Vec<u8>),
}

impl Resource {
    /// The address template.
    pub fn template(&self) -> String {
        format!("{}{{+{}}}", self.prefix, self.variable)
    }
}

/// Every family of resources.
pub const RESOURCES: &[Resource] = &[
    Resource {
        prefix: "cairn://file/",
        variable: "path",
        name: "file",
        description: "A file of the working tree as it is now",
        list: list_files,
        read: read_file,
        complete: complete_files,
    },
    Resource {
        prefix: "cairn://kb/",
        variable: "name",
        name: "knowledge base",
        description: "The types, statuses, priorities and relations of the knowledge base, as JSON",
        list: |_| Ok(vec![(KB_SCHEMA.into(), "Types and relations of the knowledge base".into())]),
        read: read_kb_schema,
        complete: |_, begun| {
            Ok(KB_SCHEMA.starts_with(begun).then(|| KB_SCHEMA.into()).into_iter().collect())
        },
    },
];

/// The one resource about the knowledge base.
const KB_SCHEMA: &str = "schema";

fn read_kb_schema(_: &View<'_>, name: &str) -> Result<ResourceContent> {
    if name != KB_SCHEMA {
        return Err(Problem::not_found(format!("no resource `cairn://kb/{name}`")));
    }
    let schema = crate::ops::kb_schema();
    Ok(ResourceContent::Text(serde_json::to_string_pretty(&schema).unwrap_or_default()))
}

/// The files at the root are where a newcomer starts.
fn list_files(view: &View<'_>) -> Result<Vec<ResourceEntry>> {
    let files = files::in_folder(view, &RepoPath::ROOT)?;
    let title =
        |file: &files::FileSummary| file.title.clone().unwrap_or_else(|| file.path.to_string());
    Ok(files.iter().take(MAX_LISTED).map(|file| (file.path.to_string(), title(file))).collect())
}

fn read_file(view: &View<'_>, path: &str) -> Result<ResourceContent> {
    view.paths().check_inside(path)?;
    let path: RepoPath = path.parse().map_err(Problem::invalid)?;
    let absent = || Problem::not_found(format!("no file `{path}`"));
    if files::file_summary(view, &path)?.is_none() {
        return Err(match view.tree().stat_if_reachable(&path) {
            None => absent(),
            Some(_) => Problem::not_found(format!("`{path}` is not a file of the project"))
                .hint("ignored files, links and folders are not available as resources"),
        });
    }
    let blob = view.tree().read_at_most(&path, MAX_TEXT_BYTES)?.ok_or_else(absent)?;
    let large = |size: u64| {
        Problem::invalid(format!("`{path}` has {size} bytes, more than {MAX_TEXT_BYTES}"))
            .hint("read a part of it with `code.show`")
    };
    let bytes = blob.map_err(large)?.bytes;
    Ok(String::from_utf8(bytes)
        .map_or_else(|e| ResourceContent::Bytes(e.into_bytes()), ResourceContent::Text))
}

fn complete_files(view: &View<'_>, begun: &str) -> Result<Vec<String>> {
    let paths = files::all_paths(view)?;
    let mut fitting: Vec<String> =
        paths.iter().map(ToString::to_string).filter(|path| path.starts_with(begun)).collect();
    fitting.sort();
    fitting.truncate(MAX_LISTED);
    Ok(fitting)
}
