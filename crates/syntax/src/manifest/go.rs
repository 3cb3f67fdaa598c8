//! `go.mod`, and `go.work`, which is written alike.

use crate::model::GoModule;

pub(super) fn read(text: &str) -> GoModule {
    let mut found = GoModule::default();
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line == ")" {
            block = "";
            continue;
        }
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if rest.trim() == "(" {
            block = verb;
            continue;
        }
        match if block.is_empty() { (verb, rest) } else { (block, line) } {
            ("module", path) => found.module = Some(path.trim().trim_matches('"').to_owned()),
            ("replace", rule) => found.replaced.extend(parse_replacement(rule)),
            _ => {}
        }
    }
    found
}

/// `path version => ./folder`; a replacement by another module is not in this repository.
fn parse_replacement(rule: &str) -> Option<(String, String)> {
    let (from, to) = rule.split_once("=>")?;
    let folder = to.trim().trim_matches('"');
    let is_local = folder.starts_with("./") || folder.starts_with("../");
    let from = from.split_whitespace().next()?.trim_matches('"');
    is_local.then(|| (from.to_owned(), folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_its_path_and_what_it_replaces() {
        let found = read(
            "module example.com/a // c\n\ngo 1.22\nreplace example.com/b v1 => ../b\nreplace (\n\tx => ./x\n\ty => z v1\n)\n",
        );
        assert_eq!(found.module.as_deref(), Some("example.com/a"));
        let rules = [("example.com/b", "../b"), ("x", "./x")];
        assert_eq!(found.replaced, rules.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
