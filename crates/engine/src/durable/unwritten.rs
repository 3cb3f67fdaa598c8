//! A store that nobody has written to: it holds what files of the repository share.
//!
//! It is in memory, made once for each state of the index, and looks like any other store to
//! those who read. The first change to it is written behind what it began with.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Result;
use store::{Memory, Store};

use super::{Durable, Reading};
use crate::idle::Lent;
use crate::view::View;

/// A store in memory.
struct Unwritten {
    home: Memory,
    /// It lasts as long as this is open
    _open: Mutex<Store>,
}

/// What a store begins with, as of a view; nothing where nothing is shared.
pub(crate) fn read(view: &View, durable: &Durable) -> Result<Option<Reading>> {
    if durable.begin.is_none() {
        return Ok(None);
    }
    let begun = view.kept_with_index(durable.file, || make(view, durable))?;
    let Some(begun) = begun.as_ref() else { return Ok(None) };
    let mut reading = Reading::of(Lent::own(begun.home.open_reading()?)?)?;
    reading.begun = Some(view.index()?.mark().unwrap_or_default());
    Ok(Some(reading))
}

fn make(view: &View, durable: &Durable) -> Result<Option<Unwritten>> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let Some(change) = durable.begin.map(|begin| begin(view)).transpose()?.flatten() else {
        return Ok(None);
    };
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let home = Memory::named(&format!("cairn-{}-{number}", durable.name));
    let mut open = home.open()?;
    store::migrate(&mut open, &durable.all_steps())?;
    open.write(|transaction| change.apply(transaction).map(drop))?;
    Ok(Some(Unwritten { home, _open: Mutex::new(open) }))
}
