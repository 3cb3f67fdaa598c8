//! What the languages' own functions do with the functions they are given.

use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::{HeapObject, Interpreter, LanguageFamily, ObjectKind};

/// Functions of the languages that give what they are given.
const IDENTITY_FUNCTIONS: [&str; 30] = [
    "list",
    "tuple",
    "set",
    "iter",
    "reversed",
    "sorted",
    "frozenset",
    "copy",
    "deepcopy",
    "freeze",
    "seal",
    "resolve",
    "all",
    "allSettled",
    "race",
    "from",
    "of",
    "Some",
    "Ok",
    "Box::new",
    "Rc::new",
    "Arc::new",
    "Mutex::new",
    "RefCell::new",
    "RwLock::new",
    "Cell::new",
    "Box::pin",
    "chain",
    "wait",
    "values",
];

impl Interpreter<'_> {
    /// What a function does that no file declares; none if it is not known.
    pub(super) fn call_builtin_function(
        &mut self,
        term: &ExternalRef,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let name = dotted_name(term)?;
        let site = site.inferred();
        let own = match self.family {
            LanguageFamily::Python => self.python_function(&name, args, site),
            LanguageFamily::JavaScript => self.javascript_function(&name, args, site),
            LanguageFamily::Rust | LanguageFamily::Classes | LanguageFamily::Go => None,
        };
        own.or_else(|| self.call_identity(&name, args))
    }

    /// A function that gives what it is given.
    fn call_identity(&self, name: &str, args: &[ArgValue]) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        let last = name.rsplit("Object.").next().unwrap_or(name);
        let last = last.rsplit("Promise.").next().unwrap_or(last);
        if !IDENTITY_FUNCTIONS.contains(&last)
            || matches!(self.family, LanguageFamily::Classes | LanguageFamily::Go)
        {
            return None;
        }
        match last {
            "Some" | "Ok" => Some(vec![PossibleValue::Collection(arg(0).into())]),
            _ if last.contains("::") => Some(arg(0)),
            _ if self.family == LanguageFamily::Rust => None,
            _ => Some(arg(0)),
        }
    }

    fn python_function(
        &mut self,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        match name {
            "map" | "filter" | "functools.reduce" | "reduce" => {
                Some(self.call_map(name, args, site))
            }
            "sorted" | "min" | "max" => {
                for key in args.iter().filter(|arg| arg.name.is_some()) {
                    let each = self.elements_of(&arg(0), site.owner);
                    self.call_value(&key.value.clone(), &[ArgValue::plain(each)], site);
                }
                Some(if name == "sorted" { arg(0) } else { self.elements_of(&arg(0), site.owner) })
            }
            "next" => {
                let found = self.get_all(&arg(0), "__next__", site.owner);
                let known: AbstractValue =
                    found.into_iter().filter(PossibleValue::is_known).collect();
                if known.is_empty() {
                    return Some(self.elements_of(&arg(0), site.owner));
                }
                Some(self.call_value(&known, &[], site))
            }
            "enumerate" => {
                let each = self.elements_of(&arg(0), site.owner);
                let pair = self.alloc_pair(Vec::new(), each);
                Some(vec![PossibleValue::Collection(vec![pair].into())])
            }
            "setattr" => {
                if let [PossibleValue::Text(field)] = arg(1).as_slice() {
                    for object in arg(0) {
                        self.set(&object, field, arg(2), false, site.owner);
                    }
                }
                Some(Vec::new())
            }
            "dict" => {
                let made = self
                    .alloc_object(HeapObject { kind: ObjectKind::Dict, ..HeapObject::default() });
                if let PossibleValue::Object(id) = made {
                    for arg in args {
                        match &arg.name {
                            Some(name) => {
                                let key = [PossibleValue::Text(name.as_str().into())];
                                self.put_at_key(id, &key, arg.value.clone());
                            }
                            None => self.spread_into(id, &arg.value, site.owner),
                        }
                    }
                }
                Some(vec![made])
            }
            "type" => {
                let class = |atom: &PossibleValue| match atom {
                    PossibleValue::Object(id) => {
                        self.objects[*id as usize].class.map(PossibleValue::Class)
                    }
                    PossibleValue::Instance(class) => Some(PossibleValue::Class(*class)),
                    _ => None,
                };
                Some(arg(0).iter().filter_map(class).collect())
            }
            "functools.partial" | "partial" => Some(arg(0)),
            "functools.wraps" | "wraps" => Some(Vec::new()),
            _ => None,
        }
    }

    fn javascript_function(
        &mut self,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        match name {
            "Object.assign" => {
                let target = arg(0);
                for atom in &target {
                    for more in args.iter().skip(1) {
                        self.assign_all(atom, &more.value, site);
                    }
                }
                Some(target)
            }
            "Object.values" => {
                let many = self.object_contents(&arg(0));
                Some(vec![PossibleValue::Collection(many.into())])
            }
            "Object.entries" => {
                let many = self.object_contents(&arg(0));
                let pair = self.alloc_pair(Vec::new(), many);
                Some(vec![PossibleValue::Collection(vec![pair].into())])
            }
            "Object.create" => {
                let proto = arg(0).iter().find_map(|atom| match atom {
                    PossibleValue::Object(id) => Some(*id),
                    _ => None,
                });
                Some(vec![self.alloc_object(HeapObject { proto, ..HeapObject::default() })])
            }
            "Object.setPrototypeOf" => {
                if let (Some(PossibleValue::Object(id)), Some(PossibleValue::Object(proto))) =
                    (arg(0).first(), arg(1).first())
                {
                    self.objects[*id as usize].proto = Some(*proto);
                }
                Some(arg(0))
            }
            "Map" | "WeakMap" => Some(vec![
                self.alloc_object(HeapObject { kind: ObjectKind::Dict, ..HeapObject::default() }),
            ]),
            "Set" | "WeakSet" | "Array" => {
                let made = self
                    .alloc_object(HeapObject { kind: ObjectKind::List, ..HeapObject::default() });
                if let PossibleValue::Object(id) = made {
                    self.spread_into(id, &arg(0), site.owner);
                }
                Some(vec![made])
            }
            "Array.from" => {
                let each = self.elements_of(&arg(0), site.owner);
                let function = arg(1);
                let results = self.call_value(&function, &[ArgValue::plain(each.clone())], site);
                let inner = if function.is_empty() { each } else { results };
                Some(vec![PossibleValue::Collection(inner.into())])
            }
            "Promise" => {
                self.call_value(&arg(0), &[], site);
                Some(Vec::new())
            }
            "Reflect.apply" => {
                let list = arg(2);
                let given =
                    self.expand_spread_args(&[ArgValue { value: list, name: None, spread: true }]);
                Some(self.call_value(&arg(0), &given, site))
            }
            "setTimeout"
            | "setInterval"
            | "setImmediate"
            | "queueMicrotask"
            | "requestAnimationFrame"
            | "process.nextTick" => {
                let given: Vec<ArgValue> = args.iter().skip(2).cloned().collect();
                self.call_value(&arg(0), &given, site);
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// Python's `map(f, xs)`, in whichever order it is written.
    fn call_map(&mut self, name: &str, args: &[ArgValue], site: CallOrigin) -> AbstractValue {
        let is_function =
            |arg: &&ArgValue| arg.value.iter().any(PossibleValue::is_function_or_class);
        let function = args.iter().find(is_function).or(args.first());
        let function = function.map(|arg| arg.value.clone()).unwrap_or_default();
        let mut given = Vec::new();
        for arg in args.iter().filter(|arg| arg.value != function) {
            let each = self.elements_of(&arg.value, site.owner);
            given.push(ArgValue::plain(each));
        }
        let results = self.call_value(&function, &given, site);
        match name {
            "map" => vec![PossibleValue::Collection(results.into())],
            "filter" => {
                let each = given.first().map(|arg| arg.value.clone()).unwrap_or_default();
                vec![PossibleValue::Collection(each.into())]
            }
            _ => results,
        }
    }

    fn assign_all(&mut self, target: &PossibleValue, from: &[PossibleValue], site: CallOrigin) {
        for atom in from {
            let PossibleValue::Object(id) = atom else { continue };
            let fields = self.objects[*id as usize].fields.clone();
            for (name, cell) in fields {
                let value = cell.read(&self.active_blocks);
                let target = match target {
                    // `HeapObject.assign(A.prototype, mixin)` gives all instances the members.
                    PossibleValue::Instance(class) => {
                        let statics = self.instance_members.entry(*class).or_default();
                        statics.entry(name).or_default().add(value);
                        continue;
                    }
                    other => other.clone(),
                };
                self.set(&target, &name, value, false, site.owner);
            }
        }
    }

    fn object_contents(&mut self, objects: &[PossibleValue]) -> AbstractValue {
        let mut all = Vec::new();
        for atom in objects {
            if let PossibleValue::Object(id) = atom {
                join(&mut all, self.object_values(*id));
            }
        }
        all
    }
}

/// A name of the language, with the members that were taken: `HeapObject.assign`.
fn dotted_name(term: &ExternalRef) -> Option<String> {
    let mut name = match &term.base {
        ExternalBase::Global(name) => name.clone(),
        ExternalBase::Scope(_, parts) => parts.join("::"),
        // Python's own modules are imported like any other.
        ExternalBase::Import(key, taken) => {
            let module = key.trim_start_matches('!').split('#').next().unwrap_or_default();
            if !["functools", "itertools", "copy", "collections"].contains(&module) {
                return None;
            }
            taken.clone().unwrap_or_else(|| module.to_owned())
        }
    };
    for op in &term.ops {
        let ExternalStep::Get(member) = op else { return None };
        name = format!("{name}.{member}");
    }
    Some(name)
}
