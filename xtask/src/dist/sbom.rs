//! The software bill of materials, in CycloneDX 1.6: every crate with its licence and checksum.

use serde_json::{Value, json};

use super::dependencies::{CratePackage, ProgramCrates};
use super::release::Release;
use super::table::{DESCRIPTION, LICENSE, PROGRAM};
use crate::run::XtaskResult;

pub(super) fn write(release: &Release, crates: &ProgramCrates) -> XtaskResult<()> {
    release.write_json(
        &format!("release/{PROGRAM}-{}.cdx.json", release.version),
        &sbom(release, crates),
    )
}

fn sbom(release: &Release, crates: &ProgramCrates) -> Value {
    let reference = |id: &str| {
        crates.packages.iter().find(|own| own.id == id).map(package_url).unwrap_or_default()
    };
    let components: Vec<Value> = crates
        .packages
        .iter()
        .filter(|own| !is_program(own))
        .map(|own| component(own, crates))
        .collect();
    let dependencies: Vec<Value> = crates
        .packages
        .iter()
        .map(|own| {
            let on = crates.dependencies.get(&own.id).into_iter().flatten();
            let mut on: Vec<String> = on.map(|id| reference(id)).collect();
            on.sort();
            on.dedup();
            json!({ "ref": package_url(own), "dependsOn": on })
        })
        .collect();
    let program = crates.packages.iter().find(|own| is_program(own)).map(package_url);
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": PROGRAM,
                "version": release.version,
                "description": DESCRIPTION,
                "licenses": [{ "expression": LICENSE }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

fn is_program(package: &CratePackage) -> bool {
    package.is_ours() && package.name == PROGRAM
}

/// The address of a package. The addresses of crates of this workspace differ from those of
/// registry crates with the same name.
fn package_url(package: &CratePackage) -> String {
    let ours = if package.is_ours() { "?repository_url=workspace" } else { "" };
    format!("pkg:cargo/{}@{}{ours}", package.name, package.version.replace('+', "%2B"))
}

fn component(package: &CratePackage, crates: &ProgramCrates) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": package_url(package),
        "name": package.name,
        "version": package.version,
        "purl": package_url(package),
    });
    if let Some(text) = &package.description {
        component["description"] = json!(text.trim());
    }
    if let Some(licence) = &package.license {
        // Before SPDX expressions, crates wrote a slash for "or".
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(hash) = crates.checksums.get(&(package.name.clone(), package.version.clone()))
        && !package.is_ours()
    {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
    }
    if let Some(url) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": url }]);
    }
    component
}
