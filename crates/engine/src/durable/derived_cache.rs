//! A cache of values that a server derived from a store, each valid for one state of the store.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base::Result;

/// A value and the state that it was derived from.
type CachedValue = (String, Arc<dyn Any + Send + Sync>);

/// Derived values by name. Each of them can be derived again.
#[derive(Debug, Default)]
pub(crate) struct DerivedCache(Mutex<BTreeMap<&'static str, CachedValue>>);

impl DerivedCache {
    /// The cached value for this state; if there is none, it is derived.
    pub(crate) fn get_or_make<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        mark: String,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        match self.get_cached(name, &mark) {
            Some(known) => Ok(known),
            None => Ok(self.put(name, mark, make()?)),
        }
    }

    /// The cached value for this state.
    pub(crate) fn get_cached<T: Send + Sync + 'static>(
        &self,
        name: &str,
        mark: &str,
    ) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, known) = kept.get(name).filter(|(at, _)| at == mark)?;
        Arc::clone(known).downcast().ok()
    }

    /// Replaces the cached value of this name.
    pub(crate) fn put<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        mark: String,
        made: T,
    ) -> Arc<T> {
        let made = Arc::new(made);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name, (mark, made.clone()));
        made
    }
}
