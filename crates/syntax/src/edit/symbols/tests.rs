//! Edits compared with what a person would have written, in every language.

use super::*;

/// Edits a symbol and compares.
#[track_caller]
fn check(language: Language, path: &str, change: SymbolEdit<'_>, before: &str, after: &str) {
    assert_eq!(edit_symbol(language, before, path, change).as_deref(), Ok(after));
}

#[test]
fn replacing_follows_the_file() {
    check(
        Language::TypeScript,
        "A.m",
        SymbolEdit::Replace("m() {\n  return `a\nb`;\n}"),
        "class A {\n  /** Doc. */\n  m() {}\n\n  n() {}\n}\n",
        "class A {\n  m() {\n    return `a\nb`;\n  }\n\n  n() {}\n}\n",
    );
    let (before, after) = ("export let a = 1, b = 2;\n", "export let a = 1, b = 3;\n");
    check(Language::TypeScript, "b", SymbolEdit::Replace("b = 3"), before, after);
    let (before, after) = ("struct A { a: u8, b: u8 }\n", "struct A { a: u16, b: u8 }\n");
    check(Language::Rust, "A.a", SymbolEdit::Replace("a: u16,"), before, after);
}

#[test]
fn deleting_leaves_no_gap() {
    let (before, after) = ("let a = 1, b = 2;\n", "let b = 2;\n");
    check(Language::TypeScript, "a", SymbolEdit::Delete, before, after);
    let (before, after) = ("class A { int a, b; }\n", "class A { int a; }\n");
    check(Language::Java, "A.b", SymbolEdit::Delete, before, after);
    let (before, after) = ("class A:\n    x = 1\n", "class A:\n    pass\n");
    check(Language::Python, "A.x", SymbolEdit::Delete, before, after);
    check(
        Language::Go,
        "F",
        SymbolEdit::Delete,
        "package a\n\n// F does.\nfunc F() {}\n\nvar x = 1\n",
        "package a\n\nvar x = 1\n",
    );
}

#[test]
fn inserting_follows_the_file() {
    check(
        Language::Go,
        "A",
        SymbolEdit::InsertBefore("Z = 0"),
        "package a\n\n// Numbers.\nconst (\n\tA = 1\n\tB = 2\n)\n",
        "package a\n\n// Numbers.\nconst (\n\tZ = 0\n\tA = 1\n\tB = 2\n)\n",
    );
    check(
        Language::TypeScript,
        "f",
        SymbolEdit::InsertBefore("const x = 1;"),
        "import a from 'a';\n\n// why\n/** Doc. */\nfunction f() {}\n",
        "import a from 'a';\n\nconst x = 1;\n\n// why\n/** Doc. */\nfunction f() {}\n",
    );
    check(
        Language::Python,
        "A.m",
        SymbolEdit::InsertAfter(
            "def n(self):\n    \"\"\"Says.\n\n    More.\n    \"\"\"\n    return '''\n    x'''",
        ),
        "class A:\n    @dec\n    def m(self):\n        pass\n\n\nclass B:\n    pass\n",
        "class A:\n    @dec\n    def m(self):\n        pass\n\n    def n(self):\n        \"\"\"Says.\n\n        More.\n        \"\"\"\n        return '''\n    x'''\n\n\nclass B:\n    pass\n",
    );
    check(
        Language::Rust,
        "impl A",
        SymbolEdit::InsertAfter("impl B for A {\n    fn b() {}\n}"),
        "struct A;\r\n\r\nimpl A {\r\n    fn a() {}\r\n}\r\n",
        "struct A;\r\n\r\nimpl A {\r\n    fn a() {}\r\n}\r\n\r\nimpl B for A {\r\n    fn b() {}\r\n}\r\n",
    );
    check(
        Language::Rust,
        "E.B",
        SymbolEdit::InsertAfter("C(u8)"),
        "enum E {\n    A,\n    B, // why\n}\n",
        "enum E {\n    A,\n    B, // why\n    C(u8),\n}\n",
    );
}

#[test]
fn what_would_break_a_file_is_refused_with_its_place() {
    let content = SymbolEdit::Replace("fn f() {\n    let x = ;\n}");
    let broken = edit_symbol(Language::Rust, "fn f() {}\n", "f", content);
    let Err(EditRefusal::NewSyntaxError(error)) = broken else { panic!("{broken:?}") };
    assert_eq!(error.line, 2);
    // An error that was there before is no reason to refuse an edit; a new one beside it is.
    let text = "fn a() { let = }\n\nfn f() {}\n";
    assert!(edit_symbol(Language::Rust, text, "f", SymbolEdit::Replace("fn g() {}")).is_ok());
    assert!(edit_symbol(Language::Rust, text, "f", SymbolEdit::Replace("fn g( {}")).is_err());
    let text = "let a = 1;\nlet b = 2;\n";
    assert!(
        edit_symbol(Language::TypeScript, text, "a", SymbolEdit::Replace("let a = 1; /*")).is_err()
    );
}

#[test]
fn all_signatures_of_a_body_are_edited_as_one() {
    let text = "import a from 'a';\n\n/** Doc. */\nexport function f(x: 1): 1;\nexport function f(x: 2): 2;\nexport function f(x: any) {\n  return x;\n}\n\nfunction g() {}\n";
    let head = "import a from 'a';\n\n";
    check(
        Language::TypeScript,
        "f",
        SymbolEdit::InsertAfter("function h() {}"),
        text,
        &text.replace("  return x;\n}\n", "  return x;\n}\n\nfunction h() {}\n"),
    );
    check(
        Language::TypeScript,
        "f",
        SymbolEdit::InsertBefore("function h() {}"),
        text,
        &text.replace(head, &format!("{head}function h() {{}}\n\n")),
    );
    let after = format!("{head}function g() {{}}\n");
    check(Language::TypeScript, "f", SymbolEdit::Delete, text, &after);
    let after = format!("{head}export function f() {{}}\n\nfunction g() {{}}\n");
    check(Language::TypeScript, "f", SymbolEdit::Replace("export function f() {}"), text, &after);
}

#[test]
fn a_prototype_goes_with_its_function() {
    let text =
        "int f(void);\nint g(void);\n\nint f(void) { return 1; }\n\nint g(void) { return 2; }\n";
    let after = "int g(void);\n\nint g(void) { return 2; }\n";
    check(Language::C, "f", SymbolEdit::Delete, text, after);
}

#[test]
fn a_field_and_a_method_of_one_name_are_edited_apart() {
    let text = "struct A {\n    x: u8,\n    y: u8,\n}\n\nimpl A {\n    fn x(&self) {}\n\n    fn z(&self) {}\n}\n";
    let after = text.replace("    fn x(&self) {}\n\n", "");
    check(Language::Rust, "A.x()", SymbolEdit::Delete, text, &after);
    let after = text.replace("    x: u8,\n", "");
    check(Language::Rust, "A.x", SymbolEdit::Delete, text, &after);
}

#[test]
fn a_python_body_does_not_leave_what_is_around_it() {
    let text = "class A:\n    def m(self):\n        pass\n";
    let refused = |content: &str| {
        let result = edit_symbol(Language::Python, text, "A.m", SymbolEdit::Replace(content));
        let Err(EditRefusal::NewSyntaxError(error)) = result else {
            panic!("{content:?} gave {result:?}")
        };
        error.line
    };
    // Dedented to the class, in each of the ways that a caller may indent a method.
    assert_eq!(refused("def m(self):\n    x = 1\nreturn x"), 4);
    assert_eq!(refused("def m(self):\n        x = 1\n    return x"), 4);
    assert_eq!(refused("    def m(self):\n        x = 1\n    print(x)"), 4);
    assert_eq!(refused("def m(self):\n    x = 1\ny = 2"), 4);
    assert_eq!(refused("    def m(self):\n        x = 1\nprint(x)"), 4);
    for fine in [
        "def m(self):\n    return (\n1\n)",
        "@dec\ndef m(self):\n    x = \"\"\"\na\n\"\"\"\n\n\ndef n(self):\n    pass",
        "def m(self):\n    pass\n\nx = 1",
        "async def m(\n    self,\n):\n    yield 1\n# done",
    ] {
        let done = edit_symbol(Language::Python, text, "A.m", SymbolEdit::Replace(fine));
        assert!(done.is_ok(), "{fine:?} gave {done:?}");
    }
    let text = "def f():\n    pass\n";
    assert!(
        edit_symbol(
            Language::Python,
            text,
            "f",
            SymbolEdit::Replace("def f():\n    x = 1\nreturn x")
        )
        .is_err()
    );
}
