//! What a value may be, while one file is interpreted and after.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::ids::{BlockId, FrameId, ObjectId, SymbolId};

/// What a value may be: one of these. Nothing is known of an empty one.
pub(super) type AbstractValue = Vec<PossibleValue>;

/// More alternatives than this are no longer told apart: what is added is dropped.
pub(super) const MAX_ALTERNATIVES: usize = 16;

/// A value that comes through more steps than this is no longer followed.
const MAX_STEPS: usize = 6;

/// The same where types are declared, so that each step leads to one thing: builders are called in
/// long chains.
const MAX_STEPS_DECLARED: usize = 40;

/// Arguments that hold more than this are forgotten: calls that are given what calls return would
/// double with each step.
const MAX_ARG_WEIGHT: usize = 40;

/// One thing that a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PossibleValue {
    /// A function of this file, with the frame it was made in
    Function(SymbolId, FrameId),
    /// A class, or a namespace, of this file
    Class(SymbolId),
    /// Some instance of a class of this file
    Instance(SymbolId),
    /// An object that was made while the file ran
    Object(ObjectId),
    /// A function with its receiver
    BoundMethod(Rc<(PossibleValue, PossibleValue)>),
    /// What comes after a class among the parents of a receiver
    Super(SymbolId, Rc<PossibleValue>),
    /// Many of something
    Collection(Rc<AbstractValue>),
    /// A parameter that no argument is bound to yet
    Param(ParamRef),
    /// Something of another file
    External(Rc<ExternalRef>),
    /// A text
    Text(Rc<str>),
    /// A number
    Number(i64),
}

/// A parameter of a function of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ParamRef {
    pub function: SymbolId,
    /// Counted from 0
    pub position: u32,
}

/// Something of another file: where it comes from and what was done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExternalRef {
    /// Where it comes from
    pub base: ExternalBase,
    /// What was done with it, in order
    pub ops: Vec<ExternalStep>,
}

/// Where a value of another file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExternalBase {
    /// A name of an import, by the key of the import; none for the module itself
    Import(String, Option<String>),
    /// A path from a module of this file, in languages whose modules are paths
    Scope(String, Vec<String>),
    /// A name that is declared elsewhere: in the same package, or in the language
    Global(String),
}

/// A step from one value to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExternalStep {
    /// A member
    Get(String),
    /// What a call returns
    Call(Vec<Vec<ExportedValue>>),
    /// An instance
    Inst,
    /// An element
    Each,
}

/// A value as other files see it. Symbols are named by their path, which outlives edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExportedValue {
    /// A function, class or module of the file
    Sym(String),
    /// An instance of a class of the file
    New(String),
    /// Something of another file
    Ext(ExternalRef),
    /// An argument of the call, by its place
    Param(u32),
    /// Many of something
    Many(Vec<ExportedValue>),
    /// An object with members
    Obj(Vec<(String, Vec<ExportedValue>)>),
    /// A text
    Text(String),
}

impl ExternalRef {
    /// The value after one more step; none when it was followed far enough.
    pub(super) fn then(&self, op: ExternalStep) -> Option<Self> {
        (self.ops.len() < MAX_STEPS).then(|| self.append_step(op, MAX_ARG_WEIGHT))
    }

    /// The same in a language whose types are declared.
    pub(super) fn then_declared(&self, op: ExternalStep) -> Option<Self> {
        let heaviest = if self.ops.len() < MAX_STEPS { MAX_ARG_WEIGHT } else { 0 };
        (self.ops.len() < MAX_STEPS_DECLARED).then(|| self.append_step(op, heaviest))
    }

    fn append_step(&self, op: ExternalStep, heaviest: usize) -> Self {
        let mut next = self.clone();
        next.ops.push(match op {
            ExternalStep::Call(given) if args_weight(&given) > heaviest => {
                ExternalStep::Call(Vec::new())
            }
            op => op,
        });
        next
    }

    /// How much it holds.
    pub(super) fn weight(&self) -> usize {
        let op = |op: &ExternalStep| match op {
            ExternalStep::Call(given) => 1 + args_weight(given),
            _ => 1,
        };
        1 + self.ops.iter().map(op).sum::<usize>()
    }
}

impl ExportedValue {
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
pub(super) fn args_weight(given: &[Vec<ExportedValue>]) -> usize {
    given.iter().flatten().map(ExportedValue::weight).sum()
}

impl PossibleValue {
    /// A value of another file.
    pub(super) fn external(base: ExternalBase) -> Self {
        Self::External(Rc::new(ExternalRef { base, ops: Vec::new() }))
    }

    /// Whether it can be called, or holds what can.
    pub(super) const fn may_hold_callable(&self) -> bool {
        matches!(self, Self::Function(..) | Self::Class(_) | Self::Object(_) | Self::BoundMethod(_))
    }

    /// Whether it is surely known where calls on it lead.
    pub(super) const fn is_known(&self) -> bool {
        !matches!(self, Self::External(_) | Self::Param(_))
    }

    /// Whether it is a function, with its receiver or without.
    pub(super) const fn is_function(&self) -> bool {
        matches!(self, Self::Function(..) | Self::BoundMethod(_))
    }
}

impl From<ExternalRef> for PossibleValue {
    fn from(external: ExternalRef) -> Self {
        Self::External(Rc::new(external))
    }
}

/// Adds what is not there yet.
pub(super) fn join(into: &mut AbstractValue, more: impl IntoIterator<Item = PossibleValue>) {
    for atom in more {
        if into.len() < MAX_ALTERNATIVES && !into.contains(&atom) {
            into.push(atom);
        }
    }
}

/// A place that holds a value. What a block writes hides, inside that block, what was there
/// before it, and joins it afterwards.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueCell {
    outer: AbstractValue,
    in_block: Option<(BlockRun, AbstractValue)>,
}

/// A block of one function invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockRun {
    pub frame: FrameId,
    pub block: BlockId,
}

impl ValueCell {
    /// What it holds, seen from inside some blocks, outermost first.
    pub(super) fn read(&self, active: &[BlockRun]) -> AbstractValue {
        match &self.in_block {
            Some((block, own)) if active.contains(block) => own.clone(),
            Some((_, own)) => {
                let mut all = self.outer.clone();
                join(&mut all, own.iter().cloned());
                all
            }
            None => self.outer.clone(),
        }
    }

    /// Gives it a value, inside some blocks.
    pub(super) fn write(&mut self, value: AbstractValue, active: &[BlockRun]) {
        let Some(inner) = active.last() else {
            *self = Self { outer: value, in_block: None };
            return;
        };
        match &mut self.in_block {
            Some((block, own)) if block == inner => *own = value,
            Some((block, own)) if active.contains(block) => join(own, value),
            other => {
                let own = other.take().map(|(_, own)| own).unwrap_or_default();
                join(&mut self.outer, own);
                self.in_block = Some((*inner, value));
            }
        }
    }

    /// Adds to what it holds.
    pub(super) fn add(&mut self, value: AbstractValue) {
        match &mut self.in_block {
            Some((_, own)) => join(own, value),
            None => join(&mut self.outer, value),
        }
    }
}
