//! Changes of single rows: planned over the rows of a store, applied, and undone.
//!
//! Every area that keeps a durable store plans and commits in this one way. A rule writes the rows
//! as they will be into a [`RowOverlay`], which remembers the rows as they were. The result is a
//! list of [`RowChange`]s. [`apply_row_changes`] writes such a list, unless a stored row differs
//! from the row that the change was planned from. [`inverse_row_changes`] gives the list that
//! undoes it. What a row is and where it is stored is up to the area.

use std::collections::BTreeMap;

use base::Result;
use rusqlite::Connection;

/// The change of one row: the row before and after.
pub trait RowChange: Clone {
    /// The name of the row in messages.
    fn row_name(&self) -> String;

    /// Whether the stored row equals the row before the change.
    fn is_current(&self, conn: &Connection) -> Result<bool>;

    /// Stores the row as it is after the change, or removes it.
    fn write(&self, conn: &Connection) -> Result<()>;

    /// The change that undoes this one.
    #[must_use]
    fn inverse(self) -> Self;
}

/// The names of rows that differ from what a list of changes expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleRows(pub Vec<String>);

/// Writes a list of changes, in order, inside the caller's transaction.
///
/// A row that occurs twice is compared with what the first of its changes wrote. If any row is
/// stale, the caller must roll the transaction back: changes before the first stale row are
/// written.
pub fn apply_row_changes<C: RowChange>(
    conn: &Connection,
    changes: &[C],
) -> Result<std::result::Result<(), StaleRows>> {
    let mut stale = Vec::new();
    for change in changes {
        if !change.is_current(conn)? {
            stale.push(change.row_name());
        } else if stale.is_empty() {
            change.write(conn)?;
        }
    }
    Ok(if stale.is_empty() { Ok(()) } else { Err(StaleRows(stale)) })
}

/// The changes that undo a list of changes: each one inverted, the last one first.
pub fn inverse_row_changes<C: RowChange>(changes: &[C]) -> Vec<C> {
    changes.iter().rev().cloned().map(C::inverse).collect()
}

/// A row as it is stored and as a plan leaves it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRow<R> {
    /// The stored row; `None` if there is none
    pub before: Option<R>,
    /// The planned row; `None` if it is removed
    pub after: Option<R>,
}

/// Planned rows, laid over the rows of a store.
///
/// The overlay does not read the store itself: its callers say how, with a function that is called
/// only for a row that is not planned yet.
#[derive(Debug, Clone)]
pub struct RowOverlay<K, R> {
    rows: BTreeMap<K, PlannedRow<R>>,
}

impl<K, R> Default for RowOverlay<K, R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new() }
    }
}

impl<K: Ord, R: Clone + PartialEq> RowOverlay<K, R> {
    /// The plan for a row; `None` if the plan does not touch it.
    pub fn planned(&self, key: &K) -> Option<&PlannedRow<R>> {
        self.rows.get(key)
    }

    /// Whether the plan removes a row.
    pub fn is_removed(&self, key: &K) -> bool {
        self.planned(key).is_some_and(|row| row.after.is_none())
    }

    /// The row as the plan leaves it.
    pub fn get(&self, key: &K, stored: impl FnOnce() -> Result<Option<R>>) -> Result<Option<R>> {
        match self.planned(key) {
            Some(row) => Ok(row.after.clone()),
            None => stored(),
        }
    }

    /// Plans a row, or its removal.
    pub fn set(
        &mut self,
        key: K,
        after: Option<R>,
        stored: impl FnOnce() -> Result<Option<R>>,
    ) -> Result<()> {
        if let Some(row) = self.rows.get_mut(&key) {
            row.after = after;
            return Ok(());
        }
        let before = stored()?;
        self.rows.insert(key, PlannedRow { before, after });
        Ok(())
    }

    /// Every row that the plan touches, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &PlannedRow<R>)> {
        self.rows.iter()
    }

    /// The rows that the plan changes, by key. Rows that end up as they are stored are left out.
    pub fn into_changed(self) -> impl Iterator<Item = (K, PlannedRow<R>)> {
        self.rows.into_iter().filter(|(_, row)| row.before != row.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_keeps_the_first_stored_row() {
        let mut overlay = RowOverlay::default();
        overlay.set("a", Some(2), || Ok(Some(1))).unwrap();
        overlay.set("a", None, || panic!("the row is planned")).unwrap();
        overlay.set("b", Some(5), || Ok(Some(5))).unwrap();
        assert_eq!(overlay.get(&"a", || panic!("the row is planned")).unwrap(), None);
        assert_eq!(overlay.get(&"c", || Ok(Some(7))).unwrap(), Some(7));
        assert!(overlay.is_removed(&"a") && !overlay.is_removed(&"b"));
        let changed: Vec<_> = overlay.into_changed().collect();
        assert_eq!(changed, [("a", PlannedRow { before: Some(1), after: None })]);
    }
}
