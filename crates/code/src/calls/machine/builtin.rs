//! What the languages' own containers do with the functions they are given.

use std::rc::Rc;

use super::super::value::{Atom, Value, join};
use super::args::Given;
use super::call::Site;
use super::{Family, Kind, Machine, Object};

/// What a method does with a function it is given.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// Calls it with each element; gives many of what it returns
    Maps,
    /// Calls it with each element; gives many of what it returned many of
    Flattens,
    /// Calls it with each element; gives many of the elements
    Keeps,
    /// Calls it with each element; gives an element
    Finds,
    /// Calls it with each element; gives nothing
    Visits,
    /// Calls it with what it gave before and each element
    Folds,
    /// Calls it with the value itself; gives what it returns
    Chains,
    /// Calls it with nothing; gives the elements or what it returns
    Replaces,
}

/// Methods of containers, iterators and promises that call what they are given.
const CALLERS: &[(&str, Does)] = &[
    ("map", Does::Maps),
    ("Select", Does::Maps),
    ("map_err", Does::Visits),
    ("filter_map", Does::Flattens),
    ("flat_map", Does::Flattens),
    ("flatMap", Does::Flattens),
    ("and_then", Does::Flattens),
    ("filter", Does::Keeps),
    ("Where", Does::Keeps),
    ("sort", Does::Keeps),
    ("sort_by", Does::Visits),
    ("sort_by_key", Does::Visits),
    ("toSorted", Does::Keeps),
    ("inspect", Does::Keeps),
    ("take_while", Does::Keeps),
    ("skip_while", Does::Keeps),
    ("retain", Does::Visits),
    ("find", Does::Finds),
    ("findLast", Does::Finds),
    ("find_map", Does::Flattens),
    ("forEach", Does::Visits),
    ("for_each", Does::Visits),
    ("each", Does::Visits),
    ("some", Does::Visits),
    ("every", Does::Visits),
    ("any", Does::Visits),
    ("all", Does::Visits),
    ("position", Does::Visits),
    ("findIndex", Does::Visits),
    ("is_some_and", Does::Visits),
    ("is_none_or", Does::Visits),
    ("min_by_key", Does::Finds),
    ("max_by_key", Does::Finds),
    ("reduce", Does::Folds),
    ("reduceRight", Does::Folds),
    ("fold", Does::Folds),
    ("try_fold", Does::Folds),
    ("map_or", Does::Visits),
    ("map_or_else", Does::Visits),
    ("then", Does::Chains),
    ("catch", Does::Chains),
    ("finally", Does::Chains),
    ("unwrap_or_else", Does::Replaces),
    ("or_else", Does::Replaces),
    ("ok_or_else", Does::Replaces),
    ("get_or_insert_with", Does::Replaces),
    ("or_insert_with", Does::Replaces),
];

/// Methods that give the same many, or an equal one.
const SAME: [&str; 44] = [
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

/// Methods that give one element.
const ONE: [&str; 22] = [
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

impl Machine<'_> {
    /// What a method does that no symbol of the file declares; none if it is not known.
    pub(super) fn method(
        &mut self,
        receiver: &Atom,
        name: &str,
        args: &[Given],
        site: Site,
    ) -> Option<Value> {
        match receiver {
            Atom::Fun(..) | Atom::Bound(_) | Atom::Class(_) => {
                self.function_method(receiver, name, args, site)
            }
            Atom::Obj(id) if self.objects[*id as usize].class.is_none() => {
                self.container_method(receiver, name, args, site)
            }
            Atom::Many(_) => self.container_method(receiver, name, args, site),
            Atom::Ext(_) | Atom::Param(..) => {
                let does = caller(name)?;
                if self.family == Family::Python || !gives_function(args) {
                    return None;
                }
                self.call_back(receiver, does, args, site);
                None
            }
            Atom::Inst(_) if self.family == Family::Rust => match name {
                "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "to_owned" | "into"
                | "unwrap" | "expect" => Some(vec![receiver.clone()]),
                _ => None,
            },
            _ => None,
        }
    }

    fn function_method(
        &mut self,
        function: &Atom,
        name: &str,
        args: &[Given],
        site: Site,
    ) -> Option<Value> {
        if self.family != Family::JavaScript {
            return None;
        }
        let this = args.first().and_then(|arg| arg.value.first().cloned());
        let rest = args.get(1..).unwrap_or_default();
        let plain = match function {
            Atom::Bound(bound) => bound.0.clone(),
            other => other.clone(),
        };
        match name {
            "call" => Some(self.call_atom(&plain, this.as_ref(), rest, site)),
            "apply" => {
                let list = rest.first().map(|arg| arg.value.clone()).unwrap_or_default();
                let spread = [Given { value: list, name: None, spread: true }];
                let given = self.spread(&spread);
                Some(self.call_atom(&plain, this.as_ref(), &given, site))
            }
            "bind" => Some(vec![match this {
                Some(this) => Atom::Bound(Rc::new((plain, this))),
                None => plain,
            }]),
            _ => None,
        }
    }

    pub(super) fn spread(&mut self, args: &[Given]) -> Vec<Given> {
        let mut all = Vec::new();
        for arg in args {
            for atom in &arg.value {
                if let Atom::Obj(id) = atom {
                    let fields = &self.objects[*id as usize].fields;
                    let values = fields.values().map(|cell| cell.read(&self.active));
                    all.extend(values.map(Given::plain));
                }
            }
        }
        all
    }

    fn container_method(
        &mut self,
        receiver: &Atom,
        name: &str,
        args: &[Given],
        site: Site,
    ) -> Option<Value> {
        if let Some(does) = caller(name)
            && gives_function(args)
        {
            return Some(self.call_back(receiver, does, args, site));
        }
        if let Atom::Obj(id) = receiver
            && let Some(value) = self.change(*id, name, args, site)
        {
            return Some(value);
        }
        if let Atom::Many(inner) = receiver {
            let is_rust = self.family == Family::Rust;
            if ONE.contains(&name) && !(is_rust && SAME.contains(&name)) {
                return Some(inner.to_vec());
            }
            return Some(if SAME.contains(&name) { vec![receiver.clone()] } else { Vec::new() });
        }
        if ONE.contains(&name) {
            let Atom::Obj(id) = receiver else { return None };
            return Some(self.inside(*id));
        }
        Some(if SAME.contains(&name) { vec![receiver.clone()] } else { Vec::new() })
    }

    /// Methods that look into an object or change it.
    fn change(&mut self, id: u32, name: &str, args: &[Given], site: Site) -> Option<Value> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        let known_key =
            |keys: &Value| keys.iter().any(|key| matches!(key, Atom::Text(_) | Atom::Number(_)));
        match name {
            "append" | "push" | "add" | "unshift" | "appendleft" | "push_back" => {
                let at = self.objects[id as usize].fields.len();
                if name == "add" || !self.active.is_empty() {
                    self.objects[id as usize].others.add(arg(0));
                } else {
                    for (more, arg) in args.iter().enumerate() {
                        let key = Atom::Number(i64::try_from(at + more).unwrap_or(0));
                        self.put(id, &[key], arg.value.clone());
                    }
                }
            }
            "insert" => self.objects[id as usize].others.add(arg(1)),
            "extend" | "update" => self.spread_into(id, &arg(0), site.0),
            "set" | "__setitem__" | "setdefault" => self.put(id, &arg(0), arg(1)),
            "get" | "pop" | "__getitem__" if known_key(&arg(0)) => {
                let mut found = self.index(&[Atom::Obj(id)], &arg(0), site.0);
                if found.is_empty() {
                    join(&mut found, arg(1));
                }
                return Some(found);
            }
            "items" | "entries" => {
                let object = &self.objects[id as usize];
                let keys: Value =
                    object.fields.keys().map(|key| Atom::Text(key.as_str().into())).collect();
                let values = self.inside(id);
                let pair = self.pair(keys, values);
                return Some(vec![Atom::Many(vec![pair].into())]);
            }
            "values" => return Some(vec![Atom::Many(self.inside(id).into())]),
            "keys" => {
                let object = &self.objects[id as usize];
                let keys = object.fields.keys().map(|key| Atom::Text(key.as_str().into()));
                return Some(vec![Atom::Many(keys.collect::<Value>().into())]);
            }
            _ => return None,
        }
        Some(vec![Atom::Obj(id)])
    }

    pub(super) fn pair(&mut self, first: Value, second: Value) -> Atom {
        let made = self.object(Object { kind: Kind::List, ..Object::default() });
        if let Atom::Obj(id) = made {
            self.put(id, &[Atom::Number(0)], first);
            self.put(id, &[Atom::Number(1)], second);
        }
        made
    }

    fn call_back(&mut self, receiver: &Atom, does: Does, args: &[Given], site: Site) -> Value {
        let site = (site.0, site.1, true);
        let elements = match receiver {
            Atom::Param(..) => Vec::new(),
            Atom::Obj(id) => self.inside(*id),
            other => self.each(std::slice::from_ref(other), site.0),
        };
        let whole = vec![receiver.clone()];
        let mut results = Vec::new();
        for function in args {
            let live = function.value.iter().filter(|atom| atom.is_live() || !atom.is_known());
            let live: Value = live.cloned().collect();
            let given = match does {
                Does::Folds => {
                    let before = args.get(1).or(args.first()).filter(|_| args.len() > 1);
                    let before = before.map(|arg| arg.value.clone()).unwrap_or_default();
                    vec![Given::plain(before), Given::plain(elements.clone())]
                }
                Does::Chains => vec![Given::plain(whole.clone())],
                Does::Replaces => Vec::new(),
                _ => vec![Given::plain(elements.clone()), Given::plain(elements.clone())],
            };
            let value = self.call_value(&live, &given, site);
            join(&mut results, value);
        }
        match does {
            Does::Maps => vec![Atom::Many(results.into())],
            Does::Flattens => {
                let (many, plain): (Value, Value) =
                    results.into_iter().partition(|atom| matches!(atom, Atom::Many(_)));
                let mut all = self.each(&many, site.0);
                join(&mut all, plain);
                vec![Atom::Many(all.into())]
            }
            Does::Keeps => whole,
            Does::Finds if self.family == Family::Rust => whole,
            Does::Finds => elements,
            Does::Folds | Does::Chains => results,
            Does::Replaces => {
                let mut all = elements;
                join(&mut all, results);
                all
            }
            Does::Visits => Vec::new(),
        }
    }
}

impl Atom {
    /// Whether it is a function or a class.
    pub(super) const fn is_live_function(&self) -> bool {
        matches!(self, Self::Fun(..) | Self::Bound(_) | Self::Class(_))
    }
}

fn caller(name: &str) -> Option<Does> {
    CALLERS.iter().find(|(known, _)| *known == name).map(|(_, does)| *does)
}

fn gives_function(args: &[Given]) -> bool {
    args.iter().any(|arg| arg.value.iter().any(|atom| atom.is_live_function() || !atom.is_known()))
}
