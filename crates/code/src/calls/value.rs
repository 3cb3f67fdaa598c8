//! Values: while a file is interpreted, and as other files see them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::ids::{BlockId, FrameId, ObjectId, SymbolId};

/// The set of things that an expression may evaluate to; empty means unknown.
pub(super) type AbstractValue = Vec<PossibleValue>;

/// Alternatives of one value. Further ones are dropped.
pub(super) const MAX_ALTERNATIVES: usize = 16;

/// Steps from the import or name where a value of another file starts. Longer chains are not
/// followed.
const MAX_STEPS: usize = 9;

/// The same in a language with declared types, where each step has one result: builders are called
/// in long chains.
const MAX_STEPS_DECLARED: usize = 40;

/// Arguments larger than this are dropped, because calls of results of calls would double in size
/// with each step.
const MAX_ARG_WEIGHT: usize = 40;

/// One thing that an expression may evaluate to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PossibleValue {
    /// A function of this file, with the frame that it was created in
    Function(SymbolId, FrameId),
    /// A class or a namespace of this file
    Class(SymbolId),
    /// Some instance of a class of this file
    Instance(SymbolId),
    /// An object that was allocated while the file was interpreted
    Object(ObjectId),
    /// A function and its receiver
    BoundMethod(Rc<(PossibleValue, PossibleValue)>),
    /// `super` in a class, with the receiver: members are looked up behind that class in the
    /// lineage of the receiver
    Super(SymbolId, Rc<PossibleValue>),
    /// A collection of such elements
    Collection(Rc<AbstractValue>),
    /// A parameter that no argument is bound to yet
    Param(ParamRef),
    /// A value of another file
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

/// A value of another file: where it comes from, and the steps that lead from there to the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExternalRef {
    /// Where it comes from
    pub base: ExternalBase,
    /// The steps, in order
    pub ops: Vec<ExternalStep>,
}

/// Where a value of another file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExternalBase {
    /// A name of an import, after the key of the import; `None` for the module itself
    Import(String, Option<String>),
    /// A path seen from a module of this file, in languages with module paths
    Scope(String, Vec<String>),
    /// A name that another file of the package declares, or that comes with the language
    Global(String),
    /// What a schema declares, by its key
    Schema(String),
}

/// A step from one value to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExternalStep {
    /// The member with this name
    Get(String),
    /// The result of a call with these arguments
    Call(Vec<Vec<ExportedValue>>),
    /// An instance of the class
    Inst,
    /// An element of the collection
    Each,
}

/// A value as other files see it. Symbols are named by their path, which stays the same when the
/// file is edited elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExportedValue {
    /// A function, class or module of the file
    Sym(String),
    /// An instance of a class of the file
    New(String),
    /// A value of another file
    Ext(ExternalRef),
    /// The argument of the call at this position
    Param(u32),
    /// A collection of such elements
    Many(Vec<ExportedValue>),
    /// An object with these members
    Obj(Vec<(String, Vec<ExportedValue>)>),
    /// A text
    Text(String),
}

impl ExternalRef {
    /// The value after one more step; `None` if the chain is at its limit.
    pub(super) fn then(&self, op: ExternalStep) -> Option<Self> {
        (self.ops.len() < MAX_STEPS).then(|| self.append_step(op, MAX_ARG_WEIGHT))
    }

    /// The same in a language with declared types, where chains may be longer.
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

    /// The size of the value: how many parts it has.
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

/// The size of the arguments of a call.
pub(super) fn args_weight(given: &[Vec<ExportedValue>]) -> usize {
    given.iter().flatten().map(ExportedValue::weight).sum()
}

impl PossibleValue {
    /// A value of another file.
    pub(super) fn external(base: ExternalBase) -> Self {
        Self::External(Rc::new(ExternalRef { base, ops: Vec::new() }))
    }

    /// Whether the value can be called, or may hold something that can.
    pub(super) const fn may_hold_callable(&self) -> bool {
        matches!(self, Self::Function(..) | Self::Class(_) | Self::Object(_) | Self::BoundMethod(_))
    }

    /// Whether this file decides what the value is.
    pub(super) const fn is_known(&self) -> bool {
        !matches!(self, Self::External(_) | Self::Param(_))
    }

    /// Whether the value is a function, with or without a receiver.
    pub(super) const fn is_function(&self) -> bool {
        matches!(self, Self::Function(..) | Self::BoundMethod(_))
    }
}

impl From<ExternalRef> for PossibleValue {
    fn from(external: ExternalRef) -> Self {
        Self::External(Rc::new(external))
    }
}

/// Adds alternatives that are not yet in a value, up to the limit.
pub(super) fn join(into: &mut AbstractValue, more: impl IntoIterator<Item = PossibleValue>) {
    for alternative in more {
        if into.len() < MAX_ALTERNATIVES && !into.contains(&alternative) {
            into.push(alternative);
        }
    }
}

/// A variable or a field. A value that a block assigns replaces the earlier one inside that block,
/// and is one of two possible values after it.
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
    /// The value, seen from inside the running blocks, outermost first.
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

    /// Assigns a value, inside the running blocks, outermost first.
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

    /// Adds possible values.
    pub(super) fn add(&mut self, value: AbstractValue) {
        match &mut self.in_block {
            Some((_, own)) => join(own, value),
            None => join(&mut self.outer, value),
        }
    }
}
