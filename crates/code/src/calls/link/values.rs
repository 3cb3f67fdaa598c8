//! Evaluates references to other files.

use std::rc::Rc;

use base::{RepoPath, Result};
use syntax::{CallModel, Language};

use super::super::interpreter::{ELEMENT_MEMBER, MODULE_NAME, RESULT_MEMBER};
use super::super::summary::{ShapeKind, SymbolShape};
use super::super::value::{ExportedValue, ExternalRef, ExternalStep};
use super::{CallArgs, Linker, MAX_LINK_DEPTH, is_go, is_javascript, is_python};

/// Methods that return the content of a wrapper.
const UNWRAP_METHODS: [&str; 16] = [
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "pop",
    "shift",
    "at",
    "popleft",
    "borrow",
    "borrow_mut",
    "lock",
    "read",
    "write",
    "or_insert",
    "get",
];

/// A value of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileValue {
    pub file: RepoPath,
    pub out: ExportedValue,
}

impl Linker<'_> {
    /// The values of a reference.
    pub(super) fn resolve_ref(
        &mut self,
        file: &RepoPath,
        term: &ExternalRef,
    ) -> Result<Vec<FileValue>> {
        if self.lookups_left == 0 || self.depth == MAX_LINK_DEPTH {
            self.abandoned_lookups += 1;
            return Ok(Vec::new());
        }
        self.lookups_left -= 1;
        self.depth += 1;
        let values = self.follow_ref(file, term);
        self.depth -= 1;
        values
    }

    fn follow_ref(&mut self, file: &RepoPath, term: &ExternalRef) -> Result<Vec<FileValue>> {
        let (mut values, done) = self.resolve_base(file, term)?;
        let mut ops = term.ops[done..].iter().peekable();
        let mut receivers = Vec::new();
        while let Some(op) = ops.next() {
            let mut next = Vec::new();
            // A method of a wrapper that is called at once.
            let held = match (op, ops.peek()) {
                (ExternalStep::Get(name), Some(ExternalStep::Call(_))) => Some(name.as_str()),
                _ => None,
            };
            let mut opened = false;
            let is_type = matches!(ops.peek(), Some(ExternalStep::Inst));
            for value in &values {
                if let (ExternalStep::Get(name), true) = (op, is_type)
                    && let Some(types) = self.member_type(value, name)?
                {
                    extend_unique(&mut next, types);
                } else if let (ExportedValue::Many(inner), Some(name)) = (&value.out, held) {
                    opened = true;
                    if UNWRAP_METHODS.contains(&name) {
                        for out in inner.clone() {
                            extend_unique(&mut next, self.dereference(value.with_value(out))?);
                        }
                    } else {
                        extend_unique(&mut next, vec![value.clone()]);
                    }
                } else {
                    let mut after = self.apply_step(value, op, file)?;
                    if let ExternalStep::Call(_) = op {
                        keep_receiver(value, &receivers, &mut after);
                    }
                    extend_unique(&mut next, after);
                }
            }
            if opened {
                ops.next();
            }
            receivers = std::mem::replace(&mut values, next);
            if values.is_empty() {
                break;
            }
        }
        Ok(values)
    }

    fn apply_step(
        &mut self,
        value: &FileValue,
        op: &ExternalStep,
        file: &RepoPath,
    ) -> Result<Vec<FileValue>> {
        match op {
            ExternalStep::Get(name) => self.member_value(value, name),
            ExternalStep::Call(args) => {
                self.call(value, &CallArgs { file: file.clone(), values: args.clone() })
            }
            ExternalStep::Inst => self.instantiate(value),
            ExternalStep::Each => self.elements(value),
        }
    }

    /// Replaces references in a value by what they mean.
    pub(super) fn dereference(&mut self, value: FileValue) -> Result<Vec<FileValue>> {
        match &value.out {
            ExportedValue::Ext(term) => self.resolve_ref(&value.file, term),
            ExportedValue::Sym(path) => {
                let path = path.clone();
                self.dereference_symbol(value, &path)
            }
            _ => Ok(vec![value]),
        }
    }

    /// Replaces constants and variables by their values.
    fn dereference_symbol(&mut self, value: FileValue, path: &str) -> Result<Vec<FileValue>> {
        let shape = self.shape(&value.file, path)?;
        match shape {
            Some(shape) if shape.kind == ShapeKind::Value => {
                if self.lookups_left == 0 || self.depth == MAX_LINK_DEPTH {
                    self.abandoned_lookups += 1;
                    return Ok(vec![value]);
                }
                self.lookups_left -= 1;
                self.depth += 1;
                let mut all = Vec::new();
                for out in shape.returns.iter().filter(|out| **out != value.out) {
                    extend_unique(&mut all, self.dereference(value.with_value(out.clone()))?);
                }
                self.depth -= 1;
                Ok(all)
            }
            _ => Ok(vec![value]),
        }
    }

    /// The shape of a symbol.
    pub(super) fn shape(&mut self, file: &RepoPath, path: &str) -> Result<Option<Rc<SymbolShape>>> {
        if path.is_empty() {
            return Ok(None);
        }
        self.depend_on_symbol(file, path);
        let face = self.source.exports(file)?;
        Ok(face.and_then(|face| face.shapes.get(path).map(Rc::clone)))
    }

    /// A member of a value.
    pub(super) fn member_value(&mut self, value: &FileValue, name: &str) -> Result<Vec<FileValue>> {
        if let Some((place, inner)) = callback_positions(name) {
            let mut all = Vec::new();
            for function in self.member_value(value, &format!("({place})"))? {
                extend_unique(&mut all, self.member_value(&function, &format!("({inner})"))?);
            }
            return Ok(all);
        }
        match &value.out {
            ExportedValue::Sym(path) if path.is_empty() => {
                let found = self.lookup(&value.file, "", name)?;
                if !found.is_empty() || name == MODULE_NAME {
                    return Ok(found);
                }
                let mut all = Vec::new();
                for whole in self.whole_module(value)? {
                    extend_unique(&mut all, self.member_value(&whole, name)?);
                }
                Ok(all)
            }
            ExportedValue::Sym(path) => {
                match self.shape(&value.file, path)?.map(|shape| shape.kind) {
                    Some(ShapeKind::Module) if is_javascript(&value.file) => {
                        self.class_member(&value.file, path, name)
                    }
                    Some(ShapeKind::Module) => self.lookup(&value.file, path, name),
                    Some(ShapeKind::Class) => self.class_member(&value.file, path, name),
                    Some(ShapeKind::Function)
                        if name.starts_with('(') || is_javascript(&value.file) =>
                    {
                        self.class_member(&value.file, path, name)
                    }
                    _ => Ok(Vec::new()),
                }
            }
            ExportedValue::New(path) => {
                let found = self.class_member(&value.file, path, name)?;
                self.read_properties(found)
            }
            ExportedValue::Obj(fields) => {
                let found = fields.iter().find(|(key, _)| key == name);
                let mut all = Vec::new();
                for out in found.map(|(_, outs)| outs.clone()).unwrap_or_default() {
                    extend_unique(&mut all, self.dereference(value.with_value(out))?);
                }
                Ok(all)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a CommonJS module is as a whole; nothing for any other module or value.
    pub(super) fn whole_module(&mut self, value: &FileValue) -> Result<Vec<FileValue>> {
        let is_module = value.out == ExportedValue::Sym(String::new());
        if !is_module || !is_javascript(&value.file) {
            return Ok(Vec::new());
        }
        let found = self.lookup(&value.file, "", MODULE_NAME)?;
        Ok(found.into_iter().filter(|one| one != value).collect())
    }

    /// Replaces getters by their results.
    fn read_properties(&mut self, found: Vec<FileValue>) -> Result<Vec<FileValue>> {
        let mut all = Vec::new();
        for one in found {
            let getter = match &one.out {
                ExportedValue::Sym(path) => {
                    let shape = self.shape(&one.file, path)?;
                    shape.filter(|shape| shape.kind == ShapeKind::Getter)
                }
                _ => None,
            };
            match getter {
                None => extend_unique(&mut all, vec![one]),
                Some(shape) => {
                    for out in shape.returns.clone() {
                        extend_unique(&mut all, self.dereference(one.with_value(out))?);
                    }
                }
            }
        }
        Ok(all)
    }

    /// A member of a class, its own or inherited.
    pub(super) fn class_member(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        if self.lookups_left == 0 {
            self.abandoned_lookups += 1;
            return Ok(Vec::new());
        }
        self.lookups_left -= 1;
        let Some(shape) = self.shape(file, class)? else { return Ok(Vec::new()) };
        let here = |out: ExportedValue| FileValue { file: file.clone(), out };
        if let Some(own) = shape.members.get(name) {
            let mut all = Vec::new();
            for out in own.clone() {
                extend_unique(&mut all, self.dereference(here(out))?);
            }
            if !all.is_empty() {
                return Ok(all);
            }
        }
        let elsewhere = match is_go(file) {
            true => self.method_in_package(file, class, name)?,
            false => self.impl_member(file, class, name)?,
        };
        if !elsewhere.is_empty() {
            return Ok(elsewhere);
        }
        for base in shape.bases.clone() {
            for base in self.dereference(here(base))? {
                if let ExportedValue::Sym(path) | ExportedValue::New(path) = &base.out {
                    let found = self.class_member(&base.file, path, name)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
            }
        }
        let mut all = Vec::new();
        for like in self.underlying_values(file, &shape)? {
            extend_unique(&mut all, self.member_value(&like, name)?);
        }
        Ok(all)
    }

    /// The underlying type of a Go type that is neither a struct nor an interface.
    fn underlying_values(
        &mut self,
        file: &RepoPath,
        shape: &SymbolShape,
    ) -> Result<Vec<FileValue>> {
        let mut all = Vec::new();
        if shape.kind == ShapeKind::Class && is_go(file) {
            for out in shape.returns.clone() {
                extend_unique(&mut all, self.dereference(FileValue { file: file.clone(), out })?);
            }
        }
        Ok(all)
    }

    /// The result of calling a value.
    fn call(&mut self, value: &FileValue, args: &CallArgs) -> Result<Vec<FileValue>> {
        let path = match &value.out {
            ExportedValue::Sym(path) => path,
            // A variant is a value of its type, and a function that returns one.
            ExportedValue::New(_) if CallModel::of_file(&value.file) == Some(CallModel::Rust) => {
                return Ok(vec![value.clone()]);
            }
            ExportedValue::New(path) if is_go(&value.file) => {
                let Some(shape) = self.shape(&value.file, path)? else { return Ok(Vec::new()) };
                let mut all = Vec::new();
                for like in self.underlying_values(&value.file, &shape)? {
                    extend_unique(&mut all, self.call(&like, args)?);
                }
                return Ok(all);
            }
            // A callable object, or a protocol that says what a function returns.
            ExportedValue::New(_) if is_python(&value.file) => {
                let mut all = Vec::new();
                for method in self.member_value(value, "__call__")? {
                    extend_unique(&mut all, self.call(&method, args)?);
                }
                return Ok(all);
            }
            ExportedValue::Obj(_) => return self.member_value(value, RESULT_MEMBER),
            _ => return Ok(Vec::new()),
        };
        let Some(shape) = self.shape(&value.file, path)? else {
            let mut all = Vec::new();
            for whole in self.whole_module(value)? {
                extend_unique(&mut all, self.call(&whole, args)?);
            }
            return Ok(all);
        };
        match shape.kind {
            ShapeKind::Class => Ok(vec![value.with_value(ExportedValue::New(path.clone()))]),
            ShapeKind::Function | ShapeKind::Getter => {
                let mut all = Vec::new();
                for out in shape.returns.clone() {
                    match out {
                        ExportedValue::Param(param) => {
                            for given in args.arg(param).to_vec() {
                                let given = FileValue { file: args.file.clone(), out: given };
                                extend_unique(&mut all, self.dereference(given)?);
                            }
                        }
                        out => extend_unique(&mut all, self.dereference(value.with_value(out))?),
                    }
                }
                // A constructor function makes what inherits from its prototype.
                let has_members = shape.members.keys().any(|name| !name.starts_with('('));
                if all.is_empty() && has_members && is_javascript(&value.file) {
                    all.push(value.with_value(ExportedValue::New(path.clone())));
                }
                Ok(all)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// An instance of the class that a value names.
    fn instantiate(&mut self, value: &FileValue) -> Result<Vec<FileValue>> {
        let whole = self.whole_module(value)?;
        if !whole.is_empty() {
            let mut all = Vec::new();
            for one in whole {
                extend_unique(&mut all, self.instantiate(&one)?);
            }
            return Ok(all);
        }
        Ok(match &value.out {
            ExportedValue::Sym(path) => {
                match self.shape(&value.file, path)?.map(|shape| shape.kind) {
                    Some(ShapeKind::Class) => {
                        vec![value.with_value(ExportedValue::New(path.clone()))]
                    }
                    // A mixed-in module provides its members.
                    Some(ShapeKind::Module) if has_mixins(&value.file) => {
                        vec![value.with_value(ExportedValue::New(path.clone()))]
                    }
                    _ => Vec::new(),
                }
            }
            ExportedValue::New(_) | ExportedValue::Many(_) => vec![value.clone()],
            // A function type has no instances of its own; its members are its parameters.
            ExportedValue::Obj(fields)
                if fields.iter().any(|(name, _)| name.starts_with(['(', '#'])) =>
            {
                vec![value.clone()]
            }
            _ => Vec::new(),
        })
    }

    /// An element of a value.
    fn elements(&mut self, value: &FileValue) -> Result<Vec<FileValue>> {
        let inner: Vec<ExportedValue> = match &value.out {
            ExportedValue::Many(inner) => inner.clone(),
            ExportedValue::Obj(fields) if fields.iter().any(|(name, _)| name == ELEMENT_MEMBER) => {
                return self.member_value(value, ELEMENT_MEMBER);
            }
            ExportedValue::New(path) if is_go(&value.file) => {
                let Some(shape) = self.shape(&value.file, path)? else { return Ok(Vec::new()) };
                let mut all = Vec::new();
                for like in self.underlying_values(&value.file, &shape)? {
                    extend_unique(&mut all, self.elements(&like)?);
                }
                return Ok(all);
            }
            // A generic function with type arguments.
            ExportedValue::Sym(_) if is_go(&value.file) => return Ok(vec![value.clone()]),
            // A generic class with type arguments.
            ExportedValue::Sym(path) if is_python(&value.file) => {
                let shape = self.shape(&value.file, path)?;
                let is_class = shape.is_some_and(|shape| shape.kind == ShapeKind::Class);
                return Ok(if is_class { vec![value.clone()] } else { Vec::new() });
            }
            ExportedValue::Obj(fields) => {
                fields.iter().flat_map(|(_, outs)| outs.clone()).collect()
            }
            // A Rust value that is not modelled as wrapped is its own content.
            ExportedValue::New(_) if CallModel::of_file(&value.file) == Some(CallModel::Rust) => {
                vec![value.out.clone()]
            }
            _ => Vec::new(),
        };
        let mut all = Vec::new();
        for out in inner {
            extend_unique(&mut all, self.dereference(value.with_value(out))?);
        }
        Ok(all)
    }
}

/// Replaces an instance of the class of a Python method by the receiver of the call: a method that
/// returns its receiver returns an instance of the subclass that it was called on.
fn keep_receiver(method: &FileValue, receivers: &[FileValue], results: &mut [FileValue]) {
    let ExportedValue::Sym(path) = &method.out else { return };
    let Some((class, _)) = path.rsplit_once('.') else { return };
    let is_instance = |one: &&FileValue| matches!(one.out, ExportedValue::New(_));
    let mut known = receivers.iter().filter(is_instance);
    let (Some(receiver), None) = (known.next(), known.next()) else { return };
    if !is_python(&method.file) {
        return;
    }
    for result in results {
        if result.file == method.file && result.out == ExportedValue::New(class.to_owned()) {
            *result = receiver.clone();
        }
    }
}

/// The two positions in `(1,0)`: that of the callback, and that of its parameter.
fn callback_positions(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('(')?.strip_suffix(')')?.split_once(',')
}

impl FileValue {
    /// A value of the same file.
    pub(super) fn with_value(&self, out: ExportedValue) -> Self {
        Self { file: self.file.clone(), out }
    }
}

pub(super) fn extend_unique(all: &mut Vec<FileValue>, more: Vec<FileValue>) {
    for one in more {
        if all.len() < 16 && !all.contains(&one) {
            all.push(one);
        }
    }
}

/// Whether a module of the file's language can be mixed into a class.
fn has_mixins(file: &RepoPath) -> bool {
    Language::from_path(file).is_some_and(|language| language.semantics().has_mixins)
}
