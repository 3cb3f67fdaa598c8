//! No text makes an extractor panic or hang, and facts survive storage.

use std::path::Path;

use crate::descriptor::LanguageParser;
use crate::model::FileFacts;
use crate::{Language, extract};

/// Every language that is parsed, with the file that holds its fixtures.
pub(crate) const FIXTURES: &[(Language, &str)] = &[
    (Language::TypeScript, include_str!("javascript/tests.rs")),
    (Language::JavaScript, include_str!("javascript/tests.rs")),
    (Language::Rust, include_str!("rust/tests.rs")),
    (Language::Python, include_str!("python/tests.rs")),
    (Language::Go, include_str!("go/tests.rs")),
    (Language::Java, include_str!("java/tests.rs")),
    (Language::C, include_str!("c/tests.rs")),
    (Language::Cpp, include_str!("cpp/tests.rs")),
    (Language::CSharp, include_str!("csharp/tests.rs")),
    (Language::Ruby, include_str!("ruby/tests.rs")),
    (Language::Php, include_str!("php/tests.rs")),
    (Language::Kotlin, include_str!("kotlin/tests.rs")),
    (Language::Swift, include_str!("swift/tests.rs")),
    (Language::Bash, include_str!("bash/tests.rs")),
    (Language::Lua, include_str!("lua/tests.rs")),
    (Language::Vue, include_str!("component/tests.rs")),
    (Language::Svelte, include_str!("component/tests.rs")),
    (Language::Astro, include_str!("component/tests.rs")),
    (Language::Notebook, include_str!("notebook/tests.rs")),
    (Language::GraphQl, include_str!("graphql/tests.rs")),
    (Language::Protobuf, include_str!("protobuf/tests.rs")),
    (Language::Sql, include_str!("sql/tests.rs")),
];

/// The raw strings of a test file: fixtures, and the outlines they give, which are noise.
pub(crate) fn texts(file: &str) -> impl Iterator<Item = &str> {
    let parts = file.split("r#\"").flat_map(|part| part.split("r##\""));
    parts.skip(1).filter_map(|part| part.split("\"#").next()).filter(|text| text.len() > 40)
}

/// Facts that hold together: every index has what it points at.
fn check(language: Language, bytes: &[u8]) -> FileFacts {
    let facts = extract(Some(language), bytes);
    let symbols = facts.symbols.len();
    let length = u32::try_from(bytes.len()).unwrap();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let parent = symbol.parent.is_none_or(|parent| (parent as usize) < at);
        assert!(parent, "{language}: {} comes before its parent", symbol.path);
        assert!(symbol.span.end <= length && symbol.span.start <= symbol.span.end);
        assert!(symbol.span.contains(symbol.declaration), "{language}: {symbol:?}");
    }
    let is_in = |owner: crate::SymbolOwner| owner.is_none_or(|owner| (owner as usize) < symbols);
    assert!(facts.flow.steps.iter().all(|step| is_in(step.owner)));
    let own = || facts.symbols.iter().filter(|symbol| !symbol.is_overload());
    let mut paths: Vec<_> = own().map(|symbol| &symbol.path).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), own().count(), "{language}: two symbols of one path");
    let is_named = |symbol: &crate::Symbol| paths.binary_search(&&symbol.path).is_ok();
    assert!(facts.symbols.iter().all(is_named), "{language}: a signature of no symbol");
    facts
}

/// A sequence of numbers that looks random and is always the same.
struct TestRng(u64);

impl TestRng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

#[test]
fn every_language_of_code_has_fixtures_and_a_sample() {
    for language in Language::ALL.iter().copied().filter(|language| language.is_code()) {
        let is_named = FIXTURES.iter().any(|(named, _)| *named == language);
        assert!(is_named || language == Language::Tsx, "{language}: no row in FIXTURES");
        let descriptor = language.descriptor();
        let is_edited = descriptor.layout.not_editable.is_none();
        if matches!(descriptor.parser, LanguageParser::Grammar(_)) && is_edited {
            let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/sample.");
            let mut extensions = descriptor.extensions.iter();
            let has_sample = extensions.any(|one| Path::new(&format!("{samples}{one}")).is_file());
            assert!(has_sample, "{language}: no file tests/corpus/sample.*");
        }
    }
}

#[test]
fn truncated_and_damaged_texts_are_read() {
    let mut rng = TestRng(7);
    for &(language, file) in FIXTURES {
        for text in texts(file) {
            check(language, text.as_bytes());
            for _ in 0..12 {
                let end = rng.below(text.len());
                check(language, &text.as_bytes()[..end]);
                let mut damaged = text.as_bytes().to_vec();
                for _ in 0..3 {
                    let at = rng.below(damaged.len());
                    damaged[at] = u8::try_from(rng.below(256)).unwrap();
                }
                check(language, &damaged);
            }
        }
    }
}

#[test]
fn deep_nesting_is_bounded() {
    let units = [
        "(",
        "[",
        "{",
        "f(",
        "a.b(",
        "!",
        "-",
        "a + ",
        "a => ",
        "x ? y : ",
        "if (a) ",
        "{a:",
        "<a>",
        "class A { ",
        "fn f() { ",
        "def f():\n",
        "if x { ",
        "begin ",
        "() -> ",
        "a[",
        "\"${",
        "`${",
        "namespace a { ",
        "else if (a) {} ",
        "new ",
        "A<",
        "&&",
    ];
    for &(language, _) in FIXTURES {
        for unit in units {
            let brackets = unit.contains(['(', '[', '{']) && !unit.contains([')', '}']);
            check(language, unit.repeat(if brackets { 10_000 } else { 400 }).as_bytes());
            check(language, unit.repeat(300).as_bytes());
            // Just below where a bigger stack is taken.
            check(language, unit.repeat(98).as_bytes());
        }
        let lines: Vec<_> = (0..400).map(|at| " ".repeat(at) + "if x:\n").collect();
        let nested = lines.concat();
        check(language, nested.as_bytes());
    }
}

#[test]
fn nesting_below_the_limit_has_stack_enough() {
    let closed =
        [("(", "1", ")"), ("[", "", "]"), ("!", "a", ""), ("a => ", "a", ""), ("f(", "", ")")];
    for language in [Language::TypeScript, Language::JavaScript] {
        for (open, middle, close) in closed {
            for depth in [98, 1_300] {
                let text = open.repeat(depth) + middle + &close.repeat(depth);
                let facts = check(language, text.as_bytes());
                assert!(facts.errors.is_empty(), "{language} {open} {:?}", facts.errors);
            }
        }
    }
}

#[test]
fn refused_nesting_is_reported() {
    for language in [Language::TypeScript, Language::Rust, Language::Java] {
        let facts = check(language, "(".repeat(100_000).as_bytes());
        assert!(!facts.errors.is_empty(), "{language}");
    }
}

#[test]
fn odd_bytes_keep_their_places() {
    let facts = check(Language::TypeScript, b"// \xff\xfe\nexport const a = 1;");
    assert_eq!(facts.symbols[0].name_span.start, 19);
    for &(language, _) in FIXTURES {
        check(language, b"");
        check(language, b"\xef\xbb\xbf");
        check(language, &[0; 100]);
        check(language, &[0xff; 100]);
        check(language, "\r\n\r\n\u{2028}\u{85}".as_bytes());
    }
}

#[test]
fn facts_survive_storage() {
    for &(language, file) in FIXTURES {
        for text in texts(file) {
            let facts = extract(Some(language), text.as_bytes());
            let stored = postcard::to_stdvec(&facts).unwrap();
            assert_eq!(postcard::from_bytes::<FileFacts>(&stored).unwrap(), facts);
        }
    }
}
