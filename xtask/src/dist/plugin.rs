//! The agent plugin with its overlays, and the extension for Gemini CLI.
//!
//! The portable part is `plugin.json`, `mcp.json` and the skill. Claude Code, Codex and Cursor each
//! have an additional manifest. The MCP server is started through npm, so a plugin works without
//! any other installation. Hooks are a plugin of their own in the same marketplace, so that nobody
//! gets them without asking; they run only where `cairn` is on the `PATH`.

use serde_json::{Value, json};

use super::release::Release;
use super::table::{DESCRIPTION, KEYWORDS, LICENSE, PACKAGE, PROGRAM};
use crate::run::XtaskResult;

/// The plugin that has the hooks alone, and its folder.
const HOOKS_PLUGIN: &str = "cairn-hooks";

const HOOKS_DESCRIPTION: &str =
    "Tells an agent what a repository is, what must hold for a file, and what an edit broke";

const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.0.0";

pub(super) fn write(release: &Release) -> XtaskResult<()> {
    write_plugin(release)?;
    write_gitlab(release)?;
    write_gemini(release)
}

/// The template for GitLab. GitLab can include only one file, so the script is inserted into it.
fn write_gitlab(release: &Release) -> XtaskResult<()> {
    let path = release.root.join(".github/actions/cairn/gate.sh");
    let script = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let indented: Vec<String> = script
        .lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("      {line}") })
        .collect();
    let template = release.template("gitlab/cairn.gitlab-ci.yml")?;
    let text = template.replace("@GATE_SCRIPT@", &indented.join("\n"));
    release.write("release/cairn.gitlab-ci.yml", text)
}

fn write_plugin(release: &Release) -> XtaskResult<()> {
    let mut portable = identity(release);
    portable["$schema"] = json!(format!("{SCHEMAS}/plugin.schema.json"));
    release.write_json("plugin/plugin.json", &portable)?;
    let mut server = server(release);
    release.write_json("plugin/.mcp.json", &json!({ "mcpServers": { PROGRAM: server } }))?;
    server["type"] = json!("stdio");
    let portable = json!({
        "$schema": format!("{SCHEMAS}/mcp.schema.json"),
        "mcpServers": { PROGRAM: server },
    });
    release.write_json("plugin/mcp.json", &portable)?;
    release.write_json("plugin/.claude-plugin/plugin.json", &identity(release))?;
    release.write_json("plugin/.claude-plugin/marketplace.json", &marketplace(release))?;
    release.write_json("plugin/.codex-plugin/plugin.json", &identity(release))?;
    release.write_json("plugin/.cursor-plugin/plugin.json", &cursor(release))?;
    write_hooks_plugin(release)?;
    release.copy_licences("plugin")?;
    release.copy_licences(&format!("plugin/{HOOKS_PLUGIN}"))?;
    for path in ["skills/cairn/SKILL.md", "README.md"] {
        release.write(&format!("plugin/{path}"), release.template(&format!("plugin/{path}"))?)?;
    }
    Ok(())
}

/// The plugin with the hooks, in a folder of the other one.
fn write_hooks_plugin(release: &Release) -> XtaskResult<()> {
    let folder = format!("plugin/{HOOKS_PLUGIN}");
    let with_hooks = |file: Option<&str>| {
        let mut manifest = identity(release);
        manifest["name"] = json!(HOOKS_PLUGIN);
        manifest["description"] = json!(HOOKS_DESCRIPTION);
        if let Some(file) = file {
            manifest["hooks"] = json!(format!("./hooks/{file}"));
        }
        manifest
    };
    // Claude Code reads `hooks/hooks.json` without being told, and refuses it twice.
    for (program, file) in
        [("claude", None), ("codex", Some("hooks.json")), ("cursor", Some("cursor.json"))]
    {
        let path = format!("{folder}/.{program}-plugin/plugin.json");
        release.write_json(&path, &with_hooks(file))?;
    }
    for file in ["hooks.json", "cursor.json"] {
        let template = release.template(&format!("plugin/hooks/{file}"))?;
        release.write(&format!("{folder}/hooks/{file}"), template)?;
    }
    release.write(&format!("{folder}/README.md"), release.template("plugin/hooks/README.md")?)
}

fn identity(release: &Release) -> Value {
    json!({
        "name": PROGRAM,
        "version": release.version,
        "description": DESCRIPTION,
        "author": { "name": "The cairn developers", "url": release.repository() },
        "homepage": release.repository(),
        "repository": release.repository(),
        "license": LICENSE,
        "keywords": KEYWORDS,
    })
}

fn server(release: &Release) -> Value {
    json!({ "command": "npx", "args": ["-y", format!("{PACKAGE}@{}", release.version), "mcp"] })
}

fn cursor(release: &Release) -> Value {
    let mut manifest = identity(release);
    manifest["skills"] = json!("./skills/");
    manifest["mcpServers"] = json!("./.mcp.json");
    manifest
}

fn marketplace(release: &Release) -> Value {
    json!({
        "name": PROGRAM,
        "description": DESCRIPTION,
        "owner": { "name": "The cairn developers" },
        "plugins": [
            {
                "name": PROGRAM,
                "source": "./",
                "description": DESCRIPTION,
                "version": release.version,
            },
            {
                "name": HOOKS_PLUGIN,
                "source": format!("./{HOOKS_PLUGIN}"),
                "description": HOOKS_DESCRIPTION,
                "version": release.version,
            },
        ],
    })
}

fn write_gemini(release: &Release) -> XtaskResult<()> {
    let manifest = json!({
        "name": PROGRAM,
        "version": release.version,
        "description": DESCRIPTION,
        "mcpServers": { PROGRAM: server(release) },
        "contextFileName": "GEMINI.md",
    });
    release.write_json("gemini/gemini-extension.json", &manifest)?;
    release.copy_licences("gemini")?;
    let skill = release.template("plugin/skills/cairn/SKILL.md")?;
    release.write("gemini/GEMINI.md", without_frontmatter(&skill))
}

/// A skill as a plain document: Gemini reads no frontmatter.
fn without_frontmatter(skill: &str) -> &str {
    let body = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(skill, |(_, body)| body.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_loses_only_its_frontmatter() {
        assert_eq!(without_frontmatter("---\nname: a\n---\n\n# A\n"), "# A\n");
        assert_eq!(without_frontmatter("# A\n---\n"), "# A\n---\n");
    }
}
