//! The lines that hooks already printed in a session, so that they are not repeated.
//!
//! There is one file per session in the cache, with the hash of each line that was said. If a file
//! cannot be read or written, lines are only repeated.

use std::collections::BTreeSet;
use std::path::Path;

use base::Hash;

use engine::workspace::Workspace;

/// The folder, below the root.
const FOLDER: &str = ".cairn/cache/hooks";

/// With more sessions than this the folder is emptied.
const MAX_SESSIONS: usize = 64;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// What was said in one session.
pub(super) struct SessionMemory<'w> {
    workspace: &'w Workspace,
    /// The name of the file; none without a session
    file: Option<String>,
    said: BTreeSet<String>,
    has_news: bool,
}

impl<'w> SessionMemory<'w> {
    /// The memory of a session; without a session nothing is remembered.
    pub(super) fn open(workspace: &'w Workspace, session: Option<&str>) -> Self {
        let file = session.map(|session| Hash::of(session.as_bytes()).to_string());
        let path = file.as_ref().map(|file| workspace.tree.root().join(FOLDER).join(file));
        let text = path.and_then(|path| tree::read_regular(&path, MAX_BYTES).ok());
        let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let said = text.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
        Self { workspace, file, said, has_news: false }
    }

    /// Whether a line is printed for the first time. Records it as printed.
    pub(super) fn is_new(&mut self, line: &str) -> bool {
        let is_new = self.said.insert(Hash::of(line.as_bytes()).to_string());
        self.has_news |= is_new;
        is_new
    }

    /// Records a line as printed.
    pub(super) fn remember(&mut self, line: &str) {
        self.is_new(line);
    }

    /// Clears the record, because the agent's context no longer contains the earlier lines.
    pub(super) fn forget(&mut self) {
        self.said.clear();
        self.has_news = true;
    }

    /// Writes the file.
    pub(super) fn save(&self) {
        let Some(file) = self.file.as_ref().filter(|_| self.has_news) else { return };
        if tree::is_link_free(self.workspace.tree.root(), &self.workspace.data_folders.cache)
            && self.workspace.make_cache().is_ok()
        {
            let _ = self.write(file);
        }
    }

    fn write(&self, file: &str) -> base::Result<()> {
        let folder = tree::open_private_folder(&self.workspace.tree, FOLDER)?;
        let failed = || base::Problem::io("store what a hook said");
        let disk = self.workspace.disk();
        let names: Vec<_> = folder.entries().map_err(failed())?.flatten().collect();
        if names.len() > MAX_SESSIONS {
            for entry in &names {
                disk.remove(&folder, Path::new(&entry.file_name())).map_err(failed())?;
            }
        }
        let text: String = self.said.iter().map(|hash| format!("{hash}\n")).collect();
        disk.replace(&folder, Path::new(file), text.as_bytes()).map_err(failed())
    }
}
