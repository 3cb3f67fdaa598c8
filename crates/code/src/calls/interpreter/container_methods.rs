//! Methods of functions, containers, iterators and promises of the standard libraries.

use std::rc::Rc;

use super::super::ids::ObjectId;
use super::super::value::{AbstractValue, PossibleValue, join};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::{CallModel, Interpreter, ObjectKind};

/// How a method uses a callback.
#[derive(Debug, Clone, Copy)]
enum CallbackEffect {
    /// Calls it with each element; returns a collection of its results
    Map,
    /// Calls it with each element; returns a collection of the elements of its results
    FlatMap,
    /// Calls it with each element; returns a collection of the elements
    Filter,
    /// Calls it with each element; returns an element
    Find,
    /// Calls it with each element; returns nothing
    ForEach,
    /// Calls it with its previous result and each element; returns its result
    Fold,
    /// Calls it with the receiver; returns its result
    Then,
    /// Calls it without arguments; returns the elements or its result
    OrElse,
}

/// Methods of containers, iterators and promises that take a callback.
const CALLBACK_METHODS: &[(&str, CallbackEffect)] = &[
    ("map", CallbackEffect::Map),
    ("Select", CallbackEffect::Map),
    ("map_err", CallbackEffect::ForEach),
    ("filter_map", CallbackEffect::FlatMap),
    ("flat_map", CallbackEffect::FlatMap),
    ("flatMap", CallbackEffect::FlatMap),
    ("and_then", CallbackEffect::FlatMap),
    ("filter", CallbackEffect::Filter),
    ("Where", CallbackEffect::Filter),
    ("sort", CallbackEffect::Filter),
    ("sort_by", CallbackEffect::ForEach),
    ("sort_by_key", CallbackEffect::ForEach),
    ("toSorted", CallbackEffect::Filter),
    ("inspect", CallbackEffect::Filter),
    ("take_while", CallbackEffect::Filter),
    ("skip_while", CallbackEffect::Filter),
    ("retain", CallbackEffect::ForEach),
    ("find", CallbackEffect::Find),
    ("findLast", CallbackEffect::Find),
    ("find_map", CallbackEffect::FlatMap),
    ("forEach", CallbackEffect::ForEach),
    ("for_each", CallbackEffect::ForEach),
    ("each", CallbackEffect::ForEach),
    ("some", CallbackEffect::ForEach),
    ("every", CallbackEffect::ForEach),
    ("any", CallbackEffect::ForEach),
    ("all", CallbackEffect::ForEach),
    ("position", CallbackEffect::ForEach),
    ("findIndex", CallbackEffect::ForEach),
    ("is_some_and", CallbackEffect::ForEach),
    ("is_none_or", CallbackEffect::ForEach),
    ("min_by_key", CallbackEffect::Find),
    ("max_by_key", CallbackEffect::Find),
    ("reduce", CallbackEffect::Fold),
    ("reduceRight", CallbackEffect::Fold),
    ("fold", CallbackEffect::Fold),
    ("try_fold", CallbackEffect::Fold),
    ("map_or", CallbackEffect::ForEach),
    ("map_or_else", CallbackEffect::ForEach),
    ("then", CallbackEffect::Then),
    ("catch", CallbackEffect::Then),
    ("finally", CallbackEffect::Then),
    ("unwrap_or_else", CallbackEffect::OrElse),
    ("or_else", CallbackEffect::OrElse),
    ("ok_or_else", CallbackEffect::OrElse),
    ("get_or_insert_with", CallbackEffect::OrElse),
    ("or_insert_with", CallbackEffect::OrElse),
];

/// Methods that return the same collection or a copy of it. Those that are also in
/// `ELEMENT_METHODS` return an `Option` of an element in Rust, which is modelled as a collection.
const IDENTITY_METHODS: [&str; 44] = [
    "iter",
    "iter_mut",
    "into_iter",
    "cloned",
    "copied",
    "clone",
    "rev",
    "collect",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "take",
    "skip",
    "chain",
    "peekable",
    "to_vec",
    "ok",
    "ok_or",
    "context",
    "with_context",
    "transpose",
    "slice",
    "reverse",
    "concat",
    "copy",
    "values",
    "toList",
    "stream",
    "sorted",
    "filter",
    "flatten",
    "drain",
    "as_slice",
    "next",
    "last",
    "first",
    "get",
    "get_mut",
    "pop",
    "entries",
    "windows",
    "chunks",
    "step_by",
];

/// Methods that return one element.
const ELEMENT_METHODS: [&str; 22] = [
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_default",
    "pop",
    "shift",
    "at",
    "get",
    "popleft",
    "popitem",
    "first",
    "last",
    "next",
    "borrow",
    "borrow_mut",
    "lock",
    "read",
    "write",
    "getOrThrow",
    "orElseThrow",
    "insert",
    "or_insert",
];

impl Interpreter<'_> {
    /// The result of a method that no symbol of the file declares; `None` if the method is not
    /// modelled here.
    pub(super) fn call_builtin_method(
        &mut self,
        receiver: &PossibleValue,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        match receiver {
            PossibleValue::Function(..)
            | PossibleValue::BoundMethod(_)
            | PossibleValue::Class(_) => self.function_method(receiver, name, args, site),
            PossibleValue::Object(id) if self.heap.object(*id).class.is_none() => {
                self.container_method(receiver, name, args, site)
            }
            PossibleValue::Collection(_) => self.container_method(receiver, name, args, site),
            PossibleValue::External(_) | PossibleValue::Param(_) => {
                let does = callback_effect(name)?;
                if self.tables.family == CallModel::Python || !passes_function(args) {
                    return None;
                }
                self.call_callback(receiver, does, args, site);
                None
            }
            PossibleValue::Instance(_) if self.tables.family == CallModel::Rust => match name {
                "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "to_owned" | "into"
                | "unwrap" | "expect" => Some(vec![receiver.clone()]),
                _ => None,
            },
            _ => None,
        }
    }

    fn function_method(
        &mut self,
        function: &PossibleValue,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        if self.tables.family != CallModel::JavaScript {
            return None;
        }
        let this = args.first().and_then(|arg| arg.value.first().cloned());
        let rest = args.get(1..).unwrap_or_default();
        let plain = match function {
            PossibleValue::BoundMethod(bound) => bound.0.clone(),
            other => other.clone(),
        };
        match name {
            "call" => Some(self.call_alternative(&plain, this.as_ref(), rest, site)),
            "apply" => {
                let list = rest.first().map(|arg| arg.value.clone()).unwrap_or_default();
                let given = self.expand_list(&list);
                Some(self.call_alternative(&plain, this.as_ref(), &given, site))
            }
            "bind" => Some(vec![match this {
                Some(this) => PossibleValue::BoundMethod(Rc::new((plain, this))),
                None => plain,
            }]),
            _ => None,
        }
    }

    /// The elements of lists as separate arguments.
    pub(super) fn expand_list(&self, list: &[PossibleValue]) -> Vec<ArgValue> {
        let objects = list.iter().filter_map(|value| match value {
            PossibleValue::Object(id) => Some(*id),
            _ => None,
        });
        objects.flat_map(|id| self.heap.fields_as_args(id)).collect()
    }

    fn container_method(
        &mut self,
        receiver: &PossibleValue,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        if let Some(does) = callback_effect(name)
            && passes_function(args)
        {
            return Some(self.call_callback(receiver, does, args, site));
        }
        if let PossibleValue::Object(id) = receiver
            && let Some(value) = self.call_object_method(*id, name, args, site)
        {
            return Some(value);
        }
        if let PossibleValue::Collection(inner) = receiver {
            let is_rust = self.tables.family == CallModel::Rust;
            if ELEMENT_METHODS.contains(&name) && !(is_rust && IDENTITY_METHODS.contains(&name)) {
                return Some(inner.to_vec());
            }
            return Some(if IDENTITY_METHODS.contains(&name) {
                vec![receiver.clone()]
            } else {
                Vec::new()
            });
        }
        if ELEMENT_METHODS.contains(&name) {
            let PossibleValue::Object(id) = receiver else { return None };
            return Some(self.heap.object_values(*id));
        }
        Some(if IDENTITY_METHODS.contains(&name) { vec![receiver.clone()] } else { Vec::new() })
    }

    /// Methods that read or change a list, a dictionary or an object literal.
    fn call_object_method(
        &mut self,
        id: ObjectId,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        let known_key = |keys: &AbstractValue| {
            keys.iter().any(|key| matches!(key, PossibleValue::Text(_) | PossibleValue::Number(_)))
        };
        match name {
            "append" | "push" | "add" | "unshift" | "appendleft" | "push_back" => {
                let at = self.heap.field_count(id);
                if name == "add" || self.heap.is_in_block() {
                    self.heap.add_unknown_key(id, arg(0));
                } else {
                    for (more, arg) in args.iter().enumerate() {
                        let key = PossibleValue::Number(i64::try_from(at + more).unwrap_or(0));
                        self.put_at_key(id, &[key], arg.value.clone());
                    }
                }
            }
            "insert" => self.heap.add_unknown_key(id, arg(1)),
            "extend" | "update" => self.spread_into(id, &arg(0), site.owner),
            "set" | "__setitem__" | "setdefault" => self.put_at_key(id, &arg(0), arg(1)),
            "get" | "pop" | "__getitem__" if known_key(&arg(0)) => {
                let mut found = self.index(&[PossibleValue::Object(id)], &arg(0), site.owner);
                if found.is_empty() {
                    join(&mut found, arg(1));
                }
                return Some(found);
            }
            "items" | "entries" => {
                let keys = self.heap.field_names(id);
                let keys = keys.map(|key| PossibleValue::Text(key.into())).collect();
                let values = self.heap.object_values(id);
                let pair = self.alloc_pair(keys, values);
                return Some(vec![PossibleValue::Collection(vec![pair].into())]);
            }
            "values" => {
                return Some(vec![PossibleValue::Collection(self.heap.object_values(id).into())]);
            }
            "keys" => {
                let keys = self.heap.field_names(id);
                let keys = keys.map(|key| PossibleValue::Text(key.into()));
                return Some(vec![PossibleValue::Collection(
                    keys.collect::<AbstractValue>().into(),
                )]);
            }
            _ => return None,
        }
        Some(vec![PossibleValue::Object(id)])
    }

    pub(super) fn alloc_pair(
        &mut self,
        first: AbstractValue,
        second: AbstractValue,
    ) -> PossibleValue {
        let id = self.alloc_kind(ObjectKind::List);
        self.put_at_key(id, &[PossibleValue::Number(0)], first);
        self.put_at_key(id, &[PossibleValue::Number(1)], second);
        PossibleValue::Object(id)
    }

    fn call_callback(
        &mut self,
        receiver: &PossibleValue,
        does: CallbackEffect,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        let site = site.inferred();
        let elements = match receiver {
            PossibleValue::Param(_) => Vec::new(),
            PossibleValue::Object(id) => self.heap.object_values(*id),
            other => self.elements_of(std::slice::from_ref(other), site.owner),
        };
        let whole = vec![receiver.clone()];
        let mut results = Vec::new();
        for function in args {
            let live = function
                .value
                .iter()
                .filter(|alternative| alternative.may_hold_callable() || !alternative.is_known());
            let live: AbstractValue = live.cloned().collect();
            let given = match does {
                CallbackEffect::Fold => {
                    let before = args.get(1).or(args.first()).filter(|_| args.len() > 1);
                    let before = before.map(|arg| arg.value.clone()).unwrap_or_default();
                    vec![ArgValue::plain(before), ArgValue::plain(elements.clone())]
                }
                CallbackEffect::Then => vec![ArgValue::plain(whole.clone())],
                CallbackEffect::OrElse => Vec::new(),
                _ => vec![ArgValue::plain(elements.clone()), ArgValue::plain(elements.clone())],
            };
            let value = self.call_value(&live, &given, site);
            join(&mut results, value);
        }
        match does {
            CallbackEffect::Map => vec![PossibleValue::Collection(results.into())],
            CallbackEffect::FlatMap => {
                let (many, plain): (AbstractValue, AbstractValue) = results
                    .into_iter()
                    .partition(|alternative| matches!(alternative, PossibleValue::Collection(_)));
                let mut all = self.elements_of(&many, site.owner);
                join(&mut all, plain);
                vec![PossibleValue::Collection(all.into())]
            }
            CallbackEffect::Filter => whole,
            CallbackEffect::Find if self.tables.family == CallModel::Rust => whole,
            CallbackEffect::Find => elements,
            CallbackEffect::Fold | CallbackEffect::Then => results,
            CallbackEffect::OrElse => {
                let mut all = elements;
                join(&mut all, results);
                all
            }
            CallbackEffect::ForEach => Vec::new(),
        }
    }
}

impl PossibleValue {
    /// Whether the value is a function or a class.
    pub(super) const fn is_function_or_class(&self) -> bool {
        matches!(self, Self::Function(..) | Self::BoundMethod(_) | Self::Class(_))
    }
}

fn callback_effect(name: &str) -> Option<CallbackEffect> {
    CALLBACK_METHODS.iter().find(|(known, _)| *known == name).map(|(_, does)| *does)
}

fn passes_function(args: &[ArgValue]) -> bool {
    args.iter().any(|arg| {
        arg.value
            .iter()
            .any(|alternative| alternative.is_function_or_class() || !alternative.is_known())
    })
}
