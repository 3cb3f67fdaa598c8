//! Written types as values: the class they name, an instance of it, what it holds.

use std::rc::Rc;

use syntax::{Owner, SymbolKind, TypeRef};

use super::super::value::{Atom, Op, Value, join};
use super::{Family, Machine};

/// Types that are what they hold.
const TRANSPARENT: [&str; 22] = [
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Ref",
    "RefMut",
    "Pin",
    "Mutex",
    "RwLock",
    "RefCell",
    "Cell",
    "MutexGuard",
    "Promise",
    "Awaitable",
    "Readonly",
    "Partial",
    "Required",
    "NonNull",
    "Lazy",
    "shared_ptr",
    "unique_ptr",
    "PromiseLike",
];

/// Types that hold some of what they are of, as their last argument says.
const HOLDERS: [&str; 44] = [
    "Option",
    "Vec",
    "VecDeque",
    "HashSet",
    "BTreeSet",
    "HashMap",
    "BTreeMap",
    "Iterator",
    "IntoIterator",
    "Array",
    "ReadonlyArray",
    "Set",
    "Map",
    "Iterable",
    "List",
    "list",
    "Dict",
    "dict",
    "Optional",
    "Sequence",
    "Generator",
    "tuple",
    "Tuple",
    "set",
    "frozenset",
    "Collection",
    "ArrayList",
    "MutableList",
    "Stream",
    "IEnumerable",
    "vector",
    "Queue",
    "Deque",
    "Mapping",
    "AsyncIterator",
    "AsyncGenerator",
    "DefaultDict",
    "defaultdict",
    "deque",
    "FxHashMap",
    "FxHashSet",
    "FxIndexMap",
    "SmallVec",
    "Arena",
];

impl Machine<'_> {
    /// What the type of a class leads to: the class itself.
    pub(super) fn class_of(&mut self, ty: &TypeRef, owner: Owner) -> Value {
        match ty {
            TypeRef::Named { path, binding, .. } => self.named_type(path, *binding, owner),
            TypeRef::Of(value) => {
                let value = value.clone();
                self.eval(&value, 0, owner)
            }
            TypeRef::This => {
                let class = owner.and_then(|owner| self.class_of_method(owner));
                class.map(Atom::Class).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Some value of a type.
    pub(super) fn instance_of(&mut self, ty: &TypeRef, owner: Owner) -> Value {
        match ty {
            TypeRef::Named { path, args, .. } => {
                let last = path.rsplit([':', '.', '\\']).next().unwrap_or(path);
                let first = args.first();
                if self.family != Family::Go && TRANSPARENT.contains(&last) {
                    return first.map(|inner| self.instance_of(inner, owner)).unwrap_or_default();
                }
                if self.family != Family::Go
                    && last == "Result"
                    && let Some(inner) = first
                {
                    let inner = self.instance_of(inner, owner);
                    return many(inner);
                }
                if self.family != Family::Go
                    && HOLDERS.contains(&last)
                    && let Some(inner) = args.last()
                {
                    let inner = self.instance_of(inner, owner);
                    return many(inner);
                }
                if self.family == Family::Go
                    && let Some(held) = self.go_holder(path, args, owner)
                {
                    return held;
                }
                if let Some(bounds) = self.bounds(last, owner) {
                    let each = bounds.iter().flat_map(|bound| self.instance_of(bound, owner));
                    return each.collect();
                }
                self.class_of(ty, owner).into_iter().filter_map(instance).collect()
            }
            TypeRef::List(inner) => {
                let inner = self.instance_of(inner, owner);
                many(inner)
            }
            TypeRef::Tuple(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.instance_of(part, owner));
                }
                self.tuple(all)
            }
            TypeRef::Union(parts) | TypeRef::Meet(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let value = self.instance_of(part, owner);
                    join(&mut all, value);
                }
                all
            }
            TypeRef::This => match owner.and_then(|owner| self.class_of_method(owner)) {
                Some(class) => vec![Atom::Inst(class)],
                None => self.foreign_this(owner),
            },
            TypeRef::Of(value) => self.eval(value, 0, owner),
            TypeRef::Function(_, result) if self.family == Family::Go => {
                self.function_result(result, owner)
            }
            TypeRef::Function(params, _) => self.function_type(params, owner),
            TypeRef::Unknown => Vec::new(),
        }
    }

    fn tuple(&mut self, parts: Vec<Value>) -> Value {
        if parts.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        // Go has no tuples: each part is taken by its place.
        let kind = if self.family == Family::Go { super::Kind::Plain } else { super::Kind::List };
        let made = self.object(super::Object { kind, ..super::Object::default() });
        if let Atom::Obj(id) = made {
            for (at, value) in (0..).zip(parts) {
                self.put(id, &[Atom::Number(at)], value);
            }
        }
        vec![made]
    }

    /// `Self` in an `impl` of a type of another file.
    fn foreign_this(&mut self, owner: Owner) -> Value {
        let mut at = owner;
        while let Some(symbol) = at {
            let found = &self.facts.symbols[symbol as usize];
            if found.kind == SymbolKind::Impl {
                let ty = found.ty.clone();
                return ty.map(|ty| self.instance_of(&ty, None)).unwrap_or_default();
            }
            at = found.parent;
        }
        Vec::new()
    }

    /// What a type parameter must be; none if the name is not one.
    fn bounds(&self, name: &str, owner: Owner) -> Option<Vec<TypeRef>> {
        let mut at = owner;
        while let Some(symbol) = at {
            let found = &self.facts.symbols[symbol as usize];
            if let Some(param) = found.generics.iter().find(|param| param.name == name) {
                return Some(param.bounds.clone());
            }
            at = found.parent;
        }
        None
    }

    fn named_type(&mut self, path: &str, binding: Option<u32>, owner: Owner) -> Value {
        self.within_reach(|machine| machine.type_called(path, binding, owner))
    }

    fn type_called(&mut self, path: &str, binding: Option<u32>, owner: Owner) -> Value {
        let parts: Vec<String> = match self.family {
            Family::Rust => path.split("::").map(str::to_owned).collect(),
            _ => path
                .split(['.', ':', '\\'])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        };
        if self.family == Family::Rust {
            return self.path(&parts, owner);
        }
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let mut value = match binding {
            Some(binding) => self.read(binding, 0),
            None => self.type_name(first, owner),
        };
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        value
    }

    /// What an alias stands for.
    pub(super) fn alias(&mut self, symbol: u32) -> Value {
        let ty = self.facts.symbols[symbol as usize].ty.clone();
        let Some(ty) = ty else { return vec![Atom::Class(symbol)] };
        if self.making.len() > 40 || self.stack.contains(&symbol) {
            return Vec::new();
        }
        self.stack.push(symbol);
        let value = match &ty {
            TypeRef::Function(..) | TypeRef::Union(_) if self.family == Family::JavaScript => {
                self.instance_of(&ty, Some(symbol))
            }
            TypeRef::Named { path, .. } if self.family == Family::Go && is_holder(path) => {
                self.instance_of(&ty, Some(symbol))
            }
            TypeRef::List(_) | TypeRef::Function(..) if self.family == Family::Go => {
                self.instance_of(&ty, Some(symbol))
            }
            ty => self.class_of(ty, self.facts.symbols[symbol as usize].parent),
        };
        self.stack.pop();
        value
    }

    /// What a function says it returns.
    pub(super) fn declared_result(&mut self, function: u32) -> Value {
        let ty = self.facts.symbols[function as usize].ty.clone();
        ty.map(|ty| self.instance_of(&ty, Some(function))).unwrap_or_default()
    }

    /// The type that an `impl` is of, or a class itself, where it is declared in this file.
    pub(super) fn find_home(&self, symbol: u32) -> Option<u32> {
        let found = &self.facts.symbols[symbol as usize];
        if found.kind != SymbolKind::Impl {
            return Some(symbol);
        }
        let Some(TypeRef::Named { path, .. }) = &found.ty else { return None };
        if path.contains("::") {
            return None;
        }
        let is_type = |one: &u32| {
            let kind = self.kind(*one);
            (kind.is_type() || kind == SymbolKind::Type) && kind != SymbolKind::Impl
        };
        let mut at = found.parent;
        loop {
            let here = self.tops.get(&(at, path.as_str()));
            if let Some(home) = here.and_then(|all| all.iter().copied().find(is_type)) {
                return Some(home);
            }
            let around = at?;
            // An inner module sees the file's types when it takes them all in.
            at = self.facts.symbols[around as usize].parent;
        }
    }
}

fn is_holder(path: &str) -> bool {
    matches!(path, "map" | "chan")
}

fn many(inner: Value) -> Value {
    if inner.is_empty() { inner } else { vec![Atom::Many(inner.into())] }
}

/// An instance of what a type is named by.
pub(super) fn instance(class: Atom) -> Option<Atom> {
    match class {
        Atom::Class(class) => Some(Atom::Inst(class)),
        Atom::Ext(term) => term.then(Op::Inst).map(|next| Atom::Ext(Rc::new(next))),
        Atom::Inst(_) | Atom::Many(_) | Atom::Obj(_) => Some(class),
        _ => None,
    }
}
