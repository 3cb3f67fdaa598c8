//! Three-way merge of one value.

use serde_json::{Map, Value};

/// A value on three sides; `None` where it is not there.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSides<'v> {
    pub base: Option<&'v Value>,
    pub ours: Option<&'v Value>,
    pub theirs: Option<&'v Value>,
}

/// Two sides changed one value in different ways.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValueConflict;

impl ValueSides<'_> {
    /// The merged value; `None` if it is removed. Lists are merged by item, maps by name.
    pub(super) fn merge(&self) -> Result<Option<Value>, ValueConflict> {
        let Self { base, ours, theirs } = *self;
        if ours == theirs || theirs == base {
            return Ok(ours.cloned());
        }
        if ours == base {
            return Ok(theirs.cloned());
        }
        if let Some(items) = self.merge_lists() {
            let is_gone = items.is_empty() && (ours.is_none() || theirs.is_none());
            return Ok((!is_gone).then_some(Value::Array(items)));
        }
        match (ours, theirs) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                let empty = Map::new();
                let base = base.and_then(Value::as_object).unwrap_or(&empty);
                let mut merged = Map::new();
                for name in ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)))
                {
                    let (base, ours, theirs) = (base.get(name), ours.get(name), theirs.get(name));
                    if let Some(value) = (ValueSides { base, ours, theirs }).merge()? {
                        merged.insert(name.clone(), value);
                    }
                }
                Ok(Some(Value::Object(merged)))
            }
            _ => Err(ValueConflict),
        }
    }

    /// The merged list: what one side removed is gone, what either added is there, ours first.
    /// `None` if it is not a list on every side that has it.
    fn merge_lists(&self) -> Option<Vec<Value>> {
        let empty = Vec::new();
        let items = |side: Option<&'_ Value>| match side {
            None | Some(Value::Null) => Some(empty.clone()),
            Some(Value::Array(items)) => Some(items.clone()),
            Some(_) => None,
        };
        let is_list = |side: Option<&Value>| matches!(side, Some(Value::Array(_)));
        if !is_list(self.ours) && !is_list(self.theirs) {
            return None;
        }
        let (base, ours, theirs) = (items(self.base)?, items(self.ours)?, items(self.theirs)?);
        let is_kept = |item: &&Value| theirs.contains(item) || !base.contains(item);
        let mut merged: Vec<Value> = ours.iter().filter(is_kept).cloned().collect();
        let added = theirs.iter().filter(|item| !base.contains(item) && !ours.contains(item));
        merged.extend(added.cloned());
        Some(merged)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "callers write them as literals")]
    fn merged(base: Value, ours: Value, theirs: Value) -> Result<Option<Value>, ValueConflict> {
        let side = |value: &'_ Value| (!value.is_null()).then(|| value.clone());
        let (base, ours, theirs) = (side(&base), side(&ours), side(&theirs));
        ValueSides { base: base.as_ref(), ours: ours.as_ref(), theirs: theirs.as_ref() }.merge()
    }

    #[test]
    fn lists_and_maps_are_merged_inside() {
        assert_eq!(
            merged(json!(["a", "b"]), json!(["a", "c"]), json!(["b", "d"])),
            Ok(Some(json!(["c", "d"])))
        );
        assert_eq!(merged(json!(null), json!(["a"]), json!(["b"])), Ok(Some(json!(["a", "b"]))));
        assert_eq!(merged(json!(["a"]), json!(null), json!(["a", "b"])), Ok(Some(json!(["b"]))));
        assert_eq!(
            merged(json!({"x": 1}), json!({"x": 2}), json!({"x": 1, "y": 3})),
            Ok(Some(json!({"x": 2, "y": 3})))
        );
        assert_eq!(merged(json!("a"), json!("b"), json!("c")), Err(ValueConflict));
        assert_eq!(merged(json!("a"), json!(null), json!("c")), Err(ValueConflict));
    }
}
