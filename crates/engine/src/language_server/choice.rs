//! Which server is asked for a language: what `cairn.jsonc` names, else what cairn knows.

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
    let known = toolchain::servers_for(language.name());
    let candidate = |server: &toolchain::ServerSpec| ServerCandidate {
        program: server.program.into(),
        args: server.args.iter().map(ToString::to_string).collect(),
        options: options(server.program),
        install: server.install.into(),
    };
    known.map(candidate).collect()
}

/// The settings of a language in `cairn.jsonc`. TypeScript's tools serve its dialects too.
pub(crate) fn configured(config: &Config, language: Language) -> Option<&config::LanguageConfig> {
    let own = language.name().to_lowercase();
    let kin = matches!(language, Language::Tsx | Language::JavaScript).then_some("typescript");
    let mut names = [Some(own.as_str()), kin].into_iter().flatten();
    names
        .find_map(|name| config.languages.iter().find(|(key, _)| key.to_lowercase() == name))
        .map(|(_, language)| language)
}

/// The protocol's id of a language.
pub(crate) fn language_id(language: Language) -> &'static str {
    match language {
        Language::TypeScript => "typescript",
        Language::Tsx => "typescriptreact",
        Language::JavaScript => "javascript",
        Language::Rust => "rust",
        Language::Python => "python",
        Language::Go => "go",
        Language::Java => "java",
        Language::C => "c",
        Language::Cpp => "cpp",
        Language::CSharp => "csharp",
        Language::Ruby => "ruby",
        Language::Php => "php",
        Language::Kotlin => "kotlin",
        Language::Swift => "swift",
        Language::Bash => "shellscript",
        _ => "plaintext",
    }
}

/// The settings of a server: no downloads, no unrequested programs, all hints.
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
            // A build folder of its own, so that the user's builds and these do not wait for each
            // other.
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
