//! Go: packages are folders; a name may be in any file of its folder.

use std::collections::BTreeSet;

use base::RepoPath;
use syntax::{ImportResolver, Manifest, is_private_to_package_tests};

use super::{
    ImportUse, OutlinedFile, ResolutionContext, ResolvedImports, SymbolOrigin, ancestor_folders,
    folder_prefix, normalised_below, path_prefix,
};
use crate::outline::{ImportRequest, ModuleItemTarget};

pub(super) fn resolve(context: &ResolutionContext<'_>, here: &OutlinedFile<'_>) -> ResolvedImports {
    let imports = &here.interface.imports;
    let targets: Vec<Option<RepoPath>> =
        imports.iter().map(|asked| package_folder(context, here.path, asked)).collect();
    let mut takings = BTreeSet::new();
    for mention in &here.references.mentions {
        let (Some((import, _)), Some(name)) = (mention.import, mention.path.first()) else {
            continue;
        };
        let Some(Some(folder)) = targets.get(import as usize) else { continue };
        let line = Some(mention.line);
        takings.extend(declaring_origins(context, folder, name).map(|origin| ImportUse {
            import: Some(import),
            origin,
            line,
        }));
    }
    // A package is imported as a whole, whichever names are used.
    for (at, target) in (0..).zip(&targets) {
        for file in target.iter().flat_map(|folder| package_sources(context, folder)) {
            takings.insert(ImportUse {
                import: Some(at),
                origin: SymbolOrigin::whole_file(file),
                line: None,
            });
        }
    }
    ResolvedImports { targets, uses: takings.into_iter().collect() }
}

/// The folder of a package, if it belongs to a module of this repository.
fn package_folder(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let wanted = asked.specifier.as_str();
    if let Some(folder) =
        wanted.strip_prefix("./").and_then(|rest| normalised_below(&folder_prefix(from), rest))
    {
        return if_has_sources(context, folder);
    }
    let module = manifest_above(context, from, "go.mod");
    let own = || {
        let GoModuleAt { folder, module } = module.as_ref()?;
        folder_in_module(wanted, module.module.as_deref()?, folder)
    };
    let has = |found: RepoPath| if_has_sources(context, found);
    own()
        .and_then(has)
        .or_else(|| folder_of_replacement(wanted, module.as_ref()?).and_then(has))
        .or_else(|| {
            folder_of_replacement(wanted, &manifest_above(context, from, "go.work")?).and_then(has)
        })
        .or_else(|| vendored_folder(context, from, wanted))
        .or_else(|| sibling_module_folder(context, wanted).and_then(has))
        .or_else(|| if module.is_none() { gopath_folder(context, wanted) } else { None })
}

/// The folder of a package of a module that is in a folder.
fn folder_in_module(wanted: &str, module: &str, folder: &str) -> Option<RepoPath> {
    let rest = wanted.strip_prefix(module)?;
    let rest = if rest.is_empty() { "." } else { rest.strip_prefix('/')? };
    normalised_below(folder, rest)
}

/// The folder of a package of a module that a `replace` or `use` directive takes from a folder.
fn folder_of_replacement(wanted: &str, manifest: &GoModuleAt) -> Option<RepoPath> {
    let mut rules = manifest.module.replaced.iter();
    rules.find_map(|(name, folder)| {
        folder_in_module(wanted, name, &format!("{}{folder}/", manifest.folder))
    })
}

/// The folder of a package in a `vendor` folder of the module or above it.
fn vendored_folder(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    wanted: &str,
) -> Option<RepoPath> {
    let is_hosted = wanted.split('/').next().is_some_and(|host| host.contains('.'));
    let mut folders = ancestor_folders(from).filter(|_| is_hosted);
    folders.find_map(|folder| {
        let home = format!("{}vendor/", path_prefix(&folder));
        if_has_sources(context, normalised_below(&home, wanted)?)
    })
}

/// The folder of a package in a repository without modules: the import path without host, owner and
/// repository.
fn gopath_folder(context: &ResolutionContext<'_>, wanted: &str) -> Option<RepoPath> {
    let mut parts = wanted.splitn(4, '/');
    parts.next().filter(|host| host.contains('.'))?;
    if_has_sources(context, normalised_below("", parts.nth(2)?)?)
}

fn if_has_sources(context: &ResolutionContext<'_>, folder: RepoPath) -> Option<RepoPath> {
    (!package_sources(context, &folder).is_empty()).then_some(folder)
}

/// The folder of a package of another module of this repository, by the longest module name that
/// fits.
fn sibling_module_folder(context: &ResolutionContext<'_>, wanted: &str) -> Option<RepoPath> {
    let ends = wanted.match_indices('/').map(|(at, _)| at).chain([wanted.len()]);
    let mut ends: Vec<usize> = ends.filter(|end| wanted[..*end].contains('.')).collect();
    ends.reverse();
    ends.into_iter().find_map(|end| {
        let found = context.packages(&format!("go:{}", &wanted[..end]));
        let manifest = found.first()?;
        normalised_below(&folder_prefix(manifest), wanted[end..].trim_start_matches('/'))
    })
}

/// A Go module or workspace, and the folder of its manifest.
struct GoModuleAt {
    /// Empty for the root of the repository, else with `/` at the end
    folder: String,
    module: syntax::GoModule,
}

/// The module or workspace that a file belongs to.
fn manifest_above(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    name: &str,
) -> Option<GoModuleAt> {
    let manifest = context.first_existing(
        ancestor_folders(from).map(|folder| format!("{}{name}", path_prefix(&folder))),
    )?;
    match &*context.manifest(&manifest)? {
        Manifest::Go(module) => {
            Some(GoModuleAt { folder: folder_prefix(&manifest), module: module.clone() })
        }
        _ => None,
    }
}

/// The source files of a package without its tests, which importers do not see.
fn package_sources(context: &ResolutionContext<'_>, folder: &RepoPath) -> Vec<RepoPath> {
    let mut files = context.in_folder(folder);
    files.retain(|file| {
        ImportResolver::of_file(file) == ImportResolver::Go && !is_private_to_package_tests(file)
    });
    files
}

/// The files that declare a name: several if build tags select between them.
fn declaring_origins<'w>(
    context: &'w ResolutionContext<'_>,
    folder: &RepoPath,
    name: &'w str,
) -> impl Iterator<Item = SymbolOrigin> + 'w {
    package_sources(context, folder).into_iter().filter_map(move |file| {
        let offers = context.interface(&file)?;
        let named = offers.names.iter().find(|named| named.name == *name)?;
        let full = if let ModuleItemTarget::Own(full) = &named.what { full } else { name };
        Some(SymbolOrigin::new(file, full))
    })
}

#[cfg(test)]
mod tests {
    use crate::resolve::tests::Fixture;

    #[test]
    fn packages_are_folders_of_modules() {
        let fixture = Fixture::new(
            "//- go.mod
module example.com/a
replace example.com/c => ./vendored/c
//- main.go
package main
import (
\t\"fmt\"
\t\"example.com/a/internal/store\"
\tother \"example.com/b/pkg\"
\t_ \"example.com/c\"
)
func main() { store.Open(); var x other.Thing; fmt.Println(x) }
//- internal/store/open.go
package store
func Open() {}
//- internal/store/close.go
package store
func Close() {}
//- internal/store/open_test.go
package store
//- b/go.mod
module example.com/b
//- b/pkg/thing.go
package pkg
type Thing struct{}
//- vendored/c/c.go
package c
",
        );
        assert_eq!(fixture.targets("main.go"), ["-", "internal/store", "b/pkg", "vendored/c"]);
        assert_eq!(
            fixture.taken("main.go"),
            [
                "4 internal/store/close.go#* through internal/store",
                "4 internal/store/open.go#* through internal/store",
                "5 b/pkg/thing.go#* through b/pkg",
                "6 vendored/c/c.go#* through vendored/c",
                "8 b/pkg/thing.go#Thing through b/pkg",
                "8 internal/store/open.go#Open through internal/store",
            ]
        );
    }

    #[test]
    fn packages_of_workspaces_and_vendor_folders() {
        let fixture = Fixture::new(
            "//- go.work
go 1.22
use ./app
replace example.com/lib => ./lib
//- app/go.mod
module example.com/app
//- app/main.go
package main
import (
\t\"example.com/lib/text\"
\t\"example.com/other\"
\t\"example.com/missing\"
\t\"text/template\"
)
//- app/vendor/example.com/other/other.go
package other
//- lib/text/text.go
package text
//- text/template/mine.go
package template
",
        );
        let expected = ["lib/text", "app/vendor/example.com/other", "-", "-"];
        assert_eq!(fixture.targets("app/main.go"), expected);
    }

    #[test]
    fn packages_from_before_modules() {
        let fixture = Fixture::new(
            "//- cmd/main.go
package main
import \"example.com/owner/name/pkg/store\"
//- pkg/store/store.go
package store
",
        );
        assert_eq!(fixture.targets("cmd/main.go"), ["pkg/store"]);
    }
}
