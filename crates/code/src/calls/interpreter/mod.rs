//! Interprets the flow of one file.
//!
//! The module's own code runs first: calls run the called functions, objects are created and
//! changed, variables are assigned. Then every function that was not called runs once, with
//! parameters of which only the declared type is known. What it returns and which parameters it
//! calls is its summary, which replaces running it from then on. Budgets limit the work: if the
//! budget for calls is exhausted, summaries give the results of calls; if that of the file is
//! exhausted, the result says that it is truncated.
//!
//! @see spec::code/calls

mod args;
mod assign;
mod budget;
mod builtin_functions;
mod call;
mod class;
mod container_methods;
mod context;
mod declared_callees;
mod eval;
mod export;
mod file_tables;
mod go;
mod heap;
mod output;
mod relations;
mod run;
mod scope;
mod summaries;
mod types;

use syntax::{CallModel, FileFacts, Language, SymbolKind};

pub(super) use export::{MODULE_NAME, module_scoped_name, type_name};
pub(super) use go::{ELEMENT_MEMBER, RESULT_MEMBER};

use super::ids::{ObjectId, SymbolId};
use super::summary::FileCallSummary;
use super::value::{AbstractValue, PossibleValue};
use budget::Budget;
use file_tables::FileTables;
use heap::{Heap, HeapObject, ObjectKind};
use output::Output;
use summaries::Summaries;

/// Interprets one file.
///
/// Evaluating, calling and looking up are mutually recursive and reach everything, so they are
/// methods of this type; what they read and write is in its parts.
pub(super) struct Interpreter<'a> {
    tables: &'a FileTables<'a>,
    heap: Heap,
    summaries: Summaries,
    budget: Budget,
    output: Output,
    /// The functions that are running, outermost first, and the aliases that are being resolved
    call_stack: Vec<SymbolId>,
    /// Whether a function runs for its summary, with parameters that no argument is bound to
    is_symbolic: bool,
}

/// Interprets a file and returns the summary of its calls.
pub(super) fn interpret(language: Language, facts: &FileFacts) -> FileCallSummary {
    let tables = FileTables::new(language.semantics().calls, facts);
    let mut interpreter = Interpreter::new(&tables);
    interpreter.run_module();
    interpreter.expect_annotated();
    interpreter.summarise_all();
    interpreter.budget.refill();
    interpreter.record_relations();
    interpreter.into_summary()
}

impl<'a> Interpreter<'a> {
    fn new(tables: &'a FileTables<'a>) -> Self {
        Self {
            tables,
            heap: Heap::new(tables.family),
            summaries: Summaries::default(),
            budget: Budget::default(),
            output: Output::default(),
            call_stack: Vec::new(),
            is_symbolic: false,
        }
    }

    /// Runs something with a step budget of its own, within that of the file.
    fn with_run_budget<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let interrupted = self.budget.begin_run();
        let value = run(self);
        self.budget.end_run(interrupted);
        value
    }

    /// Runs an evaluation that may lead to itself. Gives nothing if the budget does not allow it.
    fn recurse(&mut self, step: impl FnOnce(&mut Self) -> AbstractValue) -> AbstractValue {
        if !self.budget.enter_recursion() {
            return AbstractValue::new();
        }
        let value = step(self);
        self.budget.leave_recursion();
        value
    }

    /// Runs a member or type lookup that may lead to itself. Returns nothing if it is nested too
    /// deeply.
    fn limit_lookup(&mut self, step: impl FnOnce(&mut Self) -> AbstractValue) -> AbstractValue {
        if !self.budget.enter_lookup() {
            return AbstractValue::new();
        }
        let value = self.recurse(step);
        self.budget.leave_lookup();
        value
    }

    /// Allocates an object.
    fn alloc(&mut self, object: HeapObject) -> ObjectId {
        self.heap.alloc(&mut self.budget, object)
    }

    /// Allocates an object without a class.
    fn alloc_kind(&mut self, kind: ObjectKind) -> ObjectId {
        self.alloc(HeapObject::of_kind(kind))
    }

    /// Stores a value under one of some keys of an object.
    fn put_at_key(&mut self, id: ObjectId, keys: &[PossibleValue], value: AbstractValue) {
        self.heap.write_keys(&mut self.budget, id, keys, value);
    }
}

/// Whether the symbol is a module or a namespace: names in it are not members of an instance.
const fn is_module_like(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}
