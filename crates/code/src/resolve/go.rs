//! Go: packages are folders; a name may be in any file of its folder.

use std::collections::BTreeSet;

use base::RepoPath;
use syntax::{Language, Manifest};

use super::{Here, Origin, Resolved, Taking, World, above, as_prefix, below, folder_of};
use crate::outline::{Asked, What};

pub(super) fn resolve(world: &World<'_>, here: &Here<'_>) -> Resolved {
    let imports = &here.offers.imports;
    let targets: Vec<Option<RepoPath>> =
        imports.iter().map(|asked| folder(world, here.path, asked)).collect();
    let mut takings = BTreeSet::new();
    for mention in &here.asks.mentions {
        let (Some((import, _)), Some(name)) = (mention.import, mention.path.first()) else {
            continue;
        };
        let Some(Some(folder)) = targets.get(import as usize) else { continue };
        let line = Some(mention.line);
        takings.extend(declared(world, folder, name).map(|origin| Taking {
            import: Some(import),
            origin,
            line,
        }));
    }
    // A package is imported as a whole, whatever is mentioned of it.
    for (at, target) in (0..).zip(&targets) {
        for file in target.iter().flat_map(|folder| sources(world, folder)) {
            takings.insert(Taking { import: Some(at), origin: Origin::whole(file), line: None });
        }
    }
    Resolved { targets, takings: takings.into_iter().collect() }
}

/// The folder of a package, if it is one of this repository's modules.
fn folder(world: &World<'_>, from: &RepoPath, asked: &Asked) -> Option<RepoPath> {
    let wanted = asked.specifier.as_str();
    if let Some(folder) = wanted.strip_prefix("./").and_then(|rest| below(&folder_of(from), rest)) {
        return has_sources(world, folder);
    }
    let module = manifest_above(world, from, "go.mod");
    let own = || {
        let (home, module) = module.as_ref()?;
        inside(wanted, module.module.as_deref()?, home)
    };
    let has = |found: RepoPath| has_sources(world, found);
    own()
        .and_then(has)
        .or_else(|| replaced(wanted, module.as_ref()?).and_then(has))
        .or_else(|| replaced(wanted, &manifest_above(world, from, "go.work")?).and_then(has))
        .or_else(|| vendored(world, from, wanted))
        .or_else(|| sibling(world, wanted).and_then(has))
        .or_else(|| if module.is_none() { without_module(world, wanted) } else { None })
}

/// A package below a module that lies in a folder.
fn inside(wanted: &str, module: &str, folder: &str) -> Option<RepoPath> {
    let rest = wanted.strip_prefix(module)?;
    let rest = if rest.is_empty() { "." } else { rest.strip_prefix('/')? };
    below(folder, rest)
}

/// A package of a module that is taken from a folder.
fn replaced(wanted: &str, (home, module): &(String, syntax::GoModule)) -> Option<RepoPath> {
    let mut rules = module.replaced.iter();
    rules.find_map(|(name, folder)| inside(wanted, name, &format!("{home}{folder}/")))
}

/// A package that is kept in a `vendor` folder of the module or above it.
fn vendored(world: &World<'_>, from: &RepoPath, wanted: &str) -> Option<RepoPath> {
    let is_hosted = wanted.split('/').next().is_some_and(|host| host.contains('.'));
    let mut folders = above(from).filter(|_| is_hosted);
    folders.find_map(|folder| {
        let home = format!("{}vendor/", as_prefix(&folder));
        has_sources(world, below(&home, wanted)?)
    })
}

/// A package of a repository from before modules: its path without host, owner and repository.
fn without_module(world: &World<'_>, wanted: &str) -> Option<RepoPath> {
    let mut parts = wanted.splitn(4, '/');
    parts.next().filter(|host| host.contains('.'))?;
    has_sources(world, below("", parts.nth(2)?)?)
}

fn has_sources(world: &World<'_>, folder: RepoPath) -> Option<RepoPath> {
    (!sources(world, &folder).is_empty()).then_some(folder)
}

/// Another module of this repository, by the longest name that fits.
fn sibling(world: &World<'_>, wanted: &str) -> Option<RepoPath> {
    let ends = wanted.match_indices('/').map(|(at, _)| at).chain([wanted.len()]);
    let mut ends: Vec<usize> = ends.filter(|end| wanted[..*end].contains('.')).collect();
    ends.reverse();
    ends.into_iter().find_map(|end| {
        let found = world.packages(&format!("go:{}", &wanted[..end]));
        let manifest = found.first()?;
        below(&folder_of(manifest), wanted[end..].trim_start_matches('/'))
    })
}

/// The module or workspace that a file belongs to, with its folder.
fn manifest_above(
    world: &World<'_>,
    from: &RepoPath,
    name: &str,
) -> Option<(String, syntax::GoModule)> {
    let manifest =
        world.first(above(from).map(|folder| format!("{}{name}", as_prefix(&folder))))?;
    match &*world.manifest(&manifest)? {
        Manifest::Go(module) => Some((folder_of(&manifest), module.clone())),
        _ => None,
    }
}

/// The files that make up a package; its tests are not part of what others import.
fn sources(world: &World<'_>, folder: &RepoPath) -> Vec<RepoPath> {
    let mut files = world.in_folder(folder);
    files.retain(|file| {
        let is_go = Language::of(file) == Some(Language::Go);
        is_go && !file.name().ends_with("_test.go")
    });
    files
}

/// The files that declare a name; build tags may make that several.
fn declared<'w>(
    world: &'w World<'_>,
    folder: &RepoPath,
    name: &'w str,
) -> impl Iterator<Item = Origin> + 'w {
    sources(world, folder).into_iter().filter_map(move |file| {
        let offers = world.offers(&file)?;
        let named = offers.names.iter().find(|named| named.name == *name)?;
        let full = if let What::Own(full) = &named.what { full } else { name };
        Some(Origin::new(file, full))
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
