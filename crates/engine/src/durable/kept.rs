//! What a server derived from a store, kept until the store has changed.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base::Result;

/// Something derived, with the revision it was derived at.
type Derived = (i64, Arc<dyn Any + Send + Sync>);

/// Derived things by name. Anything here can be derived again.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<BTreeMap<&'static str, Derived>>);

impl Kept {
    /// What was kept for this revision, else made now.
    pub(crate) fn get<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        revision: i64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            lock().get(name).filter(|(at, _)| *at == revision).map(|(_, kept)| kept.clone());
        if let Some(kept) = known.and_then(|kept| kept.downcast::<T>().ok()) {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        lock().insert(name, (revision, made.clone()));
        Ok(made)
    }
}
