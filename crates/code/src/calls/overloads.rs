//! Declarations that are one symbol: the signatures of a function and its body.
//!
//! A call leads to the one that has the body. Whoever asks about a signature means that one too.

use std::collections::BTreeMap;

use syntax::{FileFacts, Language, Owner, Symbol, SymbolKind};

/// The paths of declarations that are one symbol, group by group.
pub(super) fn groups(language: Language, facts: &FileFacts) -> Vec<Vec<String>> {
    if !has_signatures(language) {
        return Vec::new();
    }
    let mut namesakes: BTreeMap<(Owner, &str), Vec<&Symbol>> = BTreeMap::new();
    let is_callable = |kind: SymbolKind| {
        matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
    };
    for symbol in facts.symbols.iter().filter(|symbol| is_callable(symbol.kind)) {
        namesakes.entry((symbol.parent, &symbol.name)).or_default().push(symbol);
    }
    let path = |symbol: &&Symbol| symbol.path.clone();
    namesakes
        .into_values()
        .filter(|all| all.len() > 1 && is_one(language, all))
        .map(|all| all.iter().map(path).collect())
        .collect()
}

/// Whether a language has declarations of a function besides the one with its body.
pub(super) const fn has_signatures(language: Language) -> bool {
    !matches!(language, Language::Rust | Language::Go | Language::Bash | Language::Markdown)
}

/// Whether namesakes are one symbol. Where a name may be declared with several bodies they are
/// not, but for one body that others only announce.
fn is_one(language: Language, all: &[&Symbol]) -> bool {
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => true,
        Language::Python => {
            let is_overload = |symbol: &Symbol| {
                symbol.decorators.iter().any(|one| one.name.ends_with("overload"))
            };
            all.iter().any(|symbol| is_overload(symbol))
        }
        _ => all.iter().filter(|symbol| symbol.body.is_some()).count() == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expected: &[usize]) {
        let facts = syntax::extract(Some(language), text.as_bytes());
        let sizes: Vec<usize> = groups(language, &facts).iter().map(Vec::len).collect();
        assert_eq!(sizes, expected, "{text}");
    }

    #[test]
    fn signatures_are_one_with_their_body() {
        let text =
            "function f(a: 1): 1;\nfunction f(a: 2): 2;\nfunction f(a: any) {}\nfunction g() {}\n";
        check(Language::TypeScript, text, &[3]);
        check(Language::TypeScript, "class A { get x() { return 1 } set x(v) {} }\n", &[]);
        let text = "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): pass\n";
        check(Language::Python, text, &[3]);
        check(Language::Python, "def f(): pass\ndef f(): pass\n", &[]);
        check(Language::C, "int f(void);\nint f(void) { return 1; }\n", &[2]);
        let text = "class A { void f(int a) {} void f(String a) {} }\n";
        check(Language::Java, text, &[]);
    }
}
