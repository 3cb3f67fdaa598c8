//! The crates for the crate registry: a copy of the workspace with names that are free there.
//!
//! In this repository the crates have short names such as `git` and `store`, which others own on
//! the crate registry. In the copy a package is called `cairn-code-git`, its library is still called `git`,
//! and every dependency between them has a version. Tests stay here.

use std::fs;
use std::path::Path;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

use super::dependencies::{CratePackage, ProgramCrates};
use super::release::{Release, failure};
use super::table::{KEYWORDS, PACKAGE, PROGRAM};
use crate::run::{self, XtaskResult};

/// The folder of the copy, below the folder of the release.
pub(super) const FOLDER: &str = "crates";

/// Parts of a crate that are not published.
const UNPUBLISHED: [&str; 3] = ["tests/", "benches/", "examples/"];

pub(super) fn write(release: &Release, crates: &ProgramCrates) -> XtaskResult<()> {
    let ours: Vec<&CratePackage> = crates.packages.iter().filter(|own| own.is_ours()).collect();
    let root = fs::read_to_string(release.root.join("Cargo.toml")).map_err(|e| e.to_string())?;
    release.write(&format!("{FOLDER}/Cargo.toml"), workspace_manifest(&root, release, &ours)?)?;
    release.copy("Cargo.lock", &format!("{FOLDER}/Cargo.lock"))?;
    for package in ours {
        write_crate(release, package, &root)?;
    }
    Ok(())
}

/// The name of a crate on the crate registry.
fn published_name(name: &str) -> String {
    if name == PROGRAM { PACKAGE.into() } else { format!("{PACKAGE}-{name}") }
}

fn parse(text: &str) -> XtaskResult<DocumentMut> {
    text.parse().map_err(|error| format!("{error}"))
}

fn workspace_manifest(
    text: &str,
    release: &Release,
    ours: &[&CratePackage],
) -> XtaskResult<String> {
    let mut manifest = parse(text)?;
    let workspace = manifest["workspace"].as_table_mut().ok_or("no [workspace]")?;
    workspace["members"] = value(["crates/*"].into_iter().collect::<toml_edit::Array>());
    let shared = workspace["package"].as_table_mut().ok_or("no [workspace.package]")?;
    shared.remove("publish");
    shared["repository"] = value(release.repository());
    let dependencies = workspace["dependencies"].as_table_mut().ok_or("no dependencies")?;
    let local = |item: &Item| item.get("path").is_some();
    let names: Vec<String> =
        dependencies.iter().filter(|(_, item)| local(item)).map(|(key, _)| key.into()).collect();
    for name in names {
        if ours.iter().any(|own| own.name == name) {
            let mut entry = InlineTable::new();
            entry.insert("path", format!("crates/{name}").into());
            entry.insert("package", published_name(&name).into());
            entry.insert("version", format!("={}", release.version).into());
            let features = dependencies[&name].get("default-features").and_then(Item::as_value);
            if let Some(features) = features {
                entry.insert("default-features", features.clone());
            }
            dependencies[&name] = value(entry);
        } else {
            dependencies.remove(&name);
        }
    }
    if let Some(dev) = manifest["profile"]["dev"].as_table_mut() {
        dev.remove("package");
    }
    Ok(manifest.to_string())
}

/// A manifest of the program with the profile that `cargo install` builds it with. A package from the
/// registry is not part of a workspace, so that only a profile in its own manifest counts.
fn with_release_profile(manifest: &str, root: &str) -> XtaskResult<String> {
    let mut profiles = Table::new();
    profiles.set_implicit(true);
    profiles.insert("release", parse(root)?["profile"]["release"].clone());
    let mut manifest = parse(manifest)?;
    manifest["profile"] = Item::Table(profiles);
    Ok(manifest.to_string())
}

fn write_crate(release: &Release, package: &CratePackage, root: &str) -> XtaskResult<()> {
    let folder = format!("crates/{}", package.name);
    let listed =
        run::output(&mut git(&release.root, &["ls-files", "-co", "--exclude-standard", &folder]))?;
    for path in listed.lines() {
        let inside = &path[folder.len() + 1..];
        let is_published = !UNPUBLISHED.iter().any(|part| inside.starts_with(part));
        if inside != "Cargo.toml" && is_published && release.root.join(path).is_file() {
            release.copy(path, &format!("{FOLDER}/{path}"))?;
        }
    }
    release.copy_licences(&format!("{FOLDER}/{folder}"))?;
    let from = &package.manifest_path;
    let text = fs::read_to_string(from).map_err(failure("read", from))?;
    let mut manifest = crate_manifest(&text, release, &package.name)?;
    if package.name == PROGRAM {
        manifest = with_release_profile(&manifest, root)?;
    }
    release.write(&format!("{FOLDER}/{folder}/Cargo.toml"), manifest)?;
    let readme = match package.name.as_str() {
        PROGRAM => release.template("README.md")?,
        name => format!(
            "# {}\n\nA part of [{PROGRAM}]({}), published for `{PACKAGE}` alone: it has no stable interface.\n",
            published_name(name),
            release.repository()
        ),
    };
    release.write(&format!("{FOLDER}/{folder}/README.md"), readme)
}

#[expect(clippy::disallowed_methods, reason = "a developer's tool asks git which files are ours")]
fn git(root: &Path, args: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("git");
    command.current_dir(root).args(args);
    command
}

fn crate_manifest(text: &str, release: &Release, name: &str) -> XtaskResult<String> {
    let mut manifest = parse(text)?;
    manifest.remove("dev-dependencies");
    for tests in ["test", "bench", "example"] {
        manifest.remove(tests);
    }
    let package = manifest["package"].as_table_mut().ok_or("no [package]")?;
    package["name"] = value(published_name(name));
    package.remove("publish");
    package["readme"] = value("README.md");
    package["repository"] = value(release.repository());
    package["keywords"] = value(KEYWORDS.into_iter().collect::<toml_edit::Array>());
    if !manifest.contains_key("lib") {
        manifest["lib"] = Item::Table(Table::new());
    }
    manifest["lib"]["name"] = value(name);
    if name == PROGRAM {
        let mut program = Table::new();
        program["name"] = value(PROGRAM);
        program["path"] = value("src/main.rs");
        let mut programs = ArrayOfTables::new();
        programs.push(program);
        manifest["bin"] = Item::ArrayOfTables(programs);
        let mut binstall = Table::new();
        let archive = "{ repo }/releases/download/v{ version }/cairn-{ version }-{ target }.{ archive-format }";
        binstall["pkg-url"] = value(archive);
        binstall["bin-dir"] = value("cairn-{ version }-{ target }/{ bin }{ binary-ext }");
        binstall["pkg-fmt"] = value("tgz");
        let mut windows = Table::new();
        windows["pkg-fmt"] = value("zip");
        let mut overrides = Table::new();
        for target in ["x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc"] {
            overrides[target] = Item::Table(windows.clone());
        }
        binstall["overrides"] = Item::Table(overrides);
        let mut metadata = Table::new();
        metadata["binstall"] = Item::Table(binstall);
        manifest["package"]["metadata"] = Item::Table(metadata);
    }
    Ok(manifest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_from_the_registry_has_the_profile_of_the_workspace() {
        let root =
            "[workspace]\n\n[profile.release]\nstrip = true\n\n[profile.quick]\nstrip = \"none\"\n";
        let written = with_release_profile("[package]\nname = \"cairn-code\"\n", root).unwrap();
        let expected = "[package]\nname = \"cairn-code\"\n\n[profile.release]\nstrip = true\n";
        assert_eq!(written, expected);
    }

    #[test]
    fn names_are_free_and_libraries_keep_theirs() {
        let release = Release {
            root: "/".into(),
            out: "/out".into(),
            version: "1.2.3".into(),
            owner: "someone".into(),
            builds: Vec::new(),
        };
        let text = "[package]\nname = \"git\"\npublish.workspace = true\n\n[dev-dependencies]\na = \"1\"\n";
        let written = crate_manifest(text, &release, "git").unwrap();
        assert!(written.contains("name = \"cairn-code-git\""), "{written}");
        assert!(written.contains("[lib]\nname = \"git\""), "{written}");
        assert!(!written.contains("publish") && !written.contains("dev-dep"), "{written}");
        let shared = "[workspace.package]\n\n[workspace.dependencies]\ngit = { path = \"crates/git\", default-features = false }\n";
        let git = CratePackage { name: "git".into(), ..CratePackage::default() };
        let written = workspace_manifest(shared, &release, &[&git]).unwrap();
        assert!(written.contains("version = \"=1.2.3\", default-features = false }"), "{written}");
        let program = crate_manifest("[package]\nname = \"cairn\"\n", &release, "cairn").unwrap();
        assert!(program.contains("name = \"cairn-code\"") && program.contains("binstall"));
    }
}
