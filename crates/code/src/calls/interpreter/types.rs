//! Declared types as values: the class that a type names, an instance of it, the elements of a
//! container.

use syntax::{SymbolKind, TypeRef};

use super::super::ids::{BindingId, FrameId, Owner, SymbolId};
use super::super::value::{AbstractValue, ExternalStep, PossibleValue, join};
use super::{CallModel, Interpreter, ObjectKind};

/// Wrapper types that are treated as their first argument.
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

/// Container types. The last argument is the element type.
const CONTAINER_TYPES: [&str; 50] = [
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
    "AsyncIterable",
    "ContextManager",
    "AsyncContextManager",
    "AbstractContextManager",
    "AbstractAsyncContextManager",
    "MutableMapping",
];

/// TypeScript's types that have the members of their first argument, or some of them.
const SAME_MEMBERS: [&str; 6] = ["Omit", "Pick", "NonNullable", "Awaited", "Exclude", "Extract"];

impl Interpreter<'_> {
    /// The class that a type names.
    pub(super) fn type_class(&mut self, ty: &TypeRef, owner: Owner) -> AbstractValue {
        match ty {
            TypeRef::Named { path, binding, .. } => {
                self.named_type(path, binding.map(BindingId::from), owner)
            }
            TypeRef::Of(value) => self.eval(value, FrameId::MODULE, owner),
            TypeRef::This => {
                let class = self.tables.enclosing_class(owner);
                class.map(PossibleValue::Class).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value of which only the type is known.
    pub(super) fn instance_of(&mut self, ty: &TypeRef, owner: Owner) -> AbstractValue {
        match ty {
            TypeRef::Named { path, args, .. } => self.named_instance(ty, path, args, owner),
            TypeRef::List(inner) => {
                let inner = self.instance_of(inner, owner);
                collection_of(inner)
            }
            TypeRef::Tuple(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.instance_of(part, owner));
                }
                self.tuple(all)
            }
            TypeRef::Union(parts) | TypeRef::Intersection(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let value = self.instance_of(part, owner);
                    join(&mut all, value);
                }
                all
            }
            TypeRef::This => match self.tables.enclosing_class(owner) {
                Some(class) => vec![PossibleValue::Instance(class)],
                None => self.external_self(owner),
            },
            TypeRef::Of(value) => self.eval(value, FrameId::MODULE, owner),
            TypeRef::Function(_, result) if self.tables.family == CallModel::Go => {
                self.function_type_value(result, owner)
            }
            TypeRef::Function(params, result) => self.function_type(params, result, owner),
            TypeRef::Unknown => Vec::new(),
        }
    }

    /// A value of the type `ty`, which is named by a path with type arguments.
    fn named_instance(
        &mut self,
        ty: &TypeRef,
        path: &str,
        args: &[TypeRef],
        owner: Owner,
    ) -> AbstractValue {
        let last = path.rsplit([':', '.', '\\']).next().unwrap_or(path);
        if self.tables.family == CallModel::Go {
            if let Some(held) = self.container_instance(path, args, owner) {
                return held;
            }
        } else if TRANSPARENT.contains(&last) {
            let inner = args.first();
            return inner.map(|inner| self.instance_of(inner, owner)).unwrap_or_default();
        } else if let Some(element) = element_type(last, args) {
            let element = self.instance_of(element, owner);
            return collection_of(element);
        }
        if self.tables.family == CallModel::Python
            && let Some(value) = self.special_form(last, args, owner)
        {
            return value;
        }
        if self.tables.family == CallModel::JavaScript
            && let Some(value) = self.utility_type(last, args, owner)
        {
            return value;
        }
        if let Some(param) = self.tables.type_param(last, owner) {
            let bounds = param.bounds.iter();
            return bounds.flat_map(|bound| self.instance_of(bound, owner)).collect();
        }
        self.type_class(ty, owner).into_iter().filter_map(instance_of_class).collect()
    }

    fn tuple(&mut self, parts: Vec<AbstractValue>) -> AbstractValue {
        if parts.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        // Go has no tuples: each part is read by its position.
        let kind =
            if self.tables.family == CallModel::Go { ObjectKind::Plain } else { ObjectKind::List };
        let id = self.alloc_kind(kind);
        for (at, value) in (0..).zip(parts) {
            self.put_at_key(id, &[PossibleValue::Number(at)], value);
        }
        vec![PossibleValue::Object(id)]
    }

    /// `Self` in an `impl` of a type of another file.
    fn external_self(&mut self, owner: Owner) -> AbstractValue {
        let mut around = self.tables.ancestors(owner);
        let found = around.find(|id| self.tables.kind(*id) == SymbolKind::Impl);
        let ty = found.and_then(|id| self.tables.symbol(id).ty.as_ref());
        ty.map(|ty| self.instance_of(ty, None)).unwrap_or_default()
    }

    fn named_type(
        &mut self,
        path: &str,
        binding: Option<BindingId>,
        owner: Owner,
    ) -> AbstractValue {
        self.limit_lookup(|interpreter| interpreter.lookup_type_path(path, binding, owner))
    }

    fn lookup_type_path(
        &mut self,
        path: &str,
        binding: Option<BindingId>,
        owner: Owner,
    ) -> AbstractValue {
        let parts: Vec<String> = match self.tables.family {
            CallModel::Rust => path.split("::").map(str::to_owned).collect(),
            _ => path
                .split(['.', ':', '\\'])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        };
        if self.tables.family == CallModel::Rust {
            return self.resolve_path(&parts, owner);
        }
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let declared = binding.and_then(|binding| self.tables.type_of_binding(binding));
        let mut value = match (declared, binding) {
            (Some(declared), _) => self.symbol_value(declared, FrameId::MODULE),
            (None, Some(binding)) => self.read(binding, FrameId::MODULE),
            (None, None) => self.resolve_type_name(first, owner),
        };
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        value
    }

    /// The type that an alias stands for.
    pub(super) fn alias_target(&mut self, symbol: SymbolId) -> AbstractValue {
        let ty = self.tables.symbol(symbol).ty.as_ref();
        let Some(ty) = ty else { return vec![PossibleValue::Class(symbol)] };
        if self.call_stack.contains(&symbol) {
            return Vec::new();
        }
        self.call_stack.push(symbol);
        let mut value = match ty {
            TypeRef::Named { path, .. }
                if self.tables.family == CallModel::JavaScript && !is_standard_type(path) =>
            {
                self.type_class(ty, self.tables.parent(symbol))
            }
            ty if self.tables.family == CallModel::JavaScript => self.instance_of(ty, Some(symbol)),
            TypeRef::Named { path, .. }
                if self.tables.family == CallModel::Go && is_builtin_container(path) =>
            {
                self.instance_of(ty, Some(symbol))
            }
            TypeRef::List(_) | TypeRef::Function(..) if self.tables.family == CallModel::Go => {
                self.instance_of(ty, Some(symbol))
            }
            ty => self.type_class(ty, self.tables.parent(symbol)),
        };
        self.call_stack.pop();
        if self.tables.has_type_members(symbol) {
            value.insert(0, PossibleValue::Class(symbol));
        }
        value
    }

    /// A value of one of Python's special types with arguments; `None` for any other type.
    fn special_form(
        &mut self,
        name: &str,
        args: &[TypeRef],
        owner: Owner,
    ) -> Option<AbstractValue> {
        let (first, last) = (args.first()?, args.last()?);
        Some(match name {
            "type" | "Type" => self.type_class(first, owner),
            "ClassVar" | "Final" | "Annotated" | "NotRequired" => self.instance_of(first, owner),
            // The result of a coroutine, which is awaited.
            "Coroutine" => self.instance_of(last, owner),
            "Callable" => self.function_type(&[], last, owner),
            _ => return None,
        })
    }

    /// A value of one of TypeScript's types that are computed from others; `None` for any other
    /// type.
    fn utility_type(
        &mut self,
        name: &str,
        args: &[TypeRef],
        owner: Owner,
    ) -> Option<AbstractValue> {
        let first = args.first()?;
        Some(match name {
            _ if SAME_MEMBERS.contains(&name) => self.instance_of(first, owner),
            "ReturnType" => {
                let functions = self.instance_of(first, owner);
                let mut all = AbstractValue::new();
                for function in functions {
                    let result = self.result_of(&function);
                    join(&mut all, result);
                }
                all
            }
            "InstanceType" => {
                let classes = self.type_class(first, owner);
                classes.into_iter().filter_map(instance_of_class).collect()
            }
            _ => return None,
        })
    }

    /// What a function returns when nothing is known about its arguments.
    fn result_of(&mut self, function: &PossibleValue) -> AbstractValue {
        match function {
            PossibleValue::Function(symbol, _) => {
                self.ensure_summary(*symbol);
                match self.summaries.function(*symbol) {
                    Some(known) => known.returns.clone(),
                    None => self.declared_result(*symbol),
                }
            }
            PossibleValue::External(term) => {
                let step = ExternalStep::Call(Vec::new());
                self.tables.external_step(term, step).into_iter().collect()
            }
            other => self.call_function_type(other),
        }
    }

    /// A value of the declared result type of a function.
    pub(super) fn declared_result(&mut self, function: SymbolId) -> AbstractValue {
        let ty = self.tables.symbol(function).ty.as_ref();
        ty.map(|ty| self.instance_of(ty, Some(function))).unwrap_or_default()
    }
}

/// Whether a type comes with TypeScript and stands for another one.
fn is_standard_type(name: &str) -> bool {
    TRANSPARENT.contains(&name)
        || CONTAINER_TYPES.contains(&name)
        || SAME_MEMBERS.contains(&name)
        || matches!(name, "ReturnType" | "InstanceType")
}

fn is_builtin_container(path: &str) -> bool {
    matches!(path, "map" | "chan")
}

/// The element type of a container type; `None` for any other type.
fn element_type<'t>(name: &str, args: &'t [TypeRef]) -> Option<&'t TypeRef> {
    match name {
        // The first argument of a generator is what it yields; those it receives and returns
        // follow.
        "Result" | "Generator" | "AsyncGenerator" => args.first(),
        _ if CONTAINER_TYPES.contains(&name) => args.last(),
        _ => None,
    }
}

fn collection_of(inner: AbstractValue) -> AbstractValue {
    if inner.is_empty() { inner } else { vec![PossibleValue::Collection(inner.into())] }
}

/// An instance of a class. A value that is no class but was resolved from a type stays as it is.
pub(super) fn instance_of_class(class: PossibleValue) -> Option<PossibleValue> {
    match class {
        PossibleValue::Class(class) => Some(PossibleValue::Instance(class)),
        PossibleValue::External(term) => term.then(ExternalStep::Inst).map(PossibleValue::from),
        PossibleValue::Instance(_) | PossibleValue::Collection(_) | PossibleValue::Object(_) => {
            Some(class)
        }
        _ => None,
    }
}
