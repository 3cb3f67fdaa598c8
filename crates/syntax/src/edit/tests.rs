//! The laws of links over every fixture of every language, and over files put together at random.

use proptest::prelude::*;

use super::*;
use crate::model::DocTag;
use crate::robustness::{FIXTURES, texts};

const KEY: &str = "spec::edit/law";

/// What has no doc comment of its own: names that share a declaration, parameters that are fields,
/// components, whose text starts with markup.
const SHARED: [&str; 21] = [
    "TypeScript Session.repo",
    "TypeScript p",
    "TypeScript r",
    "TypeScript first",
    "TypeScript others",
    "TypeScript q",
    "TypeScript tail",
    "TypeScript A.repo",
    "Python b",
    "Go Session.nick",
    "Go b",
    "C node.prev",
    "Ruby Acme.Session.name",
    "Ruby Acme.Session.age",
    "Swift Color.green",
    "Vue",
    "Vue default",
    "Svelte",
    "Svelte default",
    "Astro",
    "Astro default",
];

/// A text, and as other people would have written it.
fn variations(text: &str) -> [String; 2] {
    let windows = text.trim().replace('\n', "\r\n");
    [text.to_owned(), format!("\u{feff}{windows}")]
}

/// Whether a place has the link.
fn is_linked(language: Language, text: &str, place: DocTarget<'_>) -> bool {
    let facts = extract_code(language, text).unwrap();
    let owner = find_owner(&facts, place).unwrap();
    let mut links = facts.doc_links.iter();
    links.any(|link| {
        link.owner == owner && link.tag == DocTag::See && doc_link_key(&link.target) == KEY
    })
}

/// Links a place, checks the laws, and says why it was refused if it was.
fn check_laws(language: Language, text: &str, place: DocTarget<'_>) -> Option<EditRefusal> {
    let linked = match add_doc_link(language, text, place, KEY) {
        Ok(linked) => linked,
        Err(refusal) => return Some(refusal),
    };
    let what = format!("{language} {place:?} became\n{linked}");
    assert!(is_linked(language, &linked, place), "{what}");
    assert_eq!(add_doc_link(language, &linked, place, KEY).as_ref(), Ok(&linked), "again: {what}");
    let (renamed, count) = retarget_doc_links(language, &linked, KEY, "adapter::x").unwrap();
    assert_eq!(count, 1, "{what}");
    assert_eq!(retarget_doc_links(language, &renamed, "adapter::x", KEY).unwrap().0, linked);
    assert_eq!(remove_doc_link(language, &linked, place, KEY).as_deref(), Ok(text), "{what}");
    None
}

/// Checks the laws for the file and everything in it; gives back what was refused.
fn check_all(language: Language, text: &str) -> Vec<String> {
    let facts = extract_code(language, text).unwrap();
    let named = facts.symbols.iter().filter(|symbol| !symbol.is_anonymous());
    let places = named.map(|symbol| DocTarget::Symbol(&symbol.path));
    let all = std::iter::once(DocTarget::Module).chain(places);
    let refused = all.filter_map(|place| {
        check_laws(language, text, place)?;
        match place {
            DocTarget::Module => Some(format!("{language}")),
            DocTarget::Symbol(path) => Some(format!("{language} {path}")),
        }
    });
    refused.collect()
}

#[test]
fn unlink_undoes_link_for_every_symbol_of_every_fixture() {
    let is_editable = |language: &Language| language.descriptor().layout.not_editable.is_none();
    for (language, file) in FIXTURES.iter().filter(|(language, _)| is_editable(language)) {
        let language = *language;
        for fixture in texts(file) {
            for text in variations(fixture) {
                let is_whole = extract_code(language, &text).unwrap().errors.is_empty();
                // The outlines that stand beside fixtures happen to be PHP: text without a tag.
                let is_php = language != Language::Php || text.contains("<?php");
                if !is_whole || !is_php {
                    continue;
                }
                for refused in check_all(language, &text) {
                    let known =
                        refused.replace("JavaScript", "TypeScript").replace("Kotlin", "TypeScript");
                    assert!(SHARED.contains(&known.as_str()), "{refused} in\n{text}");
                }
            }
        }
    }
}

/// Links a symbol, or the file, and compares with what a person would have written.
#[track_caller]
fn check(language: Language, path: &str, before: &str, after: &str) {
    let place = if path.is_empty() { DocTarget::Module } else { DocTarget::Symbol(path) };
    assert_eq!(add_doc_link(language, before, place, "spec::a").as_deref(), Ok(after));
    assert_eq!(remove_doc_link(language, after, place, "spec::a").as_deref(), Ok(before));
}

#[test]
fn links_are_written_as_each_language_documents() {
    use Language as L;
    check(
        L::TypeScript,
        "f",
        "export function f() {}\n",
        "/** @see spec::a */\nexport function f() {}\n",
    );
    check(
        L::TypeScript,
        "A.m",
        "class A {\n  /**\n   * Says.\n   */\n  @dec() m() {}\n}\n",
        "class A {\n  /**\n   * Says.\n   *\n   * @see spec::a\n   */\n  @dec() m() {}\n}\n",
    );
    check(L::TypeScript, "b", "let a = 1, b = 2;\n", "let a = 1, /** @see spec::a */ b = 2;\n");
    check(
        L::TypeScript,
        "",
        "#!/usr/bin/env node\n// Copyright A\n\n'use strict';\n",
        "#!/usr/bin/env node\n// Copyright A\n\n/** @see spec::a */\n\n'use strict';\n",
    );
    check(
        L::Rust,
        "A",
        "    /// Says.\n    #[derive(Debug)]\n    struct A;\n",
        "    /// Says.\n    ///\n    /// @see spec::a\n    #[derive(Debug)]\n    struct A;\n",
    );
    check(L::Rust, "f", "#[test]\nfn f() {}\n", "/// @see spec::a\n#[test]\nfn f() {}\n");
    check(L::Rust, "", "use a::b;\n", "//! @see spec::a\n\nuse a::b;\n");
    check(
        L::Python,
        "A.m",
        "class A:\n    @dec\n    def m(self):\n        return 1\n",
        "class A:\n    @dec\n    def m(self):\n        \"\"\"@see spec::a\"\"\"\n        return 1\n",
    );
    check(
        L::Python,
        "",
        "# -*- coding: utf-8 -*-\n\"\"\"Says.\n\nMore.\n\"\"\"\nfrom __future__ import x\n",
        "# -*- coding: utf-8 -*-\n\"\"\"Says.\n\nMore.\n\n@see spec::a\n\"\"\"\nfrom __future__ import x\n",
    );
    check(L::Python, "X", "X = 1\n", "#: @see spec::a\nX = 1\n");
    check(
        L::Go,
        "F",
        "package a\n\n// F does.\nfunc F() {}\n",
        "package a\n\n// F does.\n//\n// @see spec::a\nfunc F() {}\n",
    );
    check(
        L::Go,
        "",
        "// Copyright A\n\npackage a\n",
        "// Copyright A\n\n// @see spec::a\npackage a\n",
    );
    check(
        L::Java,
        "A.m",
        "class A {\n  @Override\n  void m() {}\n}\n",
        "class A {\n  /** @see spec::a */\n  @Override\n  void m() {}\n}\n",
    );
    check(L::CSharp, "A", "[X]\nclass A {}\n", "/// @see spec::a\n[X]\nclass A {}\n");
    check(L::Kotlin, "f", "@A\nfun f() = 1\n", "/** @see spec::a */\n@A\nfun f() = 1\n");
    check(L::Swift, "A", "@objc class A {}\n", "/// @see spec::a\n@objc class A {}\n");
    check(L::Php, "f", "<?php\nfunction f() {}\n", "<?php\n/** @see spec::a */\nfunction f() {}\n");
    check(
        L::C,
        "f",
        "/* plain */\nint f(void);\n",
        "/* plain */\n/** @see spec::a */\nint f(void);\n",
    );
    check(
        L::Ruby,
        "A.m",
        "class A\n  # Says.\n  def m; end\nend\n",
        "class A\n  # Says.\n  #\n  # @see spec::a\n  def m; end\nend\n",
    );
    check(L::Bash, "", "#!/bin/sh\nset -e\n", "#!/bin/sh\n# @see spec::a\nset -e\n");
}

#[test]
fn a_link_written_by_hand_is_taken_out_too() {
    let check = |before: &str, after: &str| {
        let place = DocTarget::Symbol("f");
        assert_eq!(
            remove_doc_link(Language::TypeScript, before, place, "spec::a").as_deref(),
            Ok(after)
        );
    };
    check("/**\n * @see spec::a\n */\nfunction f() {}\n", "/**\n */\nfunction f() {}\n");
    check(
        "/**\n * @see spec::a because\n * Says.\n */\nfunction f() {}\n",
        "/**\n * Says.\n */\nfunction f() {}\n",
    );
    check(
        "/** @see spec::a\n * Says. */\nfunction f() {}\n",
        "/** \n * Says. */\nfunction f() {}\n",
    );
    check("/** @see spec::a\n @see spec::a */\nfunction f() {}\n", "function f() {}\n");
}

#[test]
fn what_is_not_there_is_named() {
    let refused =
        add_doc_link(Language::Rust, "fn alpha() {}", DocTarget::Symbol("alpah"), "spec::a");
    assert_eq!(refused, Err(EditRefusal::NoSymbol(vec!["alpha".into()])));
    assert_eq!(
        add_doc_link(Language::Markdown, "", DocTarget::Module, "spec::a"),
        Err(EditRefusal::UnsupportedLanguage)
    );
}

/// Openings and declarations of a language.
type Parts = (Language, &'static [&'static str], &'static [&'static str]);

const SLASHES: &[&str] =
    &["// Copyright 2024 A\n", "/*\n * Copyright 2024 A\n */\n", "\n", "// note\n"];

const PARTS: [Parts; 14] = [
    (
        Language::TypeScript,
        &[
            "#!/usr/bin/env node\n",
            "// Copyright A\n",
            "/** @license MIT */\n",
            "'use strict';\n",
            "\n",
            "/** Says. */\n\n",
            "import a from 'a';\n",
            "// @ts-check\n",
        ],
        &[
            "export const aN = 1, zN = 2;\n",
            "/** Doc. */\nexport function fN() {}\n",
            "/**\n * Doc.\n * @param a b\n */\nclass CN {\n  /** x */ m() {}\n\n  @dec() p = 1;\n}\n",
            "@Dec()\nexport class DN {}\n",
            "/**\n   Doc\n   */\ntype TN = string;\n",
            "export default { kN() {} };\n",
            "/** */\nlet eN = () => 1;\n",
            "// plain\ninterface IN { a: string; b(): void }\n",
        ],
    ),
    (
        Language::JavaScript,
        &["#!/usr/bin/env node\n", "'use strict';\n", "// @flow\n", "\n"],
        &[
            "exports.aN = function () {};\n",
            "var bN = 1;\n",
            "/**\n */\nfunction cN() {}\n",
            "class AN { static #x = 1; get y() { return 1; } }\n",
        ],
    ),
    (
        Language::Rust,
        &[
            "#!/usr/bin/env run\n",
            "// Copyright A\n",
            "//! Says.\n",
            "#![allow(x)]\n",
            "\n",
            "use a::b;\n",
            "/*! Says */\n",
        ],
        &[
            "/// Doc.\n#[derive(Debug)]\npub struct SN {\n    /// a\n    pub a: u8,\n    b: u8,\n}\n",
            "#[test]\nfn fN() {}\n",
            "impl TN {\n    fn m(&self) {}\n}\n",
            "/** Doc */\nenum EN { A, B }\n",
            "mod mN {\n    //! Inner.\n    fn g() {}\n}\n",
            "/// ```\n/// x\nconst XN: u8 = 1;\n",
        ],
    ),
    (
        Language::Python,
        &[
            "#!/usr/bin/env python\n",
            "# -*- coding: utf-8 -*-\n",
            "# Copyright A\n",
            "from __future__ import annotations\n",
            "\n",
            "'short'\n",
            "'''Long.'''\n",
            "\"\"\"Says.\n\nMore.\n\"\"\"\n",
            "import os\n",
        ],
        &[
            "def fN():\n    return 1\n",
            "def gN(): return 1\n",
            "@dec\nclass CN:\n    \"\"\"Doc.\"\"\"\n    a = 1\n\n    def m(self):\n        'short'\n",
            "class DN: pass\n",
            "#: Doc.\nxN = 1\n",
            "YN = 2\n",
            "def hN():\n    # note\n    r\"\"\"Doc.\n\n    @see other::key\n    \"\"\"\n    pass\n",
            "def eN():\n    ''\n",
        ],
    ),
    (
        Language::Go,
        &["//go:build linux\n\n", "// Copyright A\n\n", "\n"],
        &[
            "package a\n\n// F does.\nfunc FN() {}\n",
            "package a\n\ntype TN struct {\n\tA int\n}\n\nvar xN = 1\n",
            "package a\n\nconst (\n\tAN = 1\n\t// B is.\n\tBN = 2\n)\n",
            "// Package a does.\npackage a\n\n/*\nG does.\n*/\nfunc GN() {}\n",
        ],
    ),
    (
        Language::Java,
        SLASHES,
        &[
            "package a;\n\nclass AN {\n  /** Doc. */\n  @Override\n  void m() {}\n\n  int x;\n}\n",
            "@Deprecated\ninterface IN { void m(); }\n",
        ],
    ),
    (
        Language::C,
        SLASHES,
        &[
            "#include <a.h>\nint fN(void);\n",
            "/** Doc. */\nstruct sN {\n    int a;\n};\n",
            "/// Line.\nstatic int xN = 1;\n",
            "#define MN 1\nvoid g(void) {}\n",
            "typedef struct { int a; } tN;\n",
        ],
    ),
    (
        Language::Cpp,
        SLASHES,
        &[
            "namespace nN {\nclass A {\npublic:\n  void m();\n};\n}\n",
            "template <class T> T fN(T a) { return a; }\n",
        ],
    ),
    (
        Language::CSharp,
        SLASHES,
        &[
            "using A;\n\nnamespace BN {\n    /// <summary>Doc</summary>\n    [Serializable]\n    public class C {\n        public int X { get; set; }\n    }\n}\n",
        ],
    ),
    (
        Language::Ruby,
        &[
            "#!/usr/bin/env ruby\n",
            "# frozen_string_literal: true\n",
            "# Copyright A\n",
            "\n",
            "# Says.\n\n",
            "require 'a'\n",
        ],
        &["# Doc.\nclass CN\n  def m; end\n\n  X = 1\nend\n", "def fN\n  1\nend\n"],
    ),
    (
        Language::Php,
        &["<?php\n"],
        &[
            "\nnamespace A;\n\nclass CN {\n    public int $x = 1;\n    /** Doc. */\n    #[A]\n    function m() {}\n}\n",
            "// Copyright A\nfunction fN() {}\n",
            "declare(strict_types=1);\n\n/** Says. */\n\nconst AN = 1;\n",
        ],
    ),
    (
        Language::Kotlin,
        SLASHES,
        &[
            "package a\n\n@A\nclass CN {\n    val x = 1\n\n    /** Doc. */\n    fun m() {}\n}\n",
            "fun fN() = 1\n",
        ],
    ),
    (
        Language::Swift,
        SLASHES,
        &[
            "import A\n\n/// Doc.\n@objc class CN {\n    var x = 1\n    func m() {}\n}\n",
            "struct SN {}\n",
        ],
    ),
    (
        Language::Bash,
        &["#!/bin/sh\n", "# Copyright A\n", "set -e\n", "\n", "# Says.\n\n"],
        &["# Doc.\nfN() {\n  true\n}\n", "function gN { true; }\n", "XN=1\n"],
    ),
];

/// A file put together at random, with its language.
fn file() -> impl Strategy<Value = (Language, String)> {
    prop::sample::select(PARTS.to_vec()).prop_flat_map(|(language, openings, declarations)| {
        let openings = if language == Language::Php {
            Just(vec![openings[0]]).boxed()
        } else {
            prop::sample::subsequence(openings.to_vec(), 0..=openings.len().min(4)).boxed()
        };
        let most = if language == Language::Go { 1 } else { 3 };
        let declarations = prop::collection::vec(prop::sample::select(declarations), 0..=most);
        let parts = (openings, declarations, any::<[bool; 4]>());
        parts.prop_map(move |(openings, declarations, [bom, windows, last, apart])| {
            let gap = if apart { "\n" } else { "" };
            let numbered = declarations.iter().enumerate();
            let numbered = numbered.map(|(at, one)| one.replace('N', &at.to_string()));
            let mut text = openings.concat() + &numbered.collect::<Vec<_>>().join(gap);
            if !last {
                text.truncate(text.trim_end().len());
            }
            if windows {
                text = text.replace('\n', "\r\n");
            }
            (language, if bom { format!("\u{feff}{text}") } else { text })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unlink_undoes_link_in_any_file((language, text) in file()) {
        let whole = extract_code(language, &text).unwrap().errors.is_empty();
        let refused = check_all(language, &text);
        prop_assert!(!whole || refused.is_empty(), "{refused:?} in\n{text}");
    }
}
