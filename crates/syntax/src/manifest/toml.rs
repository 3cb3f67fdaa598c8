//! TOML, as far as manifests need it.

use toml_edit::{Document, Item, TableLike};

/// Parses a document and passes its root to `read`; `None` if the text is not TOML.
pub(super) fn with_table<T>(text: &str, read: impl FnOnce(&dyn TableLike) -> T) -> Option<T> {
    let document = Document::parse(text).ok()?;
    Some(read(document.as_table()))
}

/// The item at the end of some keys.
pub(super) fn item_at<'t>(table: &'t dyn TableLike, keys: &[&str]) -> Option<&'t Item> {
    let (first, rest) = keys.split_first()?;
    let item = table.get(first)?;
    if rest.is_empty() { Some(item) } else { item_at(item.as_table_like()?, rest) }
}

/// The table at the end of some keys.
pub(super) fn table_at<'t>(table: &'t dyn TableLike, keys: &[&str]) -> Option<&'t dyn TableLike> {
    item_at(table, keys)?.as_table_like()
}

/// The text of a key.
pub(super) fn text(table: &dyn TableLike, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

/// The texts of a list; one alone is a list of one.
pub(super) fn texts(item: Option<&Item>) -> Vec<String> {
    let Some(item) = item else { return Vec::new() };
    let alone = item.as_str().map(str::to_owned);
    let list = item.as_array().into_iter().flatten();
    alone.into_iter().chain(list.filter_map(|value| value.as_str().map(str::to_owned))).collect()
}

/// The tables of a list of tables, however it is written.
pub(super) fn tables(item: Option<&Item>) -> Vec<&dyn TableLike> {
    let Some(item) = item else { return Vec::new() };
    if let Some(list) = item.as_array_of_tables() {
        return list.iter().map(|table| table as &dyn TableLike).collect();
    }
    let inline = item.as_array().into_iter().flatten().filter_map(|value| value.as_inline_table());
    inline.map(|table| table as &dyn TableLike).collect()
}
