//! What the languages' own functions do with the functions they are given.

use super::super::value::{Atom, Base, Op, Term, Value, join};
use super::args::Given;
use super::call::Site;
use super::{Family, Kind, Machine, Object};

/// Functions of the languages that give what they are given.
const IDENTITY: [&str; 30] = [
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

impl Machine<'_> {
    /// What a function does that no file declares; none if it is not known.
    pub(super) fn function(&mut self, term: &Term, args: &[Given], site: Site) -> Option<Value> {
        let name = dotted(term)?;
        let site = (site.0, site.1, true);
        let own = match self.family {
            Family::Python => self.python_function(&name, args, site),
            Family::JavaScript => self.javascript_function(&name, args, site),
            Family::Rust | Family::Classes | Family::Go => None,
        };
        own.or_else(|| self.identity(&name, args))
    }

    /// A function that gives what it is given.
    fn identity(&self, name: &str, args: &[Given]) -> Option<Value> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        let last = name.rsplit("Object.").next().unwrap_or(name);
        let last = last.rsplit("Promise.").next().unwrap_or(last);
        if !IDENTITY.contains(&last) || matches!(self.family, Family::Classes | Family::Go) {
            return None;
        }
        match last {
            "Some" | "Ok" => Some(vec![Atom::Many(arg(0).into())]),
            _ if last.contains("::") => Some(arg(0)),
            _ if self.family == Family::Rust => None,
            _ => Some(arg(0)),
        }
    }

    fn python_function(&mut self, name: &str, args: &[Given], site: Site) -> Option<Value> {
        let arg = |at: usize| args.get(at).map(|arg| arg.value.clone()).unwrap_or_default();
        match name {
            "map" | "filter" | "functools.reduce" | "reduce" => Some(self.mapped(name, args, site)),
            "sorted" | "min" | "max" => {
                for key in args.iter().filter(|arg| arg.name.is_some()) {
                    let each = self.each(&arg(0), site.0);
                    self.call_value(&key.value.clone(), &[Given::plain(each)], site);
                }
                Some(if name == "sorted" { arg(0) } else { self.each(&arg(0), site.0) })
            }
            "next" => {
                let found = self.get_all(&arg(0), "__next__", site.0);
                let known: Value = found.into_iter().filter(Atom::is_known).collect();
                if known.is_empty() {
                    return Some(self.each(&arg(0), site.0));
                }
                Some(self.call_value(&known, &[], site))
            }
            "enumerate" => {
                let each = self.each(&arg(0), site.0);
                let pair = self.pair(Vec::new(), each);
                Some(vec![Atom::Many(vec![pair].into())])
            }
            "setattr" => {
                if let [Atom::Text(field)] = arg(1).as_slice() {
                    for object in arg(0) {
                        self.set(&object, field, arg(2), false, site.0);
                    }
                }
                Some(Vec::new())
            }
            "dict" => {
                let made = self.object(Object { kind: Kind::Dict, ..Object::default() });
                if let Atom::Obj(id) = made {
                    for arg in args {
                        match &arg.name {
                            Some(name) => {
                                let key = [Atom::Text(name.as_str().into())];
                                self.put(id, &key, arg.value.clone());
                            }
                            None => self.spread_into(id, &arg.value, site.0),
                        }
                    }
                }
                Some(vec![made])
            }
            "type" => {
                let class = |atom: &Atom| match atom {
                    Atom::Obj(id) => self.objects[*id as usize].class.map(Atom::Class),
                    Atom::Inst(class) => Some(Atom::Class(*class)),
                    _ => None,
                };
                Some(arg(0).iter().filter_map(class).collect())
            }
            "functools.partial" | "partial" => Some(arg(0)),
            "functools.wraps" | "wraps" => Some(Vec::new()),
            _ => None,
        }
    }

    fn javascript_function(&mut self, name: &str, args: &[Given], site: Site) -> Option<Value> {
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
                let many = self.contents(&arg(0));
                Some(vec![Atom::Many(many.into())])
            }
            "Object.entries" => {
                let many = self.contents(&arg(0));
                let pair = self.pair(Vec::new(), many);
                Some(vec![Atom::Many(vec![pair].into())])
            }
            "Object.create" => {
                let proto = arg(0).iter().find_map(|atom| match atom {
                    Atom::Obj(id) => Some(*id),
                    _ => None,
                });
                Some(vec![self.object(Object { proto, ..Object::default() })])
            }
            "Object.setPrototypeOf" => {
                if let (Some(Atom::Obj(id)), Some(Atom::Obj(proto))) =
                    (arg(0).first(), arg(1).first())
                {
                    self.objects[*id as usize].proto = Some(*proto);
                }
                Some(arg(0))
            }
            "Map" | "WeakMap" => {
                Some(vec![self.object(Object { kind: Kind::Dict, ..Object::default() })])
            }
            "Set" | "WeakSet" | "Array" => {
                let made = self.object(Object { kind: Kind::List, ..Object::default() });
                if let Atom::Obj(id) = made {
                    self.spread_into(id, &arg(0), site.0);
                }
                Some(vec![made])
            }
            "Array.from" => {
                let each = self.each(&arg(0), site.0);
                let function = arg(1);
                let results = self.call_value(&function, &[Given::plain(each.clone())], site);
                let inner = if function.is_empty() { each } else { results };
                Some(vec![Atom::Many(inner.into())])
            }
            "Promise" => {
                self.call_value(&arg(0), &[], site);
                Some(Vec::new())
            }
            "Reflect.apply" => {
                let list = arg(2);
                let given = self.spread(&[Given { value: list, name: None, spread: true }]);
                Some(self.call_value(&arg(0), &given, site))
            }
            "setTimeout"
            | "setInterval"
            | "setImmediate"
            | "queueMicrotask"
            | "requestAnimationFrame"
            | "process.nextTick" => {
                let given: Vec<Given> = args.iter().skip(2).cloned().collect();
                self.call_value(&arg(0), &given, site);
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// Python's `map(f, xs)`, in whichever order it is written.
    fn mapped(&mut self, name: &str, args: &[Given], site: Site) -> Value {
        let is_function = |arg: &&Given| arg.value.iter().any(Atom::is_live_function);
        let function = args.iter().find(is_function).or(args.first());
        let function = function.map(|arg| arg.value.clone()).unwrap_or_default();
        let mut given = Vec::new();
        for arg in args.iter().filter(|arg| arg.value != function) {
            let each = self.each(&arg.value, site.0);
            given.push(Given::plain(each));
        }
        let results = self.call_value(&function, &given, site);
        match name {
            "map" => vec![Atom::Many(results.into())],
            "filter" => {
                let each = given.first().map(|arg| arg.value.clone()).unwrap_or_default();
                vec![Atom::Many(each.into())]
            }
            _ => results,
        }
    }

    fn assign_all(&mut self, target: &Atom, from: &[Atom], site: Site) {
        for atom in from {
            let Atom::Obj(id) = atom else { continue };
            let fields = self.objects[*id as usize].fields.clone();
            for (name, cell) in fields {
                let value = cell.read(&self.active);
                let target = match target {
                    // `Object.assign(A.prototype, mixin)` gives all instances the members.
                    Atom::Inst(class) => {
                        let statics = self.instance.entry(*class).or_default();
                        statics.entry(name).or_default().add(value);
                        continue;
                    }
                    other => other.clone(),
                };
                self.set(&target, &name, value, false, site.0);
            }
        }
    }

    fn contents(&mut self, objects: &[Atom]) -> Value {
        let mut all = Vec::new();
        for atom in objects {
            if let Atom::Obj(id) = atom {
                join(&mut all, self.inside(*id));
            }
        }
        all
    }
}

/// A name of the language, with the members that were taken: `Object.assign`.
fn dotted(term: &Term) -> Option<String> {
    let mut name = match &term.base {
        Base::Global(name) => name.clone(),
        Base::Scope(_, parts) => parts.join("::"),
        // Python's own modules are imported like any other.
        Base::Import(key, taken) => {
            let module = key.trim_start_matches('!').split('#').next().unwrap_or_default();
            if !["functools", "itertools", "copy", "collections"].contains(&module) {
                return None;
            }
            taken.clone().unwrap_or_else(|| module.to_owned())
        }
    };
    for op in &term.ops {
        let Op::Get(member) = op else { return None };
        name = format!("{name}.{member}");
    }
    Some(name)
}
