//! What expressions are worth.

use std::rc::Rc;

use syntax::{BindingKind, Expr, LiteralItem, LiteralKind, SymbolFlags, SymbolKind, SymbolOwner};

use super::super::value::{AbstractValue, ExternalBase, ExternalStep, PossibleValue, join};
use super::call::CallOrigin;
use super::{HeapObject, Interpreter, LanguageFamily, ObjectKind};

/// How many members of an object are told apart.
const MAX_FIELDS: usize = 256;

impl Interpreter<'_> {
    /// What an expression is worth in a frame.
    pub(super) fn eval(&mut self, expr: &Expr, frame: u32, owner: SymbolOwner) -> AbstractValue {
        self.recurse(|machine| machine.eval_expr(expr, frame, owner))
    }

    fn eval_expr(&mut self, expr: &Expr, frame: u32, owner: SymbolOwner) -> AbstractValue {
        match expr {
            Expr::Unknown => Vec::new(),
            Expr::Local(binding) => self.read(*binding, frame),
            Expr::Name(name) => self.resolve_name(name, owner),
            Expr::Path(parts) => self.resolve_path(parts, owner),
            Expr::Member(object, name) => {
                let object = self.eval(object, frame, owner);
                let mut value = self.get_all(&object, name, owner);
                if self.family == LanguageFamily::Rust
                    && !value.iter().all(PossibleValue::is_function)
                {
                    value.retain(|atom| !atom.is_function()); // a method is called, a field is read
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
            Expr::Symbol(symbol) => self.symbol_value(*symbol, frame),
            Expr::Import(import) => vec![self.import_value(*import, None)],
            Expr::This => self.this_value(frame, owner),
            Expr::Super => self.super_value(frame, owner),
            Expr::Items(kind, items) => vec![self.eval_items(*kind, items, frame, owner)],
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
                self.elements_of(&many, owner)
            }
            Expr::Text(text) => vec![PossibleValue::Text(text.as_str().into())],
            Expr::Number(number) => vec![PossibleValue::Number(*number)],
            Expr::Typed(value, ty) => {
                let value = self.eval(value, frame, owner);
                let declared = self.instance_of(ty, owner);
                prefer_known(value, declared)
            }
        }
    }

    /// What a name of this file holds.
    pub(super) fn read(&mut self, binding: u32, frame: u32) -> AbstractValue {
        let facts = self.facts;
        let declared = &facts.flow.bindings[binding as usize];
        let home = self.frame_of_binding(binding, frame);
        let cell = home.and_then(|home| self.frames[home as usize].vars.get(&binding));
        let held = cell.map(|cell| cell.read(&self.active_blocks));
        if self.family == LanguageFamily::Go
            && let Some(ty) = &declared.ty
            && !matches!(declared.kind, BindingKind::Param(_))
        {
            let types = self.instance_of(ty, declared.owner);
            return declared_with_functions(types, held.unwrap_or_default());
        }
        let value = match (held, declared.kind) {
            (Some(held), _) => held,
            (None, BindingKind::Symbol(symbol)) => self.symbol_value(symbol, home.unwrap_or(0)),
            (None, BindingKind::Import(import, name)) => self.imported_value(import, name),
            (None, _) => Vec::new(),
        };
        match &declared.ty {
            Some(ty) if !value.iter().any(PossibleValue::is_known) => {
                let declared = self.instance_of(ty, declared.owner);
                prefer_known(value, declared)
            }
            _ => value,
        }
    }

    /// The frame that a name of this file is held in.
    pub(super) fn frame_of_binding(&self, binding: u32, frame: u32) -> Option<u32> {
        let owner = self.facts.flow.bindings[binding as usize].owner;
        let function = owner.and_then(|owner| self.enclosing_functions[owner as usize]);
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
    pub(super) fn symbol_value(&mut self, symbol: u32, frame: u32) -> AbstractValue {
        match self.kind(symbol) {
            kind if kind.is_callable() => vec![PossibleValue::Function(symbol, frame)],
            SymbolKind::Variable
            | SymbolKind::Constant
            | SymbolKind::Field
            | SymbolKind::Property => {
                if self.family == LanguageFamily::Go {
                    return self.variable_value(symbol);
                }
                let worth = self.symbol_values.get(&symbol).cloned().unwrap_or_default();
                match self.facts.symbols[symbol as usize].ty.clone() {
                    Some(ty) if !worth.iter().any(PossibleValue::is_known) => {
                        let declared = self.instance_of(&ty, Some(symbol));
                        prefer_known(worth, declared)
                    }
                    _ => worth,
                }
            }
            // A variant is a value of its type, and a function that makes one.
            SymbolKind::Variant => {
                let of = self.facts.symbols[symbol as usize].parent;
                of.map(|of| vec![PossibleValue::Instance(of)]).unwrap_or_default()
            }
            SymbolKind::Type if self.has_flag(symbol, SymbolFlags::DISTINCT_TYPE) => {
                vec![PossibleValue::Class(symbol)]
            }
            SymbolKind::Type => self.alias_target(symbol),
            SymbolKind::Impl => {
                self.self_type(symbol).map(PossibleValue::Class).into_iter().collect()
            }
            _ => vec![PossibleValue::Class(symbol)],
        }
    }

    /// The receiver of the function around.
    pub(super) fn this_value(&mut self, frame: u32, owner: SymbolOwner) -> AbstractValue {
        // In the body of a class the receiver is what is being made.
        if let Some(class) = owner.and_then(|owner| self.enclosing_class_body(owner))
            && self.enclosing_functions[class as usize] == self.frames[frame as usize].function
        {
            return vec![PossibleValue::Instance(class)];
        }
        let mut at = Some(frame);
        while let Some(id) = at {
            let here = &self.frames[id as usize];
            match here.function {
                Some(function) if self.has_flag(function, SymbolFlags::ARROW) => at = here.parent,
                _ => return here.this.clone(),
            }
        }
        Vec::new()
    }

    fn super_value(&mut self, frame: u32, owner: SymbolOwner) -> AbstractValue {
        let class = owner.and_then(|owner| self.enclosing_class(owner));
        let Some(class) = class else { return Vec::new() };
        let mut this = self.this_value(frame, owner);
        if this.is_empty()
            && let Some(first) = self.first_param(frame)
        {
            this = first;
        }
        if this.is_empty() {
            this = vec![PossibleValue::Instance(class)];
        }
        this.into_iter().map(|this| PossibleValue::Super(class, Rc::new(this))).collect()
    }

    fn eval_items(
        &mut self,
        kind: LiteralKind,
        items: &[LiteralItem],
        frame: u32,
        owner: SymbolOwner,
    ) -> PossibleValue {
        let kind = match kind {
            LiteralKind::Dict => ObjectKind::Dict,
            LiteralKind::Object => ObjectKind::Plain,
            _ => ObjectKind::List,
        };
        let made = self.alloc_object(HeapObject { kind, ..HeapObject::default() });
        let PossibleValue::Object(id) = made else { return made };
        for (at, item) in items.iter().enumerate() {
            let value = self.eval(&item.value, frame, owner);
            if item.spread {
                self.spread_into(id, &value, owner);
            } else if let Some(key) = &item.key {
                let keys = self.eval(key, frame, owner);
                self.put_at_key(id, &keys, value);
            } else {
                self.put_at_key(
                    id,
                    &[PossibleValue::Number(i64::try_from(at).unwrap_or(0))],
                    value,
                );
            }
        }
        made
    }

    /// Takes in all that some values hold.
    pub(super) fn spread_into(&mut self, id: u32, from: &[PossibleValue], owner: SymbolOwner) {
        for atom in from {
            match atom {
                PossibleValue::Object(other)
                    if self.objects[*other as usize].kind == ObjectKind::List =>
                {
                    let start = self.objects[id as usize].fields.len();
                    let held = self.objects[*other as usize].fields.clone();
                    for (at, cell) in held.values().enumerate() {
                        let key = PossibleValue::Number(i64::try_from(start + at).unwrap_or(0));
                        let value = cell.read(&self.active_blocks);
                        self.put_at_key(id, &[key], value);
                    }
                    let others =
                        self.objects[*other as usize].unknown_keys.read(&self.active_blocks);
                    self.objects[id as usize].unknown_keys.add(others);
                }
                PossibleValue::Object(other) => {
                    let held = self.objects[*other as usize].fields.clone();
                    for (key, cell) in held {
                        let value = cell.read(&self.active_blocks);
                        self.put_at_key(id, &[PossibleValue::Text(key.into())], value);
                    }
                    let others =
                        self.objects[*other as usize].unknown_keys.read(&self.active_blocks);
                    self.objects[id as usize].unknown_keys.add(others);
                }
                other => {
                    let each = self.elements_of(std::slice::from_ref(other), owner);
                    self.objects[id as usize].unknown_keys.add(each);
                }
            }
        }
    }

    /// One of the elements of some values.
    pub(super) fn elements_of(
        &mut self,
        many: &[PossibleValue],
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for atom in many {
            let value = match atom {
                PossibleValue::Collection(inner) => inner.to_vec(),
                PossibleValue::External(term) => {
                    self.external_step(term, ExternalStep::Each).into_iter().collect()
                }
                PossibleValue::Object(_)
                | PossibleValue::Instance(_)
                | PossibleValue::Function(..)
                | PossibleValue::BoundMethod(_)
                    if self.family == LanguageFamily::Go =>
                {
                    self.range_element(atom, owner)
                }
                PossibleValue::Object(id) => self.object_elements(*id, owner),
                // Rust's `?` and patterns look into what is not wrapped here.
                PossibleValue::Instance(_) if self.family == LanguageFamily::Rust => {
                    vec![atom.clone()]
                }
                PossibleValue::Instance(class) => {
                    let class = *class;
                    self.iterate(&PossibleValue::Instance(class), class, owner)
                }
                _ => Vec::new(),
            };
            join(&mut all, value);
        }
        all
    }

    fn object_elements(&mut self, id: u32, owner: SymbolOwner) -> AbstractValue {
        let object = &self.objects[id as usize];
        if let Some(class) = object.class {
            return self.iterate(&PossibleValue::Object(id), class, owner);
        }
        if object.kind == ObjectKind::Dict && self.family == LanguageFamily::Python {
            return object.fields.keys().map(|key| key_value(key)).collect();
        }
        self.object_values(id)
    }

    /// Everything an object holds.
    pub(super) fn object_values(&self, id: u32) -> AbstractValue {
        let object = &self.objects[id as usize];
        let mut all = object.unknown_keys.read(&self.active_blocks);
        for cell in object.fields.values() {
            join(&mut all, cell.read(&self.active_blocks));
        }
        all
    }

    /// Iterating over an instance calls what its class says.
    fn iterate(&mut self, object: &PossibleValue, class: u32, owner: SymbolOwner) -> AbstractValue {
        let call = |machine: &mut Self, on: &[PossibleValue], name: &str| {
            let found = machine.get_all(on, name, owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            machine.call_value(&known, &[], CallOrigin::implicit(owner))
        };
        if self.family != LanguageFamily::Python {
            return Vec::new();
        }
        let start = std::slice::from_ref(object);
        if self.member_symbols(class, "__iter__").is_empty() {
            let found = self.get_all(start, "__getitem__", owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            return self.call_value(&known, &[], CallOrigin::implicit(owner));
        }
        let over = call(self, start, "__iter__");
        let is_own = |atom: &PossibleValue| {
            matches!(atom, PossibleValue::Object(id) if self.objects[*id as usize].class.is_some())
                || matches!(atom, PossibleValue::Instance(_))
        };
        let (own, rest): (AbstractValue, AbstractValue) = over.into_iter().partition(is_own);
        let mut all = call(self, &own, "__next__");
        let rest = self.elements_of(&rest, owner);
        join(&mut all, rest);
        all
    }

    /// What is under a key.
    pub(super) fn index(
        &mut self,
        object: &[PossibleValue],
        keys: &[PossibleValue],
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for atom in object {
            let value = match atom {
                PossibleValue::Object(id) if self.objects[*id as usize].class.is_none() => {
                    self.read_keys(*id, keys)
                }
                PossibleValue::Collection(inner) => inner.to_vec(),
                PossibleValue::External(term) => {
                    let op = match keys {
                        [PossibleValue::Text(key)] => ExternalStep::Get(key.to_string()),
                        [PossibleValue::Number(at)] if self.family == LanguageFamily::Go => {
                            ExternalStep::Get(format!("#{at}"))
                        }
                        _ => ExternalStep::Each,
                    };
                    self.external_step(term, op).into_iter().collect()
                }
                other => self.index_instance(other, keys, owner),
            };
            join(&mut all, value);
        }
        all
    }

    fn index_instance(
        &mut self,
        object: &PossibleValue,
        keys: &[PossibleValue],
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for key in keys {
            if let PossibleValue::Text(key) = key
                && self.family == LanguageFamily::JavaScript
            {
                let key = key.to_string();
                join(&mut all, self.get(object, &key, owner));
            }
        }
        if self.family == LanguageFamily::Python
            && matches!(object, PossibleValue::Object(_) | PossibleValue::Instance(_))
        {
            let found = self.get(object, "__getitem__", owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            join(&mut all, self.call_value(&known, &[], CallOrigin::implicit(owner)));
        }
        all
    }

    fn read_keys(&self, id: u32, keys: &[PossibleValue]) -> AbstractValue {
        let object = &self.objects[id as usize];
        let mut all = Vec::new();
        for key in keys {
            if let Some(key) = key_text(key)
                && let Some(cell) = object.fields.get(&self.key_name(object.kind, &key))
            {
                join(&mut all, cell.read(&self.active_blocks));
            }
        }
        if keys.iter().all(|key| key_text(key).is_none()) {
            return self.object_values(id);
        }
        join(&mut all, object.unknown_keys.read(&self.active_blocks));
        all
    }

    /// Puts a value under a key of an object.
    pub(super) fn put_at_key(&mut self, id: u32, keys: &[PossibleValue], value: AbstractValue) {
        let value = self.budget.charge_value(value);
        let kind = self.objects[id as usize].kind;
        let known: Vec<String> = keys.iter().filter_map(key_text).collect();
        let active = self.active_blocks.clone();
        match known.as_slice() {
            [] => self.objects[id as usize].unknown_keys.add(value),
            // A list that is added to itself in a loop doubles with each turn.
            _ if self.objects[id as usize].fields.len() >= MAX_FIELDS => {
                self.objects[id as usize].unknown_keys.add(value);
            }
            [key] => {
                let key = self.key_name(kind, key);
                self.objects[id as usize].fields.entry(key).or_default().write(value, &active);
            }
            several => {
                for key in several {
                    let key = self.key_name(kind, key);
                    self.objects[id as usize].fields.entry(key).or_default().add(value.clone());
                }
            }
        }
    }

    /// How a key is kept: in JavaScript numbers are texts.
    fn key_name(&self, kind: ObjectKind, key: &str) -> String {
        match (self.family, kind) {
            (LanguageFamily::JavaScript, _) | (_, ObjectKind::List) => {
                key.trim_start_matches('#').to_owned()
            }
            _ => key.to_owned(),
        }
    }
}

/// A text as a value; keys of dictionaries that were numbers are marked.
fn key_value(key: &str) -> PossibleValue {
    match key.strip_prefix('#').and_then(|number| number.parse().ok()) {
        Some(number) => PossibleValue::Number(number),
        None => PossibleValue::Text(key.into()),
    }
}

/// A key as text, numbers marked.
fn key_text(key: &PossibleValue) -> Option<String> {
    match key {
        PossibleValue::Text(text) => Some(text.to_string()),
        PossibleValue::Number(number) => Some(format!("#{number}")),
        _ => None,
    }
}

/// What is known to happen, else what is declared, else what little there is.
pub(super) fn prefer_known(value: AbstractValue, declared: AbstractValue) -> AbstractValue {
    if value.iter().any(PossibleValue::is_known) || declared.is_empty() {
        return value;
    }
    let mut all = declared;
    join(&mut all, value.into_iter().filter(|atom| matches!(atom, PossibleValue::Param(..))));
    all
}

/// What is declared, and the functions that are held: of these a type says nothing.
pub(super) fn declared_with_functions(
    declared: AbstractValue,
    held: AbstractValue,
) -> AbstractValue {
    if declared.is_empty() {
        return held;
    }
    let mut all = declared;
    let is_kept =
        |atom: &PossibleValue| atom.is_function() || matches!(atom, PossibleValue::Param(..));
    join(&mut all, held.into_iter().filter(is_kept));
    all
}

/// A global name as a value.
pub(super) fn global_value(name: &str) -> PossibleValue {
    PossibleValue::external(ExternalBase::Global(name.to_owned()))
}
