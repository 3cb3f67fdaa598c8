//! Following values from file to file.

use std::rc::Rc;

use base::{RepoPath, Result};
use syntax::Language;

use super::super::machine::{ELEMENT, RESULT};
use super::super::summary::{Shape, ShapeKind};
use super::super::value::{Op, Out, Term};
use super::{Args, DEEPEST, Linker, is_go};

/// Methods that look into what may hold something.
const OPENERS: [&str; 16] = [
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
pub(crate) struct Found {
    pub file: RepoPath,
    pub out: Out,
}

impl Linker<'_> {
    /// What a term comes to.
    pub(super) fn term(&mut self, file: &RepoPath, term: &Term) -> Result<Vec<Found>> {
        if self.fuel == 0 || self.depth == DEEPEST {
            self.gave_up += 1;
            return Ok(Vec::new());
        }
        self.fuel -= 1;
        self.depth += 1;
        let values = self.followed(file, term);
        self.depth -= 1;
        values
    }

    fn followed(&mut self, file: &RepoPath, term: &Term) -> Result<Vec<Found>> {
        let (mut values, done) = self.base(file, term)?;
        let mut ops = term.ops[done..].iter().peekable();
        while let Some(op) = ops.next() {
            let mut next = Vec::new();
            // A method of something that holds others, called at once.
            let held = match (op, ops.peek()) {
                (Op::Get(name), Some(Op::Call(_))) => Some(name.as_str()),
                _ => None,
            };
            let mut opened = false;
            for value in &values {
                if let (Out::Many(inner), Some(name)) = (&value.out, held) {
                    opened = true;
                    if OPENERS.contains(&name) {
                        for out in inner.clone() {
                            add(&mut next, self.settle(value.with(out))?);
                        }
                    } else {
                        add(&mut next, vec![value.clone()]);
                    }
                } else {
                    let after = self.op(value, op, file)?;
                    add(&mut next, after);
                }
            }
            if opened {
                ops.next();
            }
            values = next;
            if values.is_empty() {
                break;
            }
        }
        Ok(values)
    }

    fn op(&mut self, value: &Found, op: &Op, file: &RepoPath) -> Result<Vec<Found>> {
        match op {
            Op::Get(name) => self.get(value, name),
            Op::Call(args) => self.call(value, &Args { file: file.clone(), values: args.clone() }),
            Op::Inst => self.instance(value),
            Op::Each => self.each(value),
        }
    }

    /// A value with what it stands for put in its place.
    pub(super) fn settle(&mut self, value: Found) -> Result<Vec<Found>> {
        match &value.out {
            Out::Ext(term) => self.term(&value.file, term),
            Out::Sym(path) => {
                let path = path.clone();
                self.settle_symbol(value, &path)
            }
            _ => Ok(vec![value]),
        }
    }

    /// Constants and variables are what they are worth.
    fn settle_symbol(&mut self, value: Found, path: &str) -> Result<Vec<Found>> {
        let shape = self.shape(&value.file, path)?;
        match shape {
            Some(shape) if shape.kind == ShapeKind::Value => {
                if self.fuel == 0 || self.depth == DEEPEST {
                    self.gave_up += 1;
                    return Ok(vec![value]);
                }
                self.fuel -= 1;
                self.depth += 1;
                let mut all = Vec::new();
                for out in shape.returns.iter().filter(|out| **out != value.out) {
                    add(&mut all, self.settle(value.with(out.clone()))?);
                }
                self.depth -= 1;
                Ok(all)
            }
            _ => Ok(vec![value]),
        }
    }

    /// What is behind a symbol.
    pub(super) fn shape(&mut self, file: &RepoPath, path: &str) -> Result<Option<Rc<Shape>>> {
        if path.is_empty() {
            return Ok(None);
        }
        self.rest_on(file, path);
        let face = self.world.face(file)?;
        Ok(face.and_then(|face| face.shapes.get(path).map(Rc::clone)))
    }

    /// A member of a value.
    pub(super) fn get(&mut self, value: &Found, name: &str) -> Result<Vec<Found>> {
        if let Some((place, inner)) = callback(name) {
            let mut all = Vec::new();
            for function in self.get(value, &format!("({place})"))? {
                add(&mut all, self.get(&function, &format!("({inner})"))?);
            }
            return Ok(all);
        }
        match &value.out {
            Out::Sym(path) if path.is_empty() => self.lookup(&value.file, "", name),
            Out::Sym(path) => match self.shape(&value.file, path)?.map(|shape| shape.kind) {
                Some(ShapeKind::Module) => self.lookup(&value.file, path, name),
                Some(ShapeKind::Class) => self.member(&value.file, path, name),
                Some(ShapeKind::Function) if name.starts_with('(') => {
                    self.member(&value.file, path, name)
                }
                _ => Ok(Vec::new()),
            },
            Out::New(path) => {
                let found = self.member(&value.file, path, name)?;
                self.read_properties(found)
            }
            Out::Obj(fields) => {
                let found = fields.iter().find(|(key, _)| key == name);
                let mut all = Vec::new();
                for out in found.map(|(_, outs)| outs.clone()).unwrap_or_default() {
                    add(&mut all, self.settle(value.with(out))?);
                }
                Ok(all)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Members that run when they are read are what they give.
    fn read_properties(&mut self, found: Vec<Found>) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for one in found {
            let getter = match &one.out {
                Out::Sym(path) => {
                    let shape = self.shape(&one.file, path)?;
                    shape.filter(|shape| shape.kind == ShapeKind::Getter)
                }
                _ => None,
            };
            match getter {
                None => add(&mut all, vec![one]),
                Some(shape) => {
                    for out in shape.returns.clone() {
                        add(&mut all, self.settle(one.with(out))?);
                    }
                }
            }
        }
        Ok(all)
    }

    /// A member of a class, its own or inherited.
    pub(super) fn member(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<Found>> {
        if self.fuel == 0 {
            self.gave_up += 1;
            return Ok(Vec::new());
        }
        self.fuel -= 1;
        let Some(shape) = self.shape(file, class)? else { return Ok(Vec::new()) };
        let here = |out: Out| Found { file: file.clone(), out };
        if let Some(own) = shape.members.get(name) {
            let mut all = Vec::new();
            for out in own.clone() {
                add(&mut all, self.settle(here(out))?);
            }
            if !all.is_empty() {
                return Ok(all);
            }
        }
        let elsewhere = match Language::of(file) {
            Some(Language::Go) => self.beside(file, class, name)?,
            _ => self.implemented(file, class, name)?,
        };
        if !elsewhere.is_empty() {
            return Ok(elsewhere);
        }
        for base in shape.bases.clone() {
            for base in self.settle(here(base))? {
                if let Out::Sym(path) | Out::New(path) = &base.out {
                    let found = self.member(&base.file, path, name)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
            }
        }
        let mut all = Vec::new();
        for like in self.made_like(file, &shape)? {
            add(&mut all, self.get(&like, name)?);
        }
        Ok(all)
    }

    /// What values of a Go type are made like, where it is neither a structure nor an interface.
    fn made_like(&mut self, file: &RepoPath, shape: &Shape) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        if shape.kind == ShapeKind::Class && is_go(file) {
            for out in shape.returns.clone() {
                add(&mut all, self.settle(Found { file: file.clone(), out })?);
            }
        }
        Ok(all)
    }

    /// What calling a value gives.
    fn call(&mut self, value: &Found, args: &Args) -> Result<Vec<Found>> {
        let path = match &value.out {
            Out::Sym(path) => path,
            // A variant is a value of its type, and a function that makes one.
            Out::New(_) if Language::of(&value.file) == Some(Language::Rust) => {
                return Ok(vec![value.clone()]);
            }
            Out::New(path) if is_go(&value.file) => {
                let Some(shape) = self.shape(&value.file, path)? else { return Ok(Vec::new()) };
                let mut all = Vec::new();
                for like in self.made_like(&value.file, &shape)? {
                    add(&mut all, self.call(&like, args)?);
                }
                return Ok(all);
            }
            Out::Obj(_) => return self.get(value, RESULT),
            _ => return Ok(Vec::new()),
        };
        let Some(shape) = self.shape(&value.file, path)? else { return Ok(Vec::new()) };
        match shape.kind {
            ShapeKind::Class => Ok(vec![value.with(Out::New(path.clone()))]),
            ShapeKind::Function | ShapeKind::Getter => {
                let mut all = Vec::new();
                for out in shape.returns.clone() {
                    match out {
                        Out::Param(param) => {
                            for given in args.at(param).to_vec() {
                                let given = Found { file: args.file.clone(), out: given };
                                add(&mut all, self.settle(given)?);
                            }
                        }
                        out => add(&mut all, self.settle(value.with(out))?),
                    }
                }
                Ok(all)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// An instance of what a value names.
    fn instance(&mut self, value: &Found) -> Result<Vec<Found>> {
        Ok(match &value.out {
            Out::Sym(path) => match self.shape(&value.file, path)?.map(|shape| shape.kind) {
                Some(ShapeKind::Class) => vec![value.with(Out::New(path.clone()))],
                // What a class takes in has the members of the module.
                Some(ShapeKind::Module) if Language::of(&value.file) == Some(Language::Ruby) => {
                    vec![value.with(Out::New(path.clone()))]
                }
                _ => Vec::new(),
            },
            Out::New(_) | Out::Many(_) => vec![value.clone()],
            // A function type is what it is called with, and nothing is made of it.
            Out::Obj(fields) if fields.iter().any(|(name, _)| name.starts_with(['(', '#'])) => {
                vec![value.clone()]
            }
            _ => Vec::new(),
        })
    }

    /// An element of a value.
    fn each(&mut self, value: &Found) -> Result<Vec<Found>> {
        let inner: Vec<Out> = match &value.out {
            Out::Many(inner) => inner.clone(),
            Out::Obj(fields) if fields.iter().any(|(name, _)| name == ELEMENT) => {
                return self.get(value, ELEMENT);
            }
            Out::New(path) if is_go(&value.file) => {
                let Some(shape) = self.shape(&value.file, path)? else { return Ok(Vec::new()) };
                let mut all = Vec::new();
                for like in self.made_like(&value.file, &shape)? {
                    add(&mut all, self.each(&like)?);
                }
                return Ok(all);
            }
            // A function with its type arguments.
            Out::Sym(_) if is_go(&value.file) => return Ok(vec![value.clone()]),
            Out::Obj(fields) => fields.iter().flat_map(|(_, outs)| outs.clone()).collect(),
            // Rust looks through what is not wrapped.
            Out::New(_) if Language::of(&value.file) == Some(Language::Rust) => {
                vec![value.out.clone()]
            }
            _ => Vec::new(),
        };
        let mut all = Vec::new();
        for out in inner {
            add(&mut all, self.settle(value.with(out))?);
        }
        Ok(all)
    }
}

/// The places in `(1,0)`: of a callback among parameters, and of one of its own.
fn callback(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('(')?.strip_suffix(')')?.split_once(',')
}

impl Found {
    /// Another value of the same file.
    pub(super) fn with(&self, out: Out) -> Self {
        Self { file: self.file.clone(), out }
    }
}

pub(super) fn add(all: &mut Vec<Found>, more: Vec<Found>) {
    for one in more {
        if all.len() < 16 && !all.contains(&one) {
            all.push(one);
        }
    }
}
