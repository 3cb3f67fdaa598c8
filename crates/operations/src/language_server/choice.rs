//! Chooses the server for a language: the one that `cairn.jsonc` names, otherwise one that cairn
//! knows.

use config::Config;
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::ServerCandidate;

/// The servers for a language, preferred ones first.
pub(crate) fn candidates(config: &Config, language: Language) -> Vec<ServerCandidate> {
    if let Some(chosen) = configured(config, language)
        && let Some(server) = &chosen.server
    {
        let program = server.to_string();
        let install = format!("`{program}` is named in cairn.jsonc; put it on PATH");
        let options = options(&program);
        return vec![ServerCandidate { program, args: chosen.args.clone(), options, install }];
    }
    let known = language.descriptor().tools.servers.iter();
    let candidate = |server: &syntax::tools::ServerSpec| ServerCandidate {
        program: server.program.into(),
        args: server.args.iter().map(ToString::to_string).collect(),
        options: options(server.program),
        install: server.install.into(),
    };
    known.map(candidate).collect()
}

/// What `cairn.jsonc` says about a language, or about the one whose tools it shares.
pub(crate) fn configured(config: &Config, language: Language) -> Option<&config::LanguageConfig> {
    let mut names = [language, language.tool_language()].map(Language::name).into_iter();
    names
        .find_map(|name| config.languages.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)))
        .map(|(_, language)| language)
}

/// The options for a server: it must download nothing and run no builds by itself, and give all
/// hints.
fn options(program: &str) -> Value {
    let hints = json!({
        "includeInlayParameterNameHints": "all",
        "includeInlayVariableTypeHints": true,
        "includeInlayPropertyDeclarationTypeHints": true,
        "includeInlayFunctionLikeReturnTypeHints": true,
        "includeInlayFunctionParameterTypeHints": true,
        "includeInlayEnumMemberValueHints": true,
    });
    let enabled = json!({"enabled": true});
    let native = json!({"inlayHints": {
        "parameterNames": {"enabled": "all"},
        "variableTypes": enabled,
        "propertyDeclarationTypes": enabled,
        "functionLikeReturnTypes": enabled,
        "parameterTypes": enabled,
        "enumMemberValues": enabled,
    }});
    match program {
        "rust-analyzer" => json!({
            "checkOnSave": false,
            // A separate build folder, so that these builds and the user's do not block each other.
            "cargo": {"targetDir": true},
        }),
        "typescript-language-server" => json!({
            "hostInfo": "cairn",
            "disableAutomaticTypingAcquisition": true,
            "preferences": hints,
            "tsserver": {"useSyntaxServer": "never"},
        }),
        "tsc" => json!({"typescript": native, "javascript": native, "js/ts": native}),
        "pyright-langserver" | "basedpyright-langserver" => {
            let analysis = json!({"diagnosticMode": "openFilesOnly", "autoSearchPaths": true});
            json!({"python": {"analysis": analysis}, "basedpyright": {"analysis": analysis}})
        }
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_project_names_comes_first_and_serves_relatives() {
        let config: Config = serde_json::from_value(
            json!({"languages": {"typescript": {"server": "my-ts", "args": ["--x"]}}}),
        )
        .unwrap();
        let programs = |language| {
            let all = candidates(&config, language);
            all.into_iter().map(|one| one.program).collect::<Vec<_>>()
        };
        assert_eq!(programs(Language::Tsx), ["my-ts"]);
        assert_eq!(programs(Language::Rust), ["rust-analyzer"]);
        assert_eq!(programs(Language::Bash), [""; 0]);
        assert_eq!(candidates(&config, Language::JavaScript)[0].args, ["--x"]);
    }
}
