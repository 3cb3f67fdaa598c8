//! The MCPB bundles, one for each platform, and `server.json` for the MCP registry.
//!
//! A bundle has no working directory, so the repository is a setting of its user.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::archive::{self, ArchivedFile};
use super::licences::THIRD_PARTY_FILE;
use super::release::{PlatformBuild, Release, failure};
use super::table::{DESCRIPTION, KEYWORDS, LICENCE_FILES, LICENSE, PACKAGE, PROGRAM};
use crate::run::XtaskResult;

/// The schema of `server.json`.
const REGISTRY_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// A bundle that was written.
struct WrittenBundle {
    name: String,
    /// Its SHA-256, in hexadecimal digits
    hash: String,
}

pub(super) fn write(release: &Release) -> XtaskResult<()> {
    let mut bundles = Vec::new();
    for build in &release.builds {
        let manifest = manifest(release, build);
        let target = build.platform.target;
        release.write_json(&format!("mcpb/{target}/manifest.json"), &manifest)?;
        let bytes = bundle(release, build, &manifest)?;
        let name = bundle_name(release, build);
        release.write(&format!("release/{name}"), &bytes)?;
        bundles.push(WrittenBundle { name, hash: hex::encode(Sha256::digest(&bytes)) });
    }
    release.write_json("registry/server.json", &server_json(release, &bundles))
}

fn bundle_name(release: &Release, build: &PlatformBuild) -> String {
    format!("{PROGRAM}-mcp-{}-{}.mcpb", release.version, build.platform.target)
}

fn manifest(release: &Release, build: &PlatformBuild) -> Value {
    let program = format!("server/{}", build.platform.program_file());
    json!({
        "manifest_version": "0.4",
        "name": PACKAGE,
        "display_name": PROGRAM,
        "version": release.version,
        "description": DESCRIPTION,
        "author": { "name": "The cairn developers", "url": release.repository() },
        "repository": { "type": "git", "url": release.repository() },
        "license": LICENSE,
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": ["mcp", "--dir", "${user_config.repository}"],
            },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "compatibility": { "platforms": [build.platform.os] },
        "user_config": {
            "repository": {
                "type": "directory",
                "title": "Repository",
                "description": "The folder whose code, specifications and history are asked about",
                "required": true,
            },
        },
    })
}

fn bundle(release: &Release, build: &PlatformBuild, manifest: &Value) -> XtaskResult<Vec<u8>> {
    let text = serde_json::to_string_pretty(manifest).map_err(|error| error.to_string())?;
    let program = format!("server/{}", build.platform.program_file());
    let mut files = vec![
        ArchivedFile::text("manifest.json", text),
        ArchivedFile::program(program, build.program.clone()),
    ];
    for name in LICENCE_FILES {
        let from = release.root.join(name);
        files.push(ArchivedFile::text(name, std::fs::read(&from).map_err(failure("read", &from))?));
    }
    let notices = release.out.join(THIRD_PARTY_FILE);
    let text = std::fs::read(&notices).map_err(failure("read", &notices))?;
    files.push(ArchivedFile::text(THIRD_PARTY_FILE, text));
    archive::zip(&files)
}

fn server_json(release: &Release, bundles: &[WrittenBundle]) -> Value {
    let stdio = json!({ "type": "stdio" });
    let mcp = json!([{ "type": "positional", "value": "mcp" }]);
    let mut packages = vec![
        json!({
            "registryType": "npm", "identifier": PACKAGE, "version": release.version,
            "runtimeHint": "npx", "packageArguments": mcp, "transport": stdio,
        }),
        json!({
            "registryType": "pypi", "identifier": PACKAGE, "version": release.version,
            "runtimeHint": "uvx", "packageArguments": mcp, "transport": stdio,
        }),
        json!({
            "registryType": "cargo", "identifier": PACKAGE, "version": release.version,
            "packageArguments": mcp, "transport": stdio,
        }),
    ];
    packages.extend(bundles.iter().map(|bundle| {
        json!({
            "registryType": "mcpb", "identifier": release.download(&bundle.name),
            "version": release.version, "fileSha256": bundle.hash, "transport": stdio,
        })
    }));
    json!({
        "$schema": REGISTRY_SCHEMA,
        "name": release.registry_name(),
        "title": PROGRAM,
        "description": DESCRIPTION,
        "version": release.version,
        "repository": { "url": release.repository(), "source": "github" },
        "packages": packages,
    })
}
