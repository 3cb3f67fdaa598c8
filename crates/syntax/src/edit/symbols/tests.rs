//! Edits compared with what a person would have written, in every language.

use super::*;

/// Edits a symbol and compares.
#[track_caller]
fn check(language: Language, path: &str, change: Edit<'_>, before: &str, after: &str) {
    assert_eq!(edit(language, before, path, change).as_deref(), Ok(after));
}

#[test]
fn replacing_follows_the_file() {
    check(
        Language::TypeScript,
        "A.m",
        Edit::Replace("m() {\n  return `a\nb`;\n}"),
        "class A {\n  /** Doc. */\n  m() {}\n\n  n() {}\n}\n",
        "class A {\n  m() {\n    return `a\nb`;\n  }\n\n  n() {}\n}\n",
    );
    let (before, after) = ("export let a = 1, b = 2;\n", "export let a = 1, b = 3;\n");
    check(Language::TypeScript, "b", Edit::Replace("b = 3"), before, after);
    let (before, after) = ("struct A { a: u8, b: u8 }\n", "struct A { a: u16, b: u8 }\n");
    check(Language::Rust, "A.a", Edit::Replace("a: u16,"), before, after);
}

#[test]
fn deleting_leaves_no_gap() {
    let (before, after) = ("let a = 1, b = 2;\n", "let b = 2;\n");
    check(Language::TypeScript, "a", Edit::Delete, before, after);
    let (before, after) = ("class A { int a, b; }\n", "class A { int a; }\n");
    check(Language::Java, "A.b", Edit::Delete, before, after);
    let (before, after) = ("class A:\n    x = 1\n", "class A:\n    pass\n");
    check(Language::Python, "A.x", Edit::Delete, before, after);
    check(
        Language::Go,
        "F",
        Edit::Delete,
        "package a\n\n// F does.\nfunc F() {}\n\nvar x = 1\n",
        "package a\n\nvar x = 1\n",
    );
}

#[test]
fn inserting_follows_the_file() {
    check(
        Language::Go,
        "A",
        Edit::InsertBefore("Z = 0"),
        "package a\n\n// Numbers.\nconst (\n\tA = 1\n\tB = 2\n)\n",
        "package a\n\n// Numbers.\nconst (\n\tZ = 0\n\tA = 1\n\tB = 2\n)\n",
    );
    check(
        Language::TypeScript,
        "f",
        Edit::InsertBefore("const x = 1;"),
        "import a from 'a';\n\n// why\n/** Doc. */\nfunction f() {}\n",
        "import a from 'a';\n\nconst x = 1;\n\n// why\n/** Doc. */\nfunction f() {}\n",
    );
    check(
        Language::Python,
        "A.m",
        Edit::InsertAfter(
            "def n(self):\n    \"\"\"Says.\n\n    More.\n    \"\"\"\n    return '''\n    x'''",
        ),
        "class A:\n    @dec\n    def m(self):\n        pass\n\n\nclass B:\n    pass\n",
        "class A:\n    @dec\n    def m(self):\n        pass\n\n    def n(self):\n        \"\"\"Says.\n\n        More.\n        \"\"\"\n        return '''\n    x'''\n\n\nclass B:\n    pass\n",
    );
    check(
        Language::Rust,
        "impl A",
        Edit::InsertAfter("impl B for A {\n    fn b() {}\n}"),
        "struct A;\r\n\r\nimpl A {\r\n    fn a() {}\r\n}\r\n",
        "struct A;\r\n\r\nimpl A {\r\n    fn a() {}\r\n}\r\n\r\nimpl B for A {\r\n    fn b() {}\r\n}\r\n",
    );
    check(
        Language::Rust,
        "E.B",
        Edit::InsertAfter("C(u8)"),
        "enum E {\n    A,\n    B, // why\n}\n",
        "enum E {\n    A,\n    B, // why\n    C(u8),\n}\n",
    );
}

#[test]
fn what_would_break_a_file_is_refused_with_its_place() {
    let content = Edit::Replace("fn f() {\n    let x = ;\n}");
    let broken = edit(Language::Rust, "fn f() {}\n", "f", content);
    let Err(Refusal::Broken(error)) = broken else { panic!("{broken:?}") };
    assert_eq!(error.line, 2);
    // What was broken before is no reason, and what it breaks beside that is.
    let text = "fn a() { let = }\n\nfn f() {}\n";
    assert!(edit(Language::Rust, text, "f", Edit::Replace("fn g() {}")).is_ok());
    assert!(edit(Language::Rust, text, "f", Edit::Replace("fn g( {}")).is_err());
    let text = "let a = 1;\nlet b = 2;\n";
    assert!(edit(Language::TypeScript, text, "a", Edit::Replace("let a = 1; /*")).is_err());
}
