//! Symbol paths of declarations with the same name: which are one symbol, and how the rest get
//! unique paths.
//!
//! The signatures of one body are one symbol and keep one path; all but the declaration with the
//! body are marked [`SymbolFlags::OVERLOAD`]. A method beside a field of its name is `name()`. Any
//! other second declaration of a name gets `~` and digits of its signature. The names do not depend
//! on which declaration comes first, but for the last rule.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::entity::strip_disambiguator;

use crate::descriptor::OverloadGrouping;
use crate::model::{FileFacts, Symbol, SymbolFlags, SymbolKind};
use crate::signature;
use crate::{Language, line_index::offset};

/// Gives declarations that share a path their final paths.
pub(crate) fn assign_unique_paths(language: Language, facts: &mut FileFacts) {
    for group in group_by_shared_path(&facts.symbols) {
        let base = facts.symbols[group[0] as usize].path.clone();
        for (path, members) in split_methods_from_fields(&facts.symbols, &base, &group) {
            assign_paths(language, &mut facts.symbols, &path, &members);
        }
    }
}

/// Declarations that were given the same path, group by group, outer ones first. Each but the
/// first of a group has a mark at its end.
fn group_by_shared_path(symbols: &[Symbol]) -> Vec<Vec<u32>> {
    let marked: Vec<(usize, &str)> = (0..)
        .zip(symbols)
        .filter_map(|(at, symbol)| strip_disambiguator(&symbol.path).map(|base| (at, base)))
        .collect();
    if marked.is_empty() {
        return Vec::new();
    }
    let places: HashMap<&str, usize> =
        (0..).zip(symbols).map(|(at, symbol)| (symbol.path.as_str(), at)).collect();
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (at, base) in marked {
        // A name may look as if it had a mark, such as a destructor's.
        let Some(first) = places.get(base).copied() else { continue };
        groups.entry(first).or_insert_with(|| vec![offset(first)]).push(offset(at));
    }
    groups.into_values().collect()
}

/// The paths that the declarations of a group want: methods beside a field of their name want
/// `name()`.
fn split_methods_from_fields(
    symbols: &[Symbol],
    base: &str,
    group: &[u32],
) -> Vec<(String, Vec<u32>)> {
    let kind = |at: &u32| symbols[*at as usize].kind;
    let is_field = |at: &u32| matches!(kind(at), SymbolKind::Field | SymbolKind::Property);
    if !group.iter().any(is_field) || !group.iter().any(|at| is_function(kind(at))) {
        return vec![(base.to_owned(), group.to_vec())];
    }
    let (functions, others): (Vec<u32>, Vec<u32>) =
        group.iter().copied().partition(|at| is_function(kind(at)));
    vec![(base.to_owned(), others), (format!("{base}()"), functions)]
}

const fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

/// Assigns paths to declarations that would have the same one.
fn assign_paths(language: Language, symbols: &mut [Symbol], base: &str, members: &[u32]) {
    let mut taken = HashSet::new();
    for declarations in group_declarations_by_symbol(language, symbols, members) {
        let main = main_declaration(symbols, &declarations);
        let signature = symbols[main as usize].signature.clone();
        let mut path = base.to_owned();
        let mut round = 0;
        while !taken.insert(path.clone()) {
            path = format!("{base}~{}", signature::hash_suffix(&signature, round));
            round += 1;
        }
        let shapes = declarations.iter().map(|at| symbols[*at as usize].fingerprint.shape);
        let shape = shapes.reduce(|all, one| all.rotate_left(7) ^ one).unwrap_or_default();
        symbols[main as usize].fingerprint.shape = shape;
        for at in &declarations {
            change_path(symbols, *at, &path);
            let symbol = &mut symbols[*at as usize];
            symbol.flags = symbol.flags.with_if(SymbolFlags::OVERLOAD, *at != main);
        }
    }
}

/// The main declaration of a symbol: the one with the body, else the first. In Python the
/// signatures have bodies too, and the last one counts.
fn main_declaration(symbols: &[Symbol], declarations: &[u32]) -> u32 {
    let with_body = declarations.iter().rfind(|at| symbols[**at as usize].body.is_some());
    with_body.or(declarations.first()).copied().unwrap_or_default()
}

/// Namesakes as symbols, each with its declarations, in source order.
fn group_declarations_by_symbol(
    language: Language,
    symbols: &[Symbol],
    members: &[u32],
) -> Vec<Vec<u32>> {
    let alone = || members.iter().map(|at| vec![*at]).collect::<Vec<_>>();
    let symbol = |at: &u32| &symbols[*at as usize];
    let bodies = members.iter().filter(|at| symbol(at).body.is_some()).count();
    if !members.iter().all(|at| is_function(symbol(at).kind)) {
        return group_functions_separately(language, symbols, members, &alone());
    }
    match language.descriptor().semantics.overloads {
        OverloadGrouping::SignaturesBeforeBody => {
            let is_static = |at: &u32| symbol(at).flags.contains(SymbolFlags::STATIC);
            let (of_type, of_value): (Vec<u32>, Vec<u32>) =
                members.iter().copied().partition(is_static);
            let mut found =
                group_signatures_with_next_body(symbols, &of_value, |at| symbol(at).body.is_none());
            found.extend(group_signatures_with_next_body(symbols, &of_type, |at| {
                symbol(at).body.is_none()
            }));
            found.sort();
            found
        }
        OverloadGrouping::OverloadDecorator => {
            let is_overload =
                |at: &u32| symbol(at).decorators.iter().any(|one| one.name.ends_with("overload"));
            group_signatures_with_next_body(symbols, members, is_overload)
        }
        // A name has one body in C; another is under another condition of the preprocessor.
        OverloadGrouping::OneBody => {
            let (signatures, mut bodies): (Vec<u32>, Vec<u32>) =
                members.iter().copied().partition(|at| symbol(at).body.is_none());
            let first = bodies.drain(..bodies.len().min(1)).collect::<Vec<u32>>();
            let mut first = [signatures, first].concat();
            first.sort_unstable();
            std::iter::once(first).chain(bodies.into_iter().map(|at| vec![at])).collect()
        }
        OverloadGrouping::OnlyBody if bodies == 1 => vec![members.to_vec()],
        OverloadGrouping::OnlyBody | OverloadGrouping::None => alone(),
    }
}

/// Groups the functions of a mixed set by the function rules; every other declaration is its own
/// symbol.
fn group_functions_separately(
    language: Language,
    symbols: &[Symbol],
    members: &[u32],
    alone: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let is_one = |at: &u32| is_function(symbols[*at as usize].kind);
    let functions: Vec<u32> = members.iter().copied().filter(is_one).collect();
    if functions.len() < 2 {
        return alone.to_vec();
    }
    let others = members.iter().filter(|at| !is_one(at)).map(|at| vec![*at]);
    let mut found: Vec<Vec<u32>> = others.collect();
    found.extend(group_declarations_by_symbol(language, symbols, &functions));
    found.sort();
    found
}

/// Declarations where a signature belongs to the next body; those that none follows belong
/// together.
fn group_signatures_with_next_body(
    symbols: &[Symbol],
    members: &[u32],
    is_signature: impl Fn(&u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut open = Vec::new();
    for at in members {
        open.push(*at);
        if !is_signature(at) {
            found.push(std::mem::take(&mut open));
        }
    }
    match found.as_mut_slice() {
        _ if open.is_empty() => {}
        [only] if symbols[main_declaration(symbols, only) as usize].body.is_some() => {
            only.extend(open);
        }
        _ => found.push(open),
    }
    found
}

/// Gives a declaration another path, and those inside it.
fn change_path(symbols: &mut [Symbol], at: u32, path: &str) {
    let old = std::mem::replace(&mut symbols[at as usize].path, path.to_owned());
    if old == path {
        return;
    }
    let mut inside = HashSet::from([at]);
    for (inner, symbol) in symbols.iter_mut().enumerate().skip(at as usize + 1) {
        if !symbol.parent.is_some_and(|parent| inside.contains(&parent)) {
            continue;
        }
        inside.insert(offset(inner));
        if let Some(rest) = symbol.path.strip_prefix(&old).filter(|rest| rest.starts_with('.')) {
            symbol.path = format!("{path}{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::SymbolFlags;
    use crate::{Language, extract};

    /// The paths of the declarations of a text; those of further signatures are in brackets.
    fn paths(language: Language, text: &str) -> String {
        let facts = extract(Some(language), text.as_bytes());
        let shown =
            facts.symbols.iter().map(|symbol| match symbol.flags.contains(SymbolFlags::OVERLOAD) {
                true => format!("[{}]", symbol.path),
                false => symbol.path.clone(),
            });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(language: Language, text: &str, expected: &str) {
        assert_eq!(paths(language, text), expected, "{text}");
    }

    #[test]
    fn the_signatures_of_one_body_are_one_symbol() {
        let text =
            "function f(a: 1): 1;\nfunction f(a: 2): 2;\nfunction f(a: any) { return () => a }\n";
        check(Language::TypeScript, text, "[f] [f] f f.<arrow1>");
        check(Language::TypeScript, "interface A { f(a: 1): 1; f(a: 2): 2 }\n", "A A.f [A.f]");
        let text = "class A { static f(a: 1): 1; f(a: 2): 2; static f(a: any) {} f(a: any) {} }\n";
        let shown = paths(Language::TypeScript, text);
        assert!(shown.starts_with("A [A.f] [A.f~"), "{shown}");
        let text = "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): pass\n";
        check(Language::Python, text, "[f] [f] f");
        check(Language::C, "int f(void);\nint f(void) { return 1; }\n", "[f] f");
    }

    #[test]
    fn several_bodies_are_several_symbols() {
        for (language, text) in [
            (Language::TypeScript, "class A { get x() { return 1 } set x(v) {} }\n"),
            (Language::Java, "class A { void x(int a) {} void x(String a) {} }\n"),
            (Language::Java, "abstract class A { abstract void x(int a); void x(String a) {} }\n"),
            (Language::Python, "class A:\n    def x(): pass\n    def x(): pass\n"),
        ] {
            let shown = paths(language, text);
            assert!(shown.starts_with("A A.x A.x~"), "{shown}");
        }
    }

    #[test]
    fn a_method_beside_a_field_has_brackets_whichever_comes_first() {
        let field_first =
            "struct A { x: u8 }\nimpl A { fn x(&self) -> u8 { let f = || 1; f() } }\n";
        check(Language::Rust, field_first, "A A.x impl A A.x() A.x().<closure1>");
        let method_first = "impl A { fn x(&self) {} }\nstruct A { x: u8 }\n";
        check(Language::Rust, method_first, "impl A A.x() A A.x");
    }

    #[test]
    fn a_module_and_a_function_are_told_apart() {
        let shown = paths(Language::Rust, "mod search;\nfn search() {}\n");
        assert!(shown.starts_with("search search~"), "{shown}");
    }
}
