//! An index of planned rows by value. A plan may have many thousands of rows, which must not be
//! searched one by one for each lookup.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use serde_json::Value;

use crate::id::WorkRecordId;
use crate::record::Table;

/// A way to ask for rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowLookup {
    /// By the value of a column
    Column(&'static str),
    /// By the value of a column, ignoring case
    Name(&'static str),
    /// By the last digits of the id
    KeyDigits,
}

impl RowLookup {
    /// The value by which a row is found.
    fn value(self, id: &WorkRecordId, row: &Value) -> Option<String> {
        match self {
            Self::Column(column) => row[column].as_str().map(ToOwned::to_owned),
            Self::Name(column) => row[column].as_str().map(str::to_ascii_lowercase),
            Self::KeyDigits => Some(id.key_digits().to_owned()),
        }
    }

    /// A value in the form that is looked up.
    pub(crate) fn wanted(self, value: &str) -> String {
        match self {
            Self::Name(_) => value.to_ascii_lowercase(),
            Self::Column(_) | Self::KeyDigits => value.to_owned(),
        }
    }

    /// Whether a row has a value.
    pub(crate) fn fits(self, id: &WorkRecordId, row: &Value, wanted: &str) -> bool {
        self.value(id, row).is_some_and(|value| value == wanted)
    }
}

type IdsByValue = BTreeMap<String, BTreeSet<WorkRecordId>>;

/// The planned rows by table and by value.
#[derive(Debug, Default)]
pub(crate) struct PlannedIndex {
    tables: BTreeMap<&'static str, BTreeSet<WorkRecordId>>,
    /// Only the lookups that were used are indexed
    values: RefCell<BTreeMap<(&'static str, RowLookup), IdsByValue>>,
}

impl PlannedIndex {
    /// Updates the index after a row was planned: the row as it was planned before, and as it is
    /// now.
    pub(crate) fn note(
        &mut self,
        table: Table,
        id: &WorkRecordId,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        self.tables.entry(table.name).or_default().insert(id.clone());
        let values = self.values.get_mut();
        for ((_, lookup), ids) in values.iter_mut().filter(|((name, _), _)| *name == table.name) {
            if let Some(old) = before.and_then(|row| lookup.value(id, row))
                && let Some(with_value) = ids.get_mut(&old)
            {
                with_value.remove(id);
            }
            if let Some(new) = after.and_then(|row| lookup.value(id, row)) {
                ids.entry(new).or_default().insert(id.clone());
            }
        }
    }

    /// The planned rows of a table.
    pub(crate) fn ids(&self, table: Table) -> impl Iterator<Item = &WorkRecordId> {
        self.tables.get(table.name).into_iter().flatten()
    }

    /// The planned rows of a table whose ids start with a prefix.
    pub(crate) fn with_prefix(&self, table: Table, prefix: &str) -> Vec<WorkRecordId> {
        let Some(ids) = self.tables.get(table.name) else { return Vec::new() };
        let bounds = (Bound::Included(prefix), Bound::Unbounded);
        let from = ids.range::<str, _>(bounds);
        from.take_while(|id| id.as_str().starts_with(prefix)).cloned().collect()
    }

    /// The planned rows that have a value. `row` gives a row as it is planned.
    pub(crate) fn rows_with_value(
        &self,
        table: Table,
        lookup: RowLookup,
        wanted: &str,
        row: impl Fn(&WorkRecordId) -> Option<Value>,
    ) -> Vec<WorkRecordId> {
        let mut values = self.values.borrow_mut();
        let ids = values.entry((table.name, lookup)).or_insert_with(|| {
            let mut ids = IdsByValue::default();
            for id in self.ids(table) {
                if let Some(value) = row(id).and_then(|row| lookup.value(id, &row)) {
                    ids.entry(value).or_default().insert(id.clone());
                }
            }
            ids
        });
        ids.get(wanted).into_iter().flatten().cloned().collect()
    }
}
