//! Laws: layout, comments, renames and moves keep the substance; changes of literals, operators and
//! structure do not.

use super::*;

fn substance(file: &str, text: &str, symbol: Option<&str>) -> String {
    let path = file.parse().unwrap();
    let language = Language::from_path(&path).unwrap();
    code_substance(language, FileRole::of(&path), text.as_bytes(), symbol).unwrap()
}

fn same(file: &str, symbol: Option<&str>, texts: &[&str]) {
    let first = substance(file, texts[0], symbol);
    assert!(!first.is_empty());
    for text in &texts[1..] {
        assert_eq!(substance(file, text, symbol), first, "{text}");
    }
}

fn differ(file: &str, symbol: Option<&str>, texts: &[&str]) {
    let all: std::collections::BTreeSet<String> =
        texts.iter().map(|text| substance(file, text, symbol)).collect();
    assert_eq!(all.len(), texts.len(), "{texts:?}");
}

#[test]
fn layout_and_comments_do_not_count() {
    same(
        "a.ts",
        Some("f"),
        &[
            "export function f(a: string, b = 'x') { return a + (b) }",
            "/** Docs. */\nexport function f(\n  a: string,\n  b = \"x\",\n) {\n  // why\n  return a + b;\n}\n",
        ],
    );
    same(
        "a.tsx",
        Some("View"),
        &[
            "const View = x => <p className='a'>Hello <b>{x}</b></p>",
            "const View = (x) => (\n  <p className=\"a\">\n    Hello{\" \"}\n    <b>{x}</b>\n  </p>\n);\n",
        ],
    );
    same("a.ts", Some("T"), &["type T = 'a' | 'b'", "type T =\n  | \"a\"\n  | \"b\";"]);
    same("a.js", Some("o"), &["const o = {'a': 0xff}", "const o = { a: 255 };"]);
    same(
        "a.rs",
        Some("f"),
        &[
            "fn f(a: u8, b: u8) -> u8 { match a { 0 => { b } _ => g(a, b), } }",
            "/// Docs.\nfn f(\n    a: u8,\n    b: u8,\n) -> u8 {\n    // why\n    match a {\n        0 => b,\n        _ => g(\n            a,\n            b,\n        ),\n    }\n}\n",
        ],
    );
    same(
        "a.py",
        Some("f"),
        &[
            "def f(a, b='x'):\n    \"\"\"Docs.\"\"\"\n    return a + b # why\n",
            "def f(\n    a,\n    b=\"x\",\n):\n    \"\"\"Other docs.\"\"\"\n\n    return (\n        a\n        + b\n    )\n",
        ],
    );
    same(
        "a.py",
        Some("f"),
        &[
            "def f(a):\n    b = 1 if a else 2\n    c = b == 1 and a\n",
            "def f(a):\n    b = (\n        1\n        if a\n        else 2\n    )\n    c = (b == 1) and a\n",
        ],
    );
    same(
        "a.go",
        Some("F"),
        &[
            "package a\nfunc F(a int) int { return a+1 }\n",
            "package a\n\n// F adds.\nfunc F(\n\ta int,\n) int {\n\treturn a + 1 // why\n}\n",
        ],
    );
    same(
        "A.java",
        Some("A.f"),
        &[
            "class A { int f(int a) { return a+1; } }",
            "class A {\n    /** Docs. */\n    int f(int a) {\n        // why\n        return a + 1;\n    }\n}\n",
        ],
    );
}

#[test]
fn parentheses_that_formatters_add_do_not_count() {
    let before = "async def f(a: type[E] | None = None) -> dict[str, X | None]:\n    for k in g():\n        pass\n    for a, b in c.items():\n        x = 1, 2\n    with open(a) as d, open(b) as e:\n        return a, b\n";
    let after = "async def f(\n    a: (type[E] | None) = None,\n) -> (\n    dict[str, X | None]\n):\n    for (k) in g():\n        pass\n    for (\n        a,\n        b,\n    ) in c.items():\n        x = (1, 2)\n    with (\n        open(a) as d,\n        open(b) as e,\n    ):\n        return (\n            a,\n            b,\n        )\n";
    same("a.py", Some("f"), &[before, after]);
    differ(
        "a.py",
        Some("f"),
        &[
            "def f():\n    for (k) in g(): pass\n",
            "def f():\n    for (k,) in g(): pass\n",
            "def f():\n    x = 1\n",
            "def f():\n    x = 1,\n",
            "def f():\n    x = 1, (2, 3)\n",
            "def f():\n    x = 1, 2, 3\n",
            "def f(a: A | B): pass\n",
            "def f(a: A | C): pass\n",
        ],
    );
    same(
        "a.ts",
        Some("f.g"),
        &[
            "function f(g) {\n  g = (b) => h(b)\n  return g\n}\n",
            "function f(g) {\n  g = b => h(b);\n  return g;\n}\n",
        ],
    );
}

#[test]
fn neighbouring_literals_are_one_string() {
    same(
        "a.py",
        Some("f"),
        &[
            "def f(key):\n    raise E(f\"set {key}, already been read\", x='a \"b\" c')\n",
            "def f(key):\n    raise E(\n        f\"set {key}, already\"  # why\n        \" been read\",\n        x='a \"b\"' u' c',\n    )\n",
        ],
    );
    same(
        "a.c",
        Some("f"),
        &["void f(void) { g(\"one two\"); }", "void f(void) {\n  g(\"one \"\n    \"two\");\n}\n"],
    );
    differ(
        "a.py",
        Some("f"),
        &[
            "def f(a): return g('a' 'b')\n",
            "def f(a): return g('a', 'b')\n",
            "def f(a): return g('a' b'b')\n",
            "def f(a): return g('{a}' 'b')\n",
            "def f(a): return g('{a}' f'b')\n",
            "def f(a): return g(f'{a}' f'b')\n",
            "def f(a): return g('\\0' '1')\n",
            "def f(a): return g('\\01')\n",
        ],
    );
}

#[test]
fn how_formatters_write_python_does_not_count() {
    let cases: [&[&str]; 9] = [
        &[
            "def f(a, b):\n    x = a + \\\n        b\n    assert a, \\\n        'b'\n",
            "def f(a, b):\n    x = a + b\n    assert (\n        a\n    ), 'b'\n",
        ],
        &[
            "def f():\n    def g():\n        nonlocal a, b\n",
            "def f():\n    def g():\n        nonlocal \\\n            a, \\\n            b\n",
        ],
        &[
            "def f(): return 'it\\'s', \" '\\\"\", B'\\xAB', rB'\\d', '\\u00E9\\N{Dash}'\n",
            "def f(): return \"it's\", ' \\'\"', b\"\\xab\", Rb'\\d', '\\u00e9\\N{dash}'\n",
        ],
        &["def f(): return 'a\\\nb'\n", "def f(): return 'ab'\n"],
        &["def f(): return 0XAB, 1E5, 2J\n", "def f(): return 0xab, 1e5, 2j\n"],
        &["class f(): pass\n", "class f: pass\n"],
        &[
            "def f(a):\n    b = 1; c = 2;\n    if a: return b; break\n",
            "def f(a):\n    b = 1\n    c = 2\n    if a:\n        return b\n        break\n",
        ],
        &[
            "def f(a):\n    match (a):\n        case (1): pass\n        case (1 | 2): pass\n    g((x for x in a))\n",
            "def f(a):\n    match a:\n        case 1: pass\n        case 1 | 2: pass\n    g(x for x in a)\n",
        ],
        &[
            "def f(a): return f'{a} {{b}} c\"d'\n",
            "def f(a): return (\n        f'{a}'\n        ' {b} c\"d'\n    )\n",
        ],
    ];
    for texts in cases {
        same("a.py", Some("f"), texts);
    }
    differ(
        "a.py",
        Some("f"),
        &[
            "def f(): return 'a\\\\'\n",
            "def f(): return 'a\\n'\n",
            "def f(): return r'a\\n'\n",
            "def f(): return 'an'\n",
            "def f(): return b'\\u00E9'\n",
            "def f(): return b'\\u00e9'\n",
            "def f(): return f'{a}'\n",
            "def f(): return '{a}'\n",
            "def f(): g(((x for x in a), 1))\n",
            "def f(): g((x for x in a), 1)\n",
        ],
    );
    differ("a.py", Some("f"), &["class f(A): pass\n", "class f: pass\n"]);
}

#[test]
fn braces_and_semicolons_of_rustfmt_do_not_count() {
    same(
        "a.rs",
        Some("f"),
        &[
            "fn f(a: A) -> u8 { let Some(b) = a else { return 1 }; match b { 1 => return 2, 3 => match c { _ => 4 }, _ => g(|d| if d { 1 } else { 2 }) } }",
            "fn f(a: A) -> u8 {\n    let Some(b) = a else {\n        return 1;\n    };\n    match b {\n        1 => {\n            return 2;\n        }\n        3 => {\n            match c {\n                _ => 4,\n            }\n        }\n        _ => g(|d| {\n            if d { 1 } else { 2 }\n        }),\n    }\n}\n",
        ],
    );
    same(
        "a.rs",
        Some("f"),
        &[
            "fn f() { assert!(a.iter().all(|b| b.c(d, e)), \"{f}\"); vec![g(1), h!(2)]; }",
            "fn f() {\n    assert!(\n        a.iter().all(|b| {\n            b.c(\n                d,\n                e,\n            )\n        }),\n        \"{f}\",\n    );\n    vec![\n        g(1),\n        h!(2),\n    ];\n}\n",
        ],
    );
    differ(
        "a.rs",
        Some("f"),
        &[
            "fn f() { assert!(a, b) }",
            "fn f() { assert!((a, b)) }",
            "fn f() { assert![a; b] }",
            "fn f() { assert!(a b) }",
            "fn f() { assert!(); }",
            "fn f() { match a { 1 => { b } } }",
            "fn f() { match a { 1 => { b; } } }",
            "fn f() { match a { 1 => { return b; } } }",
            "fn f() { match a { 1 => { return b; c } } }",
        ],
    );
}

#[test]
fn layout_of_macros_in_c_does_not_count() {
    same(
        "a.c",
        Some("MAX"),
        &[
            "#define MAX(a,b) ((a)>(b)?f(a, \"x  y\"):(b))\n",
            "#define MAX(a, b)           \\\n    ((a) > (b) ? f(a, \"x  y\") \\\n               : (b))\n",
        ],
    );
    differ(
        "a.c",
        Some("A"),
        &[
            "#define A \"x  y\"\n",
            "#define A \"x y\"\n",
            "#define A x y\n",
            "#define A xy\n",
            "#define A a + +b\n",
            "#define A a ++b\n",
        ],
    );
}

#[test]
fn quotes_that_prettier_changes_do_not_count() {
    same(
        "a.ts",
        Some("E"),
        &["enum E { A = 'a', 'B' = 2 }", "enum E {\n  A = \"a\",\n  B = 2,\n}\n"],
    );
    same(
        "a.tsx",
        Some("v"),
        &["const v = <A b='&quot;' c='it&apos;s' />", "const v = <A b='\"' c=\"it's\" />;\n"],
    );
    differ("a.ts", Some("v"), &["const v: A = 1", "const v: B = 1", "const v = 1"]);
    differ("a.tsx", Some("v"), &["const v = '&quot;'", "const v = '\"'"]);
}

#[test]
fn each_name_of_a_symbol_is_compared_as_itself() {
    differ(
        "a.py",
        Some("A.f"),
        &["class A:\n    def f(self): return A()\n", "class A:\n    def f(self): return f()\n"],
    );
}

#[test]
fn renames_and_moves_do_not_count() {
    let substance_of = |file: &str, name: &str, text: &str| substance(file, text, Some(name));
    assert_eq!(
        substance_of("a.ts", "f", "export function f(n) { return n ? f(n - 1) : 0 }"),
        substance_of("b/c.ts", "g", "export function g(n) { return n ? g(n - 1) : 0 }"),
    );
    assert_eq!(
        substance_of("a.rs", "A.f", "struct A;\nimpl A { fn f(&self) -> A { A.f() } }"),
        substance_of("b.rs", "B.g", "struct B;\nimpl B { fn g(&self) -> B { B.g() } }"),
    );
    assert_eq!(
        substance("a.ts", "import { x } from './x';\nexport const a = x;", None),
        substance("b/a.ts", "import { x } from '../x';\nexport const a = x;", None),
    );
    assert_eq!(
        substance_of("a.js", "f", "function f() { return require('./x').y }"),
        substance_of("b/a.js", "f", "function f() { return require('../x').y }"),
    );
}

#[test]
fn what_code_does_counts() {
    let cases: [(&str, &str, &[&str]); 6] = [
        (
            "a.ts",
            "f",
            &[
                "const f = (a, b) => a - b - 1;",
                "const f = (a, b) => a - (b - 1);",
                "const f = (a, b) => a - b - 2;",
                "const f = (a, b) => a + b - 1;",
                "const f = (a, b) => a - b - '1';",
                "const f = async (a, b) => a - b - 1;",
            ],
        ),
        (
            "a.rs",
            "f",
            &[
                "fn f() -> u8 { g(1) }",
                "fn f() { g(1); }",
                "fn f() -> u8 { g(2) }",
                "fn f() -> u8 { h(1) }",
                "pub fn f() -> u8 { g(1) }",
                "fn f() -> u8 { [1; 2] }",
                "fn f() -> u8 { [1, 2] }",
                "fn f() -> u8 { vec![1; 2] }",
                "fn f() -> u8 { vec![1, 2] }",
                "fn f() -> u8 { a - b - c }",
                "fn f() -> u8 { a - (b - c) }",
            ],
        ),
        (
            "a.py",
            "f",
            &[
                "def f(a):\n    if a:\n        g()\n    h()\n",
                "def f(a):\n    if a:\n        g()\n        h()\n",
                "def f(a):\n    if not a:\n        g()\n    h()\n",
                "def f(a):\n    return (a,)\n",
                "def f(a):\n    return (a)\n",
                "def f(a):\n    return 'a'\n",
                "def f(a):\n    return 'b'\n",
                "def f(a):\n    return b'b'\n",
            ],
        ),
        (
            "a.go",
            "F",
            &["package a\nfunc F() int { return 1 }", "package a\nfunc F() int { return 2 }"],
        ),
        (
            "a.rb",
            "f",
            &["def f\n  \"a b\"\nend\n", "def f\n  \"a  b\"\nend\n", "def f\n  'a b'\nend\n"],
        ),
        ("a.sh", "f", &["f() { echo a; }", "f() { echo b; }", "f() { echo \"a\"; }"]),
    ];
    for (file, symbol, texts) in cases {
        differ(file, Some(symbol), texts);
    }
}

#[test]
fn a_module_is_read_without_its_tests_and_imports() {
    let module = "use b::C;\nuse a::B;\n\npub fn f() -> B { C }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert!(true) }\n}\n";
    let other = "//! Docs.\nuse a::B;\nuse b::C;\n\npub fn f() -> B {\n    C\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert!(false) }\n}\n";
    same("a.rs", None, &[module, other]);
    differ("a.rs", None, &[module, &module.replace("{ C }", "{ D }")]);
}

#[test]
fn a_file_of_tests_is_read_with_its_tests() {
    let file = "const limit = 5\n\ndescribe('host', () => {\n  it('has a port', () => { equal(host, limit) })\n})\n";
    let changed = file.replace("equal(host, limit)", "equal(host, 6)");
    differ("test/host.test.js", None, &[file, &changed]);
    let tests = "def helper(): pass\n\ndef test_a():\n    assert 1\n";
    differ("tests/test_a.py", None, &[tests, &tests.replace('1', "2")]);
    differ("tests/test_a.py", Some("test_a"), &[tests, &tests.replace('1', "2")]);
}

#[test]
fn prose_is_what_it_says() {
    let text = "# Login\n\nUsers *sign in* with OAuth.\n\n* one\n* [two](../src/a.ts)\n";
    let same = "Login\n=====\n\nUsers _sign in_\nwith OAuth.\n\n<!-- why\nand why not\n-->\n\n-   one\n-   [two](../lib/a.ts)\n";
    assert_eq!(prose_substance(text), prose_substance(same));
    assert_ne!(prose_substance(text), prose_substance(&text.replace("OAuth", "SAML")));
    assert_ne!(prose_substance("- one\n- two"), prose_substance("- one two"));
    assert_ne!(prose_substance("a `b` c"), prose_substance("a `d` c"));
}
