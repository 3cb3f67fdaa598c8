//! What a value may be, while one file is interpreted and after.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// What a value may be: one of these. Nothing is known of an empty one.
pub(super) type Value = Vec<Atom>;

/// More alternatives than this are no longer told apart: what is added is dropped.
pub(super) const MOST_ATOMS: usize = 16;

/// A value that comes through more steps than this is no longer followed.
const MOST_OPS: usize = 6;

/// The same where types are declared, so that each step leads to one thing: builders are called in
/// long chains.
const MOST_OPS_DECLARED: usize = 40;

/// Arguments that hold more than this are forgotten: calls that are given what calls return would
/// double with each step.
const HEAVIEST: usize = 40;

/// One thing that a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// A function of this file, with the frame it was made in
    Fun(u32, u32),
    /// A class, or a namespace, of this file
    Class(u32),
    /// Some instance of a class of this file
    Inst(u32),
    /// An object that was made while the file ran
    Obj(u32),
    /// A function with its receiver
    Bound(Rc<(Atom, Atom)>),
    /// What comes after a class among the parents of a receiver
    Super(u32, Rc<Atom>),
    /// Many of something
    Many(Rc<Value>),
    /// A parameter of a function, by its place, that nobody gave a value yet
    Param(u32, u32),
    /// Something of another file
    Ext(Rc<Term>),
    /// A text
    Text(Rc<str>),
    /// A number
    Number(i64),
}

/// Something of another file: where it comes from and what was done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Term {
    /// Where it comes from
    pub base: Base,
    /// What was done with it, in order
    pub ops: Vec<Op>,
}

/// Where a value of another file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Base {
    /// A name of an import, by the key of the import; none for the module itself
    Import(String, Option<String>),
    /// A path from a module of this file, in languages whose modules are paths
    Scope(String, Vec<String>),
    /// A name that is declared elsewhere: in the same package, or in the language
    Global(String),
}

/// A step from one value to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Op {
    /// A member
    Get(String),
    /// What a call returns
    Call(Vec<Vec<Out>>),
    /// An instance
    Inst,
    /// An element
    Each,
}

/// A value as other files see it. Symbols are named by their path, which outlives edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Out {
    /// A function, class or module of the file
    Sym(String),
    /// An instance of a class of the file
    New(String),
    /// Something of another file
    Ext(Term),
    /// An argument of the call, by its place
    Param(u32),
    /// Many of something
    Many(Vec<Out>),
    /// An object with members
    Obj(Vec<(String, Vec<Out>)>),
    /// A text
    Text(String),
}

impl Term {
    /// The value after one more step; none when it was followed far enough.
    pub(super) fn then(&self, op: Op) -> Option<Self> {
        (self.ops.len() < MOST_OPS).then(|| self.and(op, HEAVIEST))
    }

    /// The same in a language whose types are declared.
    pub(super) fn then_declared(&self, op: Op) -> Option<Self> {
        let heaviest = if self.ops.len() < MOST_OPS { HEAVIEST } else { 0 };
        (self.ops.len() < MOST_OPS_DECLARED).then(|| self.and(op, heaviest))
    }

    fn and(&self, op: Op, heaviest: usize) -> Self {
        let mut next = self.clone();
        next.ops.push(match op {
            Op::Call(given) if weight(&given) > heaviest => Op::Call(Vec::new()),
            op => op,
        });
        next
    }

    /// How much it holds.
    pub(super) fn weight(&self) -> usize {
        let op = |op: &Op| match op {
            Op::Call(given) => 1 + weight(given),
            _ => 1,
        };
        1 + self.ops.iter().map(op).sum::<usize>()
    }
}

impl Out {
    fn weight(&self) -> usize {
        match self {
            Self::Ext(term) => term.weight(),
            Self::Many(inner) => 1 + inner.iter().map(Self::weight).sum::<usize>(),
            Self::Obj(fields) => {
                let of = |(_, values): &(String, Vec<Self>)| {
                    values.iter().map(Self::weight).sum::<usize>()
                };
                1 + fields.iter().map(of).sum::<usize>()
            }
            _ => 1,
        }
    }
}

/// How much the arguments of a call hold.
pub(super) fn weight(given: &[Vec<Out>]) -> usize {
    given.iter().flatten().map(Out::weight).sum()
}

impl Atom {
    /// A value of another file.
    pub(super) fn ext(base: Base) -> Self {
        Self::Ext(Rc::new(Term { base, ops: Vec::new() }))
    }

    /// Whether it can be called, or holds what can.
    pub(super) const fn is_live(&self) -> bool {
        matches!(self, Self::Fun(..) | Self::Class(_) | Self::Obj(_) | Self::Bound(_))
    }

    /// Whether it is surely known where calls on it lead.
    pub(super) const fn is_known(&self) -> bool {
        !matches!(self, Self::Ext(_) | Self::Param(..))
    }

    /// Whether it is a function, with its receiver or without.
    pub(super) const fn is_method(&self) -> bool {
        matches!(self, Self::Fun(..) | Self::Bound(_))
    }
}

/// Adds what is not there yet.
pub(super) fn join(into: &mut Value, more: impl IntoIterator<Item = Atom>) {
    for atom in more {
        if into.len() < MOST_ATOMS && !into.contains(&atom) {
            into.push(atom);
        }
    }
}

/// A place that holds a value. What a block writes hides, inside that block, what was there
/// before it, and joins it afterwards.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    before: Value,
    own: Option<(Block, Value)>,
}

/// A block of one run of a function.
pub(super) type Block = (u32, u32);

impl Cell {
    /// What it holds, seen from inside some blocks, outermost first.
    pub(super) fn read(&self, active: &[Block]) -> Value {
        match &self.own {
            Some((block, own)) if active.contains(block) => own.clone(),
            Some((_, own)) => {
                let mut all = self.before.clone();
                join(&mut all, own.iter().cloned());
                all
            }
            None => self.before.clone(),
        }
    }

    /// Gives it a value, inside some blocks.
    pub(super) fn write(&mut self, value: Value, active: &[Block]) {
        let Some(inner) = active.last() else {
            *self = Self { before: value, own: None };
            return;
        };
        match &mut self.own {
            Some((block, own)) if block == inner => *own = value,
            Some((block, own)) if active.contains(block) => join(own, value),
            other => {
                let own = other.take().map(|(_, own)| own).unwrap_or_default();
                join(&mut self.before, own);
                self.own = Some((*inner, value));
            }
        }
    }

    /// Adds to what it holds.
    pub(super) fn add(&mut self, value: Value) {
        match &mut self.own {
            Some((_, own)) => join(own, value),
            None => join(&mut self.before, value),
        }
    }
}
