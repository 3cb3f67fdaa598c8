//! The npm packages: a launcher, and one package for each platform, on all of which the launcher
//! depends optionally.
//!
//! No package has a script that runs when it is installed.

use serde_json::{Map, Value, json};

use super::release::{Release, make_executable};
use super::table::{DESCRIPTION, KEYWORDS, LICENCE_FILES, LICENSE, PACKAGE, PLATFORMS, PROGRAM};
use crate::run::XtaskResult;

pub(super) fn write(release: &Release) -> XtaskResult<()> {
    write_launcher(release)?;
    for build in &release.builds {
        let package = build.platform.npm_package();
        let folder = format!("npm/{package}");
        let file = build.platform.program_file();
        let mut manifest = shared_manifest(release, &package);
        manifest["description"] =
            json!(format!("{PROGRAM} for {} {}", build.platform.os, build.platform.cpu));
        manifest["os"] = json!([build.platform.os]);
        manifest["cpu"] = json!([build.platform.cpu]);
        if build.platform.os == "linux" {
            manifest["libc"] = json!(["glibc"]);
        }
        manifest["files"] = json!(published_files(&[&file, super::licences::THIRD_PARTY_FILE]));
        manifest["preferUnplugged"] = json!(true);
        release.write_json(&format!("{folder}/package.json"), &manifest)?;
        let readme = format!(
            "# {package}\n\nThe program of [{PACKAGE}]({}) for one platform.\n",
            release.repository()
        );
        release.write(&format!("{folder}/README.md"), readme)?;
        release.write(&format!("{folder}/{file}"), &build.program)?;
        make_executable(&release.out.join(&folder).join(&file))?;
        release.copy_licences(&folder)?;
        let notices = super::licences::THIRD_PARTY_FILE;
        std::fs::copy(release.out.join(notices), release.out.join(&folder).join(notices))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn write_launcher(release: &Release) -> XtaskResult<()> {
    let folder = format!("npm/{PACKAGE}");
    let platforms: Map<String, Value> =
        PLATFORMS.iter().map(|platform| (platform.npm_package(), json!(release.version))).collect();
    let mut manifest = shared_manifest(release, PACKAGE);
    manifest["description"] = json!(DESCRIPTION);
    manifest["keywords"] = json!(KEYWORDS);
    manifest["mcpName"] = json!(release.registry_name());
    manifest["bin"] = json!({ PROGRAM: "bin/cairn.js" });
    manifest["files"] = json!(published_files(&["bin"]));
    manifest["engines"] = json!({ "node": ">=18" });
    manifest["optionalDependencies"] = Value::Object(platforms);
    release.write_json(&format!("{folder}/package.json"), &manifest)?;
    let launcher = format!("{folder}/bin/cairn.js");
    release.write(&launcher, release.template("npm/cairn.js")?)?;
    make_executable(&release.out.join(launcher))?;
    release.write(&format!("{folder}/README.md"), release.template("README.md")?)?;
    release.copy_licences(&folder)
}

/// What a package contains beside its manifest and its README, which npm adds. It adds a file
/// `LICENSE` as well, but not two with other names.
fn published_files<'f>(own: &[&'f str]) -> Vec<&'f str> {
    own.iter().chain(&LICENCE_FILES).copied().collect()
}

fn shared_manifest(release: &Release, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "license": format!("({LICENSE})"),
        "homepage": release.repository(),
        "repository": { "type": "git", "url": format!("git+{}.git", release.repository()) },
    })
}
