//! Each edit as a table: before, the edit, after.

use document::{DocumentEdit, FieldPathSegment, NewValue, edit};

fn front(text: &str, edits: &[DocumentEdit]) -> String {
    let whole = format!("---\n{text}---\nbody");
    let new = edit(&whole, edits).unwrap_or_else(|fault| panic!("{fault} in\n{whole}"));
    let front = new.strip_prefix("---\n").and_then(|rest| rest.strip_suffix("---\nbody"));
    front.expect("the fences and the body stay").to_owned()
}

fn set(field: &str, value: &str) -> DocumentEdit {
    DocumentEdit::set(field, value)
}

fn take(list: &str, at: usize) -> DocumentEdit {
    DocumentEdit::RemoveItem { list: list.into(), at }
}

fn insert(list: &str, at: usize, item: &str) -> DocumentEdit {
    DocumentEdit::InsertItem { list: list.into(), at: Some(at), item: item.into() }
}

fn relation(kind: &str, target: &str) -> NewValue {
    NewValue::Map(vec![("type".into(), kind.into()), ("target".into(), target.into())])
}

#[test]
fn scalars_keep_their_quotes_and_comments() {
    for (before, value, after) in [
        ("a: x # why\n", "y", "a: y # why\n"),
        ("a:   'x'  # why\n", "it's", "a:   'it''s'  # why\n"),
        ("a: \"x\"\n", "y", "a: \"y\"\n"),
        ("a: x\n", "b: c", "a: \"b: c\"\n"),
        ("a: x\n", "no", "a: no\n"),
        ("a: x\n", "true", "a: \"true\"\n"),
        ("a: x\n", "12", "a: \"12\"\n"),
        ("a: x\n", "", "a: \"\"\n"),
        ("a: x\n", "two\nlines", "a: \"two\\nlines\"\n"),
        ("a: 'x'\n", "two\nlines", "a: \"two\\nlines\"\n"),
        ("a: x\n", "설계: x #1", "a: \"설계: x #1\"\n"),
        ("a:\n", "y", "a: y\n"),
        ("a: # why\n", "y", "a: y # why\n"),
        ("a: |\n  one\n  two\n\nb: 1\n", "y", "a: y\n\nb: 1\n"),
        ("a: >-\n  one\nb: 1\n", "y", "a: y\nb: 1\n"),
        ("a: one\n  two\nb: 1\n", "y", "a: y\nb: 1\n"),
        ("b: 1\n", "y", "b: 1\na: y\n"),
        ("# nothing\n", "y", "# nothing\na: y\n"),
        ("", "y", "a: y\n"),
        ("a: &k x\nb: *k\n", "x", "a: &k x\nb: *k\n"),
        ("b: &k x\na: *k\n", "y", "b: &k x\na: y\n"),
        ("{a: x, b: [1, 2]}\n", "y, z", "{a: \"y, z\", b: [1, 2]}\n"),
        ("a: [x]\nb: 1\n", "y", "a: y\nb: 1\n"),
        ("a:\n  - x\n# c\nb: 1\n", "y", "a: y\n# c\nb: 1\n"),
    ] {
        assert_eq!(front(before, &[set("a", value)]), after, "{before:?} with {value:?}");
    }
}

#[test]
fn fields_go_with_their_lines_and_no_others() {
    for (before, after) in [
        ("a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n"),
        ("a: 1\n# on b\nb: 2 # x\n# on c\nc: 3\n", "a: 1\n# on b\n# on c\nc: 3\n"),
        ("b:\n  - x\n  - y: 1\n    z: 2\nc: 3\n", "c: 3\n"),
        ("b:\n- x\n- y\nc: 3\n", "c: 3\n"),
        ("a: 1\nb:\n", "a: 1\n"),
        ("b: |\n  x\n  y\nc: 3\n", "c: 3\n"),
        ("a: 1\n", "a: 1\n"),
    ] {
        assert_eq!(
            front(before, &[DocumentEdit::RemoveField { field: "b".into() }]),
            after,
            "{before:?}"
        );
    }
}

#[test]
fn items_follow_the_style_of_their_list() {
    for (before, edit, after) in [
        ("t: [a, b]\n", DocumentEdit::push("t", "c"), "t: [a, b, c]\n"),
        ("t: [a, b,]\n", DocumentEdit::push("t", "c"), "t: [a, b, c,]\n"),
        ("t: []\n", DocumentEdit::push("t", "c d"), "t: [c d]\n"),
        ("t: [ ]\n", DocumentEdit::push("t", "c, d"), "t: [\"c, d\" ]\n"),
        ("t: ['a']\n", DocumentEdit::push("t", "c"), "t: ['a', 'c']\n"),
        ("t: [a, c]\n", insert("t", 1, "b"), "t: [a, b, c]\n"),
        ("t:\n  - a # x\n\nu: 1\n", DocumentEdit::push("t", "b"), "t:\n  - a # x\n  - b\n\nu: 1\n"),
        ("t:\n- a\nu: 1\n", DocumentEdit::push("t", "b"), "t:\n- a\n- b\nu: 1\n"),
        ("t:\n    -   a\n", insert("t", 0, "b"), "t:\n    -   b\n    -   a\n"),
        ("t: # none yet\nu: 1\n", DocumentEdit::push("t", "b"), "t: # none yet\n  - b\nu: 1\n"),
        ("t: null\n", DocumentEdit::push("t", "b"), "t: [b]\n"),
        ("u: 1\n", DocumentEdit::push("t", "- x"), "u: 1\nt:\n  - \"- x\"\n"),
        ("t:\n  - a\n  # on b\n  - b\n", take("t", 1), "t:\n  - a\n  # on b\n"),
        ("t:\n  - a\nu: 1\n", take("t", 0), "t:\nu: 1\n"),
        ("t: [a, b, c]\n", take("t", 1), "t: [a, c]\n"),
        ("t: [a, # first\n    b]\n", take("t", 1), "t: [a, # first\n    ]\n"),
        ("t: [a, # first\n    b]\n", take("t", 0), "t: [ # first\n    b]\n"),
        ("t: [ a, ]\n", take("t", 0), "t: [  ]\n"),
    ] {
        assert_eq!(front(before, std::slice::from_ref(&edit)), after, "{before:?} {edit:?}");
    }
}

#[test]
fn a_map_is_one_line_and_its_values_can_be_set() {
    let pushed = DocumentEdit::push("r", relation("related", "spec::a/b"));
    assert_eq!(
        front("r:\n  - type: x\n    target: y\ns: 1\n", &[pushed]),
        "r:\n  - type: x\n    target: y\n  - { type: related, target: spec::a/b }\ns: 1\n"
    );
    let path = vec![FieldPathSegment::from("r"), 1.into(), "target".into()];
    let renamed = DocumentEdit::Set { path, value: "spec::n".into() };
    assert_eq!(
        front("r:\n  - type: x\n    target: y # why\n  - {target: 'z', type: x}\n", &[renamed]),
        "r:\n  - type: x\n    target: y # why\n  - {target: 'spec::n', type: x}\n"
    );
}

#[test]
fn lists_become_others_with_little_change() {
    let list = |items: &[&str]| DocumentEdit::set("t", items.iter().copied().collect::<NewValue>());
    for (before, items, after) in [
        ("t:\n  - a # x\n  - b\nu: 1\n", vec!["a", "c"], "t:\n  - a # x\n  - c\nu: 1\n"),
        (
            "t:\n  - a # x\n  - b\n",
            vec!["0", "a", "b", "c"],
            "t:\n  - \"0\"\n  - a # x\n  - b\n  - c\n",
        ),
        ("t: [a, b]\n", vec!["c"], "t: [c]\n"),
        ("t:\n  - a\n  - b\n", vec!["b", "a"], "t:\n  - b\n  - a\n"),
        ("t:\n  - a\n", vec![], "t: []\n"),
        ("t:\n", vec!["a"], "t:\n  - a\n"),
        ("u: 1\n", vec!["a"], "u: 1\nt:\n  - a\n"),
        ("t: a\n", vec!["a"], "t:\n  - a\n"),
    ] {
        assert_eq!(front(before, &[list(&items)]), after, "{before:?} {items:?}");
    }
}

#[test]
fn line_ends_marks_and_the_missing_last_newline_stay() {
    let text = "\u{feff}---\r\na: x\r\nt:\r\n  - 1\r\n---\r\n# B\r\nend";
    let new = edit(text, &[set("a", "y"), DocumentEdit::push("t", "b"), set("n", "z")]).unwrap();
    assert_eq!(new, "\u{feff}---\r\na: y\r\nt:\r\n  - 1\r\n  - b\r\nn: z\r\n---\r\n# B\r\nend");
    let bodied = edit(text, &[DocumentEdit::ReplaceBody("one\ntwo\n".into())]).unwrap();
    assert!(bodied.ends_with("---\r\none\r\ntwo\r\n"));
}

#[test]
fn what_cannot_be_edited_in_place_says_so() {
    for (text, edit) in [
        ("# no frontmatter", set("a", "x")),
        ("---\na: [1\n---\n", set("a", "x")),
        ("---\n{a: 1}\n---\n", set("b", "x")),
        ("---\na: x\n---\n", DocumentEdit::push("a", "b")),
        ("---\na: &k [1]\nb: *k\n---\n", DocumentEdit::push("b", "x")),
        ("---\na: &k x\nb: *k\n---\n", set("a", "y")),
        ("---\na: [x]\n---\n", take("a", 3)),
    ] {
        assert!(document::edit(text, &[edit]).is_err(), "{text}");
    }
}
