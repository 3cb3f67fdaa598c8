//! Runs the official validators on everything that `dist` wrote. They run offline; the test command
//! installs them into `.tools`.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs npm and Python")]

use std::path::{Path, PathBuf};
use std::process::Command;

use super::release::Release;
use super::table::PACKAGE;
use super::{crates, table};
use crate::run::{self, XtaskResult};
use crate::tools::{self, InstalledValidators};

/// One validator with its arguments.
struct Validation {
    name: String,
    command: Command,
}

/// Runs every validator and reports all that failed, not only the first.
pub(super) fn check(release: &Release) -> XtaskResult<()> {
    let tools = tools::install_validators(&release.root)?;
    let mut failed = Vec::new();
    for mut validation in validations(release, &tools)? {
        let output = validation.command.output();
        let output = output.map_err(|error| format!("{}: {error}", validation.name))?;
        let is_fine = output.status.success();
        run::print(&format!(
            "{}  {}\n",
            if is_fine { "ok    " } else { "FAILED" },
            validation.name
        ));
        if !is_fine {
            run::print(&String::from_utf8_lossy(&output.stdout));
            run::print(&String::from_utf8_lossy(&output.stderr));
            failed.push(validation.name);
        }
    }
    check_versions(release)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("not valid: {}", failed.join(", "))),
    }
}

fn validations(release: &Release, tools: &InstalledValidators) -> XtaskResult<Vec<Validation>> {
    let mut list = vec![
        python(
            tools,
            "skillsaw plugin",
            &["-m", "skillsaw", "lint", "--strict"],
            &release.out.join("plugin"),
        ),
        python(
            tools,
            "skillsaw server.json",
            &["-m", "skillsaw", "lint", "--strict"],
            &release.out.join("registry"),
        ),
        script(release, tools, "CycloneDX schema", "check_sbom.py", &release.out.join("release")),
        script(
            release,
            tools,
            "extension for Gemini CLI",
            "check_gemini.py",
            &release.out.join("gemini"),
        ),
    ];
    // Claude Code's launcher is normally installed by a script of its package, which is not run
    // here.
    let launcher = tools.node.join("node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs");
    // With an empty home it finds no settings, and it does not look for a newer version of itself.
    let home = release.out.join("empty-home");
    std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    for file in [
        ".claude-plugin/marketplace.json",
        ".claude-plugin/plugin.json",
        "cairn-hooks/.claude-plugin/plugin.json",
    ] {
        let path = release.out.join("plugin").join(file);
        let mut claude = Command::new("node");
        claude.arg(&launcher).args(["plugin", "validate"]).arg(path);
        claude.env("HOME", &home).env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        list.push(Validation { name: format!("claude plugin validate {file}"), command: claude });
    }
    list.push(script(
        release,
        tools,
        "workflows",
        "check_workflows.py",
        &release.root.join(".github"),
    ));
    list.push(script(
        release,
        tools,
        "template for GitLab",
        "check_workflows.py",
        &release.out.join("release"),
    ));
    for build in &release.builds {
        let target = build.platform.target;
        let mut mcpb = Command::new(tools.node.join("node_modules/.bin/mcpb"));
        mcpb.arg("validate").arg(release.out.join(format!("mcpb/{target}/manifest.json")));
        list.push(Validation { name: format!("mcpb validate {target}"), command: mcpb });
        list.push(npm_pack(release, &build.platform.npm_package()));
    }
    list.push(npm_pack(release, PACKAGE));
    let mut twine = Command::new(&tools.python);
    twine.args(["-m", "twine", "check", "--strict"]).args(wheels(release)?);
    list.push(Validation { name: "twine check".into(), command: twine });
    list.push(script(release, tools, "contents of packages", "check_contents.py", &release.out));
    list.push(vscode_package(release, tools));
    list.push(cargo_package(release));
    list.push(ruby_syntax(release));
    Ok(list.into_iter().filter(|validation| validation.command.get_program() != "-").collect())
}

fn python(tools: &InstalledValidators, name: &str, args: &[&str], path: &Path) -> Validation {
    let mut command = Command::new(&tools.python);
    command.args(args).arg(path);
    Validation { name: name.into(), command }
}

/// A validator in `packaging/validators` of this repository.
fn script(
    release: &Release,
    tools: &InstalledValidators,
    name: &str,
    file: &str,
    path: &Path,
) -> Validation {
    let mut command = Command::new(&tools.python);
    command.arg(release.root.join("packaging/validators").join(file)).arg(path);
    Validation { name: name.into(), command }
}

fn npm_pack(release: &Release, package: &str) -> Validation {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command
        .args(["pack", "--json", "--offline", "--pack-destination"])
        .arg(release.out.join("npm"));
    command.current_dir(release.out.join("npm").join(package));
    Validation { name: format!("npm pack {package}"), command }
}

/// The packager of the extension, on its manifest and its own files; its dependencies are added in
/// the release workflow, where they are installed.
fn vscode_package(release: &Release, tools: &InstalledValidators) -> Validation {
    let mut command = Command::new(tools.node.join("node_modules/.bin/vsce"));
    command.args(["package", "--no-dependencies", "--allow-missing-repository", "--out"]);
    command.arg(release.out.join("cairn.vsix"));
    command.current_dir(release.root.join("editors/vscode"));
    Validation { name: "vsce package".into(), command }
}

fn wheels(release: &Release) -> XtaskResult<Vec<PathBuf>> {
    let entries = std::fs::read_dir(release.out.join("pypi")).map_err(|error| error.to_string())?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Whether every crate can be packaged under the name it has on the crate registry. `--no-verify`: the
/// crates were compiled where they are; only their manifests differ.
fn cargo_package(release: &Release) -> Validation {
    let folder = release.out.join(crates::FOLDER);
    let args = ["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--quiet"];
    let mut command = run::cargo(&folder, &args);
    command.env("CARGO_TARGET_DIR", release.out.join("cargo"));
    Validation { name: "cargo publish --workspace --dry-run".into(), command }
}

/// Homebrew is not available offline, so only Ruby parses the formula, if it is installed.
fn ruby_syntax(release: &Release) -> Validation {
    let has_ruby = Command::new("ruby").arg("--version").output().is_ok();
    let mut command = Command::new(if has_ruby { "ruby" } else { "-" });
    command.arg("-c").arg(release.out.join("homebrew/cairn.rb"));
    Validation { name: "Homebrew formula (ruby -c)".into(), command }
}

/// Checks the version in files that are maintained by hand.
fn check_versions(release: &Release) -> XtaskResult<()> {
    let path = release.root.join("editors/vscode/package.json");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let manifest: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if manifest["version"] != release.version.as_str() {
        return Err(format!("{} has another version than {}", path.display(), table::PACKAGE));
    }
    Ok(())
}
