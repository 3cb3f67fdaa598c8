//! What expressions are worth.

use std::rc::Rc;

use syntax::{BindingKind, Expr, Flags, Item, ItemsKind, Owner, SymbolKind};

use super::super::value::{Atom, Base, Op, Value, join};
use super::{Family, Kind, Machine, Object};

/// How many members of an object are told apart.
const MOST_FIELDS: usize = 256;

impl Machine<'_> {
    /// What an expression is worth in a frame.
    pub(super) fn eval(&mut self, expr: &Expr, frame: u32, owner: Owner) -> Value {
        self.deeper(|machine| machine.worth_of(expr, frame, owner))
    }

    fn worth_of(&mut self, expr: &Expr, frame: u32, owner: Owner) -> Value {
        match expr {
            Expr::Unknown => Vec::new(),
            Expr::Local(binding) => self.read(*binding, frame),
            Expr::Name(name) => self.name(name, owner),
            Expr::Path(parts) => self.path(parts, owner),
            Expr::Member(object, name) => {
                let object = self.eval(object, frame, owner);
                let mut value = self.get_all(&object, name, owner);
                if self.family == Family::Rust && !value.iter().all(Atom::is_method) {
                    value.retain(|atom| !atom.is_method()); // a method is called, a field is read
                }
                value
            }
            Expr::Index(object, key) => {
                let object = self.eval(object, frame, owner);
                let keys = self.eval(key, frame, owner);
                self.index(&object, &keys, owner)
            }
            Expr::Call(call) => {
                let result = self.frames[frame as usize].results.get(call);
                result.cloned().unwrap_or_default()
            }
            Expr::Symbol(symbol) => self.symbol(*symbol, frame),
            Expr::Import(import) => vec![self.import(*import, None)],
            Expr::This => self.this(frame, owner),
            Expr::Super => self.super_of(frame, owner),
            Expr::Items(kind, items) => vec![self.items(*kind, items, frame, owner)],
            Expr::Either(values) => {
                let mut all = Vec::new();
                for value in values {
                    let value = self.eval(value, frame, owner);
                    join(&mut all, value);
                }
                all
            }
            Expr::Each(many) => {
                let many = self.eval(many, frame, owner);
                self.each(&many, owner)
            }
            Expr::Text(text) => vec![Atom::Text(text.as_str().into())],
            Expr::Number(number) => vec![Atom::Number(*number)],
            Expr::Typed(value, ty) => {
                let value = self.eval(value, frame, owner);
                let declared = self.instance_of(ty, owner);
                prefer(value, declared)
            }
        }
    }

    /// What a name of this file holds.
    pub(super) fn read(&mut self, binding: u32, frame: u32) -> Value {
        let facts = self.facts;
        let declared = &facts.flow.bindings[binding as usize];
        let home = self.home_frame(binding, frame);
        let cell = home.and_then(|home| self.frames[home as usize].vars.get(&binding));
        let held = cell.map(|cell| cell.read(&self.active));
        if self.family == Family::Go
            && let Some(ty) = &declared.ty
            && !matches!(declared.kind, BindingKind::Param(_))
        {
            let types = self.instance_of(ty, declared.owner);
            return with_functions(types, held.unwrap_or_default());
        }
        let value = match (held, declared.kind) {
            (Some(held), _) => held,
            (None, BindingKind::Symbol(symbol)) => self.symbol(symbol, home.unwrap_or(0)),
            (None, BindingKind::Import(import, name)) => self.imported(import, name),
            (None, _) => Vec::new(),
        };
        match &declared.ty {
            Some(ty) if !value.iter().any(Atom::is_known) => {
                let declared = self.instance_of(ty, declared.owner);
                prefer(value, declared)
            }
            _ => value,
        }
    }

    /// The frame that a name of this file is held in.
    pub(super) fn home_frame(&self, binding: u32, frame: u32) -> Option<u32> {
        let owner = self.facts.flow.bindings[binding as usize].owner;
        let function = owner.and_then(|owner| self.runs_in[owner as usize]);
        let mut at = Some(frame);
        while let Some(id) = at {
            let frame = &self.frames[id as usize];
            if frame.function == function {
                return Some(id);
            }
            at = frame.parent;
        }
        function.is_none().then_some(0)
    }

    /// What a declared symbol is worth.
    pub(super) fn symbol(&mut self, symbol: u32, frame: u32) -> Value {
        match self.kind(symbol) {
            kind if kind.is_callable() => vec![Atom::Fun(symbol, frame)],
            SymbolKind::Variable
            | SymbolKind::Constant
            | SymbolKind::Field
            | SymbolKind::Property => {
                if self.family == Family::Go {
                    return self.variable(symbol);
                }
                let worth = self.worth.get(&symbol).cloned().unwrap_or_default();
                match self.facts.symbols[symbol as usize].ty.clone() {
                    Some(ty) if !worth.iter().any(Atom::is_known) => {
                        let declared = self.instance_of(&ty, Some(symbol));
                        prefer(worth, declared)
                    }
                    _ => worth,
                }
            }
            // A variant is a value of its type, and a function that makes one.
            SymbolKind::Variant => {
                let of = self.facts.symbols[symbol as usize].parent;
                of.map(|of| vec![Atom::Inst(of)]).unwrap_or_default()
            }
            SymbolKind::Type if self.has_flag(symbol, Flags::DISTINCT) => vec![Atom::Class(symbol)],
            SymbolKind::Type => self.alias(symbol),
            SymbolKind::Impl => self.home(symbol).map(Atom::Class).into_iter().collect(),
            _ => vec![Atom::Class(symbol)],
        }
    }

    /// The receiver of the function around.
    pub(super) fn this(&mut self, frame: u32, owner: Owner) -> Value {
        // In the body of a class the receiver is what is being made.
        if let Some(class) = owner.and_then(|owner| self.class_around(owner))
            && self.runs_in[class as usize] == self.frames[frame as usize].function
        {
            return vec![Atom::Inst(class)];
        }
        let mut at = Some(frame);
        while let Some(id) = at {
            let here = &self.frames[id as usize];
            match here.function {
                Some(function) if self.has_flag(function, Flags::ARROW) => at = here.parent,
                _ => return here.this.clone(),
            }
        }
        Vec::new()
    }

    fn super_of(&mut self, frame: u32, owner: Owner) -> Value {
        let class = owner.and_then(|owner| self.class_of_method(owner));
        let Some(class) = class else { return Vec::new() };
        let mut this = self.this(frame, owner);
        if this.is_empty()
            && let Some(first) = self.first_param(frame)
        {
            this = first;
        }
        if this.is_empty() {
            this = vec![Atom::Inst(class)];
        }
        this.into_iter().map(|this| Atom::Super(class, Rc::new(this))).collect()
    }

    fn items(&mut self, kind: ItemsKind, items: &[Item], frame: u32, owner: Owner) -> Atom {
        let kind = match kind {
            ItemsKind::Dict => Kind::Dict,
            ItemsKind::Object => Kind::Plain,
            _ => Kind::List,
        };
        let made = self.object(Object { kind, ..Object::default() });
        let Atom::Obj(id) = made else { return made };
        for (at, item) in items.iter().enumerate() {
            let value = self.eval(&item.value, frame, owner);
            if item.spread {
                self.spread_into(id, &value, owner);
            } else if let Some(key) = &item.key {
                let keys = self.eval(key, frame, owner);
                self.put(id, &keys, value);
            } else {
                self.put(id, &[Atom::Number(i64::try_from(at).unwrap_or(0))], value);
            }
        }
        made
    }

    /// Takes in all that some values hold.
    pub(super) fn spread_into(&mut self, id: u32, from: &[Atom], owner: Owner) {
        for atom in from {
            match atom {
                Atom::Obj(other) if self.objects[*other as usize].kind == Kind::List => {
                    let start = self.objects[id as usize].fields.len();
                    let held = self.objects[*other as usize].fields.clone();
                    for (at, cell) in held.values().enumerate() {
                        let key = Atom::Number(i64::try_from(start + at).unwrap_or(0));
                        let value = cell.read(&self.active);
                        self.put(id, &[key], value);
                    }
                    let others = self.objects[*other as usize].others.read(&self.active);
                    self.objects[id as usize].others.add(others);
                }
                Atom::Obj(other) => {
                    let held = self.objects[*other as usize].fields.clone();
                    for (key, cell) in held {
                        let value = cell.read(&self.active);
                        self.put(id, &[Atom::Text(key.into())], value);
                    }
                    let others = self.objects[*other as usize].others.read(&self.active);
                    self.objects[id as usize].others.add(others);
                }
                other => {
                    let each = self.each(std::slice::from_ref(other), owner);
                    self.objects[id as usize].others.add(each);
                }
            }
        }
    }

    /// One of the elements of some values.
    pub(super) fn each(&mut self, many: &[Atom], owner: Owner) -> Value {
        let mut all = Vec::new();
        for atom in many {
            let value = match atom {
                Atom::Many(inner) => inner.to_vec(),
                Atom::Ext(term) => self.after(term, Op::Each).into_iter().collect(),
                Atom::Obj(_) | Atom::Inst(_) | Atom::Fun(..) | Atom::Bound(_)
                    if self.family == Family::Go =>
                {
                    self.element(atom, owner)
                }
                Atom::Obj(id) => self.each_of(*id, owner),
                // Rust's `?` and patterns look into what is not wrapped here.
                Atom::Inst(_) if self.family == Family::Rust => vec![atom.clone()],
                Atom::Inst(class) => {
                    let class = *class;
                    self.iterate(&Atom::Inst(class), class, owner)
                }
                _ => Vec::new(),
            };
            join(&mut all, value);
        }
        all
    }

    fn each_of(&mut self, id: u32, owner: Owner) -> Value {
        let object = &self.objects[id as usize];
        if let Some(class) = object.class {
            return self.iterate(&Atom::Obj(id), class, owner);
        }
        if object.kind == Kind::Dict && self.family == Family::Python {
            return object.fields.keys().map(|key| text(key)).collect();
        }
        self.inside(id)
    }

    /// Everything an object holds.
    pub(super) fn inside(&self, id: u32) -> Value {
        let object = &self.objects[id as usize];
        let mut all = object.others.read(&self.active);
        for cell in object.fields.values() {
            join(&mut all, cell.read(&self.active));
        }
        all
    }

    /// Iterating over an instance calls what its class says.
    fn iterate(&mut self, object: &Atom, class: u32, owner: Owner) -> Value {
        let call = |machine: &mut Self, on: &[Atom], name: &str| {
            let found = machine.get_all(on, name, owner);
            let known: Value = found.into_iter().filter(Atom::is_known).collect();
            machine.call_value(&known, &[], (owner, 0, true))
        };
        if self.family != Family::Python {
            return Vec::new();
        }
        let start = std::slice::from_ref(object);
        if self.member_symbols(class, "__iter__").is_empty() {
            let found = self.get_all(start, "__getitem__", owner);
            let known: Value = found.into_iter().filter(Atom::is_known).collect();
            return self.call_value(&known, &[], (owner, 0, true));
        }
        let over = call(self, start, "__iter__");
        let is_own = |atom: &Atom| {
            matches!(atom, Atom::Obj(id) if self.objects[*id as usize].class.is_some())
                || matches!(atom, Atom::Inst(_))
        };
        let (own, rest): (Value, Value) = over.into_iter().partition(is_own);
        let mut all = call(self, &own, "__next__");
        let rest = self.each(&rest, owner);
        join(&mut all, rest);
        all
    }

    /// What is under a key.
    pub(super) fn index(&mut self, object: &[Atom], keys: &[Atom], owner: Owner) -> Value {
        let mut all = Vec::new();
        for atom in object {
            let value = match atom {
                Atom::Obj(id) if self.objects[*id as usize].class.is_none() => {
                    self.at_keys(*id, keys)
                }
                Atom::Many(inner) => inner.to_vec(),
                Atom::Ext(term) => {
                    let op = match keys {
                        [Atom::Text(key)] => Op::Get(key.to_string()),
                        [Atom::Number(at)] if self.family == Family::Go => {
                            Op::Get(format!("#{at}"))
                        }
                        _ => Op::Each,
                    };
                    self.after(term, op).into_iter().collect()
                }
                other => self.index_instance(other, keys, owner),
            };
            join(&mut all, value);
        }
        all
    }

    fn index_instance(&mut self, object: &Atom, keys: &[Atom], owner: Owner) -> Value {
        let mut all = Vec::new();
        for key in keys {
            if let Atom::Text(key) = key
                && self.family == Family::JavaScript
            {
                let key = key.to_string();
                join(&mut all, self.get(object, &key, owner));
            }
        }
        if self.family == Family::Python && matches!(object, Atom::Obj(_) | Atom::Inst(_)) {
            let found = self.get(object, "__getitem__", owner);
            let known: Value = found.into_iter().filter(Atom::is_known).collect();
            join(&mut all, self.call_value(&known, &[], (owner, 0, true)));
        }
        all
    }

    fn at_keys(&self, id: u32, keys: &[Atom]) -> Value {
        let object = &self.objects[id as usize];
        let mut all = Vec::new();
        for key in keys {
            if let Some(key) = key_of(key)
                && let Some(cell) = object.fields.get(&self.spelled(object.kind, &key))
            {
                join(&mut all, cell.read(&self.active));
            }
        }
        if keys.iter().all(|key| key_of(key).is_none()) {
            return self.inside(id);
        }
        join(&mut all, object.others.read(&self.active));
        all
    }

    /// Puts a value under a key of an object.
    pub(super) fn put(&mut self, id: u32, keys: &[Atom], value: Value) {
        let value = self.afford(value);
        let kind = self.objects[id as usize].kind;
        let known: Vec<String> = keys.iter().filter_map(key_of).collect();
        let active = self.active.clone();
        match known.as_slice() {
            [] => self.objects[id as usize].others.add(value),
            // A list that is added to itself in a loop doubles with each turn.
            _ if self.objects[id as usize].fields.len() >= MOST_FIELDS => {
                self.objects[id as usize].others.add(value);
            }
            [key] => {
                let key = self.spelled(kind, key);
                self.objects[id as usize].fields.entry(key).or_default().write(value, &active);
            }
            several => {
                for key in several {
                    let key = self.spelled(kind, key);
                    self.objects[id as usize].fields.entry(key).or_default().add(value.clone());
                }
            }
        }
    }

    /// How a key is kept: in JavaScript numbers are texts.
    fn spelled(&self, kind: Kind, key: &str) -> String {
        match (self.family, kind) {
            (Family::JavaScript, _) | (_, Kind::List) => key.trim_start_matches('#').to_owned(),
            _ => key.to_owned(),
        }
    }
}

/// A text as a value; keys of dictionaries that were numbers are marked.
fn text(key: &str) -> Atom {
    match key.strip_prefix('#').and_then(|number| number.parse().ok()) {
        Some(number) => Atom::Number(number),
        None => Atom::Text(key.into()),
    }
}

/// A key as text, numbers marked.
fn key_of(key: &Atom) -> Option<String> {
    match key {
        Atom::Text(text) => Some(text.to_string()),
        Atom::Number(number) => Some(format!("#{number}")),
        _ => None,
    }
}

/// What is known to happen, else what is declared, else what little there is.
pub(super) fn prefer(value: Value, declared: Value) -> Value {
    if value.iter().any(Atom::is_known) || declared.is_empty() {
        return value;
    }
    let mut all = declared;
    join(&mut all, value.into_iter().filter(|atom| matches!(atom, Atom::Param(..))));
    all
}

/// What is declared, and the functions that are held: of these a type says nothing.
pub(super) fn with_functions(declared: Value, held: Value) -> Value {
    if declared.is_empty() {
        return held;
    }
    let mut all = declared;
    let is_kept = |atom: &Atom| atom.is_method() || matches!(atom, Atom::Param(..));
    join(&mut all, held.into_iter().filter(is_kept));
    all
}

/// A global name as a value.
pub(super) fn global(name: &str) -> Atom {
    Atom::ext(Base::Global(name.to_owned()))
}
