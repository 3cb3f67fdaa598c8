//! Functions of the standard libraries that call their arguments or return them.

use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::eval::prefer_known;
use super::types::instance_of_class;
use super::{CallModel, HeapObject, Interpreter, ObjectKind};

/// Standard functions that return their argument, or a copy or an equal collection of it.
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
    /// The result of a function that no file declares; `None` if the function is not modelled here.
    pub(super) fn call_builtin_function(
        &mut self,
        term: &ExternalRef,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let name = dotted_name(term)?;
        let site = site.inferred();
        let own = match self.tables.family {
            CallModel::Python => self.python_function(&name, args, site),
            CallModel::JavaScript => self.javascript_function(&name, args, site),
            CallModel::Rust | CallModel::Classes | CallModel::Go => None,
        };
        own.or_else(|| self.call_identity(&name, args))
    }

    /// The result of a function that returns its argument; `None` for any other function.
    fn call_identity(&self, name: &str, args: &[ArgValue]) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        let last = name.rsplit("Object.").next().unwrap_or(name);
        let last = last.rsplit("Promise.").next().unwrap_or(last);
        if !IDENTITY_FUNCTIONS.contains(&last)
            || matches!(self.tables.family, CallModel::Classes | CallModel::Go)
        {
            return None;
        }
        match last {
            "Some" | "Ok" => Some(vec![PossibleValue::Collection(arg(0).into())]),
            _ if last.contains("::") => Some(arg(0)),
            _ if self.tables.family == CallModel::Rust => None,
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
                        self.set(&object, field, arg(2), site.owner);
                    }
                }
                Some(Vec::new())
            }
            "dict" => Some(vec![self.python_dict(args, site)]),
            "type" => {
                let classes = arg(0).into_iter().filter_map(|value| self.heap.class_of(&value));
                Some(classes.map(PossibleValue::Class).collect())
            }
            "functools.partial" | "partial" | "functools.update_wrapper" | "update_wrapper" => {
                Some(arg(0))
            }
            "functools.wraps" | "wraps" => Some(Vec::new()),
            "typing.cast" | "cast" => Some(self.python_cast(&arg(0), arg(1), site)),
            _ => None,
        }
    }

    /// Python's `cast(T, value)`: the value if it is known, else an instance of the type.
    fn python_cast(
        &mut self,
        ty: &[PossibleValue],
        value: AbstractValue,
        site: CallOrigin,
    ) -> AbstractValue {
        let mut types = Vec::new();
        for one in ty {
            match one {
                PossibleValue::Text(name) => {
                    let found = self.resolve_name(name, site.owner);
                    join(&mut types, found);
                }
                other => join(&mut types, [other.clone()]),
            }
        }
        prefer_known(value, types.into_iter().filter_map(instance_of_class).collect())
    }

    /// Python's `dict(…)`.
    fn python_dict(&mut self, args: &[ArgValue], site: CallOrigin) -> PossibleValue {
        let id = self.alloc_kind(ObjectKind::Dict);
        for arg in args {
            match &arg.name {
                Some(name) => {
                    let key = [PossibleValue::Text(name.as_str().into())];
                    self.put_at_key(id, &key, arg.value.clone());
                }
                None => self.spread_into(id, &arg.value, site.owner),
            }
        }
        PossibleValue::Object(id)
    }

    fn javascript_function(
        &mut self,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        match name {
            "Map" | "WeakMap" => {
                Some(vec![PossibleValue::Object(self.alloc_kind(ObjectKind::Dict))])
            }
            "Set" | "WeakSet" | "Array" => {
                let id = self.alloc_kind(ObjectKind::List);
                self.spread_into(id, &arg(0), site.owner);
                Some(vec![PossibleValue::Object(id)])
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
                let given = self.expand_list(&list);
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
            _ => self.javascript_object_function(name, args, site),
        }
    }

    /// The static methods of JavaScript's `Object`.
    fn javascript_object_function(
        &mut self,
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> Option<AbstractValue> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        match name {
            "Object.assign" => {
                let target = arg(0);
                for alternative in &target {
                    for more in args.iter().skip(1) {
                        self.assign_all(alternative, &more.value, site);
                    }
                }
                Some(target)
            }
            "Object.values" => {
                let many = self.heap.contents(&arg(0));
                Some(vec![PossibleValue::Collection(many.into())])
            }
            "Object.entries" => {
                let many = self.heap.contents(&arg(0));
                let pair = self.alloc_pair(Vec::new(), many);
                Some(vec![PossibleValue::Collection(vec![pair].into())])
            }
            "Object.create" => {
                let proto = arg(0).iter().find_map(|alternative| match alternative {
                    PossibleValue::Object(id) => Some(*id),
                    _ => None,
                });
                let id = self.alloc(HeapObject::with_proto(proto));
                Some(vec![PossibleValue::Object(id)])
            }
            "Object.setPrototypeOf" => {
                if let (Some(PossibleValue::Object(id)), Some(PossibleValue::Object(proto))) =
                    (arg(0).first(), arg(1).first())
                {
                    self.heap.object_mut(*id).proto = Some(*proto);
                }
                Some(arg(0))
            }
            _ => None,
        }
    }

    /// Python's `map`, `filter` and `reduce`: the function may be any of the arguments.
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

    /// Assigns all fields of some objects to members of another, as `Object.assign` does.
    fn assign_all(&mut self, target: &PossibleValue, from: &[PossibleValue], site: CallOrigin) {
        for value in from {
            let PossibleValue::Object(id) = value else { continue };
            for (name, value) in self.heap.fields(*id) {
                match target {
                    // `Object.assign(A.prototype, mixin)` gives the members to all instances.
                    PossibleValue::Instance(class) => {
                        self.heap.add_instance_member(*class, &name, value);
                    }
                    other => self.set(other, &name, value, site.owner),
                }
            }
        }
    }
}

/// The dotted name of a standard function: `Object.assign`.
fn dotted_name(term: &ExternalRef) -> Option<String> {
    let mut name = match &term.base {
        ExternalBase::Global(name) => name.clone(),
        ExternalBase::Schema(_) => return None,
        ExternalBase::Scope(_, parts) => parts.join("::"),
        // The modules of Python's standard library are imported like any other.
        ExternalBase::Import(key, taken) => {
            let module = key.trim_start_matches('!').split('#').next().unwrap_or_default();
            if !["functools", "itertools", "copy", "collections", "typing"].contains(&module) {
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
