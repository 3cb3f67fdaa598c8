//! Laws over random documents: an edit and its inverse leave the same bytes, and a written value is
//! read back unchanged.

use document::{Document, DocumentEdit, NewValue, edit};
use proptest::prelude::*;

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9 ._/-]{0,12}[a-z]",
        "[ -~]{0,20}",
        "\\PC{0,12}",
        "[:#\\[\\]{},&*!|>'\"%@`?-][ -~]{0,6}",
        Just("null".to_owned()),
        Just("1e3".to_owned()),
        Just("a\nb\tc\r".to_owned()),
        Just("결제 시스템".to_owned()),
    ]
}

/// A written value of a field that is a single word, with what may stand around it.
fn written() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}".prop_map(|word| format!(" {word}")),
        "[a-z]{1,8}".prop_map(|word| format!("  '{word}'  # why")),
        "[a-z]{1,8}".prop_map(|word| format!(" \"{word}\"")),
    ]
}

fn list() -> impl Strategy<Value = String> {
    let items = || proptest::collection::vec("[b-y]{1,6}", 0..4);
    prop_oneof![
        items().prop_map(|items| format!(" [{}]", items.join(", "))),
        items().prop_map(|items| format!(
            " [ {}] # c",
            items.iter().map(|i| format!("{i} ,  ")).collect::<String>()
        )),
        items().prop_map(|items| items
            .iter()
            .map(|i| format!("\n  - {i} # c\n  # own line"))
            .collect()),
        items().prop_map(|items| items.iter().map(|i| format!("\n-  '{i}'")).collect()),
    ]
}

prop_compose! {
    fn text()(
        fields in proptest::collection::vec(written(), 1..4),
        list in list(),
        crlf in any::<bool>(),
        bom in any::<bool>(),
        body in "[ -~\n]{0,40}",
    ) -> String {
        let mut text = String::from("---\n# head\n");
        text.extend(fields.iter().enumerate().map(|(at, value)| format!("f{at}:{value}\n")));
        text.extend(["list:", &list, "\nlast: x\n---\n", &body]);
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        if bom { format!("\u{feff}{text}") } else { text }
    }
}

fn words(text: &str, field: &str) -> Vec<String> {
    let document = Document::parse(text).expect("it is a document");
    let list = document.get(field).and_then(|node| node.as_list()).expect("it is a list");
    list.iter().map(|item| item.scalar().expect("a word").into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn an_added_item_that_is_taken_leaves_the_same_bytes(
        text in text(), item in scalar(), at in 0usize..5,
    ) {
        let count = words(&text, "list").len();
        let at = (at < count).then_some(at);
        let add = DocumentEdit::InsertItem { list: "list".into(), at, item: item.as_str().into() };
        let added = edit(&text, &[add]).unwrap();
        prop_assert_eq!(&words(&added, "list")[at.unwrap_or(count)], &item);
        let back = edit(&added, &[DocumentEdit::RemoveItem { list: "list".into(), at: at.unwrap_or(count) }]);
        prop_assert_eq!(back.unwrap(), text);
    }

    #[test]
    fn a_new_field_that_is_removed_leaves_the_same_bytes(text in text(), value in scalar()) {
        let added = edit(&text, &[DocumentEdit::set("new", value.as_str())]).unwrap();
        let said = Document::parse(&added).unwrap().get("new").unwrap().as_str().map(str::to_owned);
        prop_assert_eq!(said, Some(value));
        prop_assert_eq!(edit(&added, &[DocumentEdit::RemoveField { field: "new".into() }]).unwrap(), text);
    }

    #[test]
    fn a_field_set_and_set_back_is_the_same(text in text(), word in "[a-z]{1,9}") {
        let old = Document::parse(&text).unwrap().get("f0").unwrap().scalar().unwrap().into_owned();
        let new = edit(&text, &[DocumentEdit::set("f0", word.as_str())]).unwrap();
        prop_assert_eq!(edit(&new, &[DocumentEdit::set("f0", old)]).unwrap(), text);
    }

    #[test]
    fn what_was_set_is_what_is_read_and_nothing_else_changed(text in text(), value in scalar()) {
        for field in ["f0", "list", "last"] {
            let new = edit(&text, &[DocumentEdit::set(field, value.as_str())]).unwrap();
            let (before, after) = (Document::parse(&text).unwrap(), Document::parse(&new).unwrap());
            prop_assert_eq!(after.get(field).unwrap().as_str(), Some(value.as_str()));
            for (name, node) in before.fields().filter(|(name, _)| *name != field) {
                prop_assert_eq!(node.to_json(), after.get(name).unwrap().to_json());
            }
            prop_assert_eq!(before.body(), after.body());
        }
    }

    #[test]
    fn lists_of_anything_are_read_back(text in text(), items in proptest::collection::vec(scalar(), 0..5)) {
        let value: NewValue = items.iter().map(String::as_str).collect();
        let new = edit(&text, &[DocumentEdit::set("list", value)]).unwrap();
        prop_assert_eq!(words(&new, "list"), items);
    }

    #[test]
    fn no_text_makes_it_panic(text in "(---\n)?[ -~\n\t\u{e9}]{0,200}(---\n)?[ -~]{0,20}") {
        if let Ok(document) = Document::parse(&text) {
            document.fields().for_each(|(_, node)| drop(node.to_json()));
            for change in [DocumentEdit::set("a", "x"), DocumentEdit::push("b", "y"), DocumentEdit::RemoveField { field: "a".into() }] {
                let _ = edit(&text, &[change]);
            }
        }
    }
}
