//! Loads further projects before a question about all files: a TypeScript server knows only the
//! projects of files that were opened, and a C server only the opened files, unless a compilation
//! database lists all.

use std::collections::{BTreeMap, BTreeSet};

use base::entity::own_name;
use base::{RepoPath, Result};
use rayon::prelude::*;
use syntax::{ImportResolver, Language};

use super::target_position::word_offsets;
use super::{LanguageServer, MissingServer, TargetPosition, exists_above};
use crate::answers::role::is_test_file;
use engine::index::tables;
use engine::view::View;

/// Maximum number of further projects; each costs the server memory.
const MAX_PROJECTS: usize = 16;

/// Larger files are not searched, in bytes.
const MAX_FILE_BYTES: u64 = 2 << 20;

impl<'v> LanguageServer<'v> {
    /// The server for a question about all files; an error if it knows only some of them.
    pub(crate) fn open_for_all(
        view: &'v View<'v>,
        path: &RepoPath,
        language: Language,
    ) -> Result<Result<Self, MissingServer>> {
        let server = match Self::open(view, path, language)? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        let session = &server.session;
        let (program, name) = (&session.program, session.server_info.name.as_deref());
        let reads = syntax::tools::server_by_program(name.unwrap_or(program))
            .map_or(&[][..], |known| known.project_files);
        if let Some(first) = reads.first()
            && !exists_above(view, path, reads)
        {
            let why = format!("{program} knows only opened files, because there is no {first}");
            return Ok(Err(MissingServer::new(base::ProblemCode::Unavailable, why).hint(
                "create one with, for example,  cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON  or  bear -- make",
            )));
        }
        Ok(Ok(server))
    }
}

impl LanguageServer<'_> {
    /// Opens a file of each other project that mentions the symbol, and tests that do: they often
    /// belong to another project. Returns whether there are any.
    pub(crate) fn open_projects_mentioning(
        &self,
        target_position: &TargetPosition,
    ) -> Result<bool> {
        let base::EntityRef::Symbol(_, name) = &target_position.node else { return Ok(false) };
        if !is_script(&target_position.path) {
            return Ok(false);
        }
        let all = tables::all_files(self.view.index()?.conn())?;
        let projects: BTreeSet<RepoPath> =
            all.iter().filter(|path| is_project(path)).filter_map(RepoPath::parent).collect();
        let (name, tree) = (own_name(name.as_str()), self.view.tree());
        let unit = |path: &RepoPath| match is_test_file(path) {
            true => Some(path.clone()),
            false => project_of(path, &projects),
        };
        let own = unit(&target_position.path);
        let others: Vec<&RepoPath> = all
            .par_iter()
            .filter(|path| is_script(path) && unit(path) != own)
            .filter(|path| match tree.read_at_most(path, MAX_FILE_BYTES) {
                Ok(Some(Ok(blob))) => {
                    word_offsets(&String::from_utf8_lossy(&blob.bytes), name).next().is_some()
                }
                _ => false,
            })
            .collect();
        let mut one_each: BTreeMap<Option<RepoPath>, &RepoPath> = BTreeMap::new();
        for path in others {
            one_each.entry(unit(path)).or_insert(path);
        }
        if one_each.len() > MAX_PROJECTS {
            let left = one_each.len() - MAX_PROJECTS;
            self.view
                .mark_partial(format!("{left} projects or tests that mention it were not loaded"));
        }
        let shown: Vec<&RepoPath> = one_each.into_values().take(MAX_PROJECTS).collect();
        self.open_files(&shown)?;
        Ok(!shown.is_empty())
    }
}

/// Whether a language server loads files of this language by project, as `tsconfig.json` lists them.
fn is_script(path: &RepoPath) -> bool {
    Language::from_path(path)
        .is_some_and(|language| language.semantics().imports == ImportResolver::JavaScript)
}

fn is_project(path: &RepoPath) -> bool {
    matches!(path.name().as_str(), "tsconfig.json" | "jsconfig.json")
}

/// The nearest folder at or above a file that is the root of a project.
fn project_of(path: &RepoPath, projects: &BTreeSet<RepoPath>) -> Option<RepoPath> {
    let mut folder = path.parent();
    while let Some(here) = folder {
        if projects.contains(&here) {
            return Some(here);
        }
        folder = here.parent();
    }
    None
}
