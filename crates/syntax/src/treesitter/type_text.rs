//! Types read from their text, for languages that write them much alike.

use crate::model::TypeRef;

/// The deepest nesting of type arguments that is read.
const MAX_DEPTH: usize = 16;

/// A written type.
pub(crate) fn parse_type_text(text: &str) -> TypeRef {
    parse(text, MAX_DEPTH)
}

fn parse(text: &str, depth: usize) -> TypeRef {
    let mut text = text.trim().trim_start_matches(':').trim();
    let words = [
        "const ",
        "final ",
        "readonly ",
        "in ",
        "out ",
        "ref ",
        "struct ",
        "enum ",
        "class ",
        "unsigned ",
    ];
    loop {
        let before = text;
        text = text.trim_start_matches(['*', '&', '?']).trim_start();
        text = text.trim_end_matches(['*', '&', '?', '!']).trim_end();
        for word in words {
            text = text.strip_prefix(word).unwrap_or(text).trim_start();
        }
        if text == before {
            break;
        }
    }
    if depth == 0 || text.is_empty() {
        return TypeRef::Unknown;
    }
    if let Some(element) = text.strip_suffix("[]").or_else(|| text.strip_prefix("[]")) {
        return TypeRef::List(Box::new(parse(element, depth - 1)));
    }
    if let Some(element) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let element = element.rsplit(':').next().unwrap_or(element);
        return TypeRef::List(Box::new(parse(element, depth - 1)));
    }
    if let Some(rest) = text.strip_prefix("map[") {
        let value = rest.split_once(']').map_or("", |(_, value)| value);
        return TypeRef::Named {
            path: "map".into(),
            binding: None,
            args: vec![TypeRef::Unknown, parse(value, depth - 1)],
        };
    }
    let parts = split_top_level(text, '|');
    if parts.len() > 1 {
        return TypeRef::Union(parts.into_iter().map(|part| parse(part, depth - 1)).collect());
    }
    named(text, depth)
}

fn named(text: &str, depth: usize) -> TypeRef {
    let open = text.find(['<', '[']);
    let (base, args) = match open {
        Some(at) if text.ends_with(['>', ']']) => (&text[..at], &text[at + 1..text.len() - 1]),
        _ => (text, ""),
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$');
    if base.is_empty() || !base.chars().all(is_name) {
        return TypeRef::Unknown;
    }
    let args = if args.is_empty() { Vec::new() } else { split_top_level(args, ',') };
    let args = args.into_iter().map(|arg| parse(arg, depth - 1)).collect();
    TypeRef::Named { path: base.to_owned(), binding: None, args }
}

/// Splits outside of brackets.
fn split_top_level(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut start, mut level) = (Vec::new(), 0, 0_i32);
    for (place, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' => level += 1,
            '>' | ']' | ')' => level -= 1,
            c if c == at && level == 0 => {
                parts.push(&text[start..place]);
                start = place + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FileFacts;
    use crate::outline::ty;

    #[test]
    fn types_of_many_languages() {
        let shown = |text| ty(&FileFacts::default(), &parse_type_text(text));
        assert_eq!(shown("*pkg.Client"), "pkg.Client");
        assert_eq!(shown("const std::vector<Foo*>&"), "std::vector<Foo>");
        assert_eq!(shown("Map<String, List<User>>[]"), "[Map<String, List<User>>]");
        assert_eq!(shown("[]string"), "[string]");
        assert_eq!(shown("map[string]*User"), "map<?, User>");
        assert_eq!(shown(": User?"), "User");
        assert_eq!(shown("?Foo|Bar"), "Foo | Bar");
        assert_eq!(shown("func(int) error"), "?");
    }
}
