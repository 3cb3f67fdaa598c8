//! What interpreting one file may cost, in counted steps: never by a clock, so that every machine
//! finds the same.
//!
//! A value that is kept costs as much as it holds, so the same count bounds memory.

use super::super::value::Value;
use super::Machine;

/// Steps that one file may take.
const WHOLE_FILE: u32 = 1_500_000;

/// Steps that the module's own code, or one function, may take: what runs away in one of them
/// leaves enough for the others.
const ONE_RUN: u32 = 300_000;

/// Calls, members and types that may lead to one another; bounds the stack.
const DEEPEST: u32 = 300;

/// What may still be spent.
#[derive(Debug)]
pub(super) struct Budget {
    file: u32,
    run: u32,
    depth: u32,
    is_cut: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { file: WHOLE_FILE, run: ONE_RUN, depth: 0, is_cut: false }
    }
}

impl Machine<'_> {
    /// Spends some steps; says whether they were there.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let steps = super::number(steps);
        let budget = &mut self.budget;
        if budget.run < steps || budget.file < steps {
            budget.run = 0;
            budget.is_cut = true;
            return false;
        }
        budget.run -= steps;
        budget.file -= steps;
        true
    }

    /// Pays for a value that is kept; where it is too dear, nothing is kept.
    pub(super) fn afford(&mut self, value: Value) -> Value {
        if self.spend(1 + value.len()) { value } else { Value::new() }
    }

    /// Does something on a budget of its own, within that of the file.
    pub(super) fn run_apart<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.budget.run, ONE_RUN);
        let value = run(self);
        self.budget.run = before;
        value
    }

    /// Does something that may lead to itself, as far as the stack allows.
    pub(super) fn deeper(&mut self, step: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.budget.depth >= DEEPEST {
            self.budget.is_cut = true;
            return Value::new();
        }
        if !self.spend(1) {
            return Value::new();
        }
        self.budget.depth += 1;
        let value = step(self);
        self.budget.depth -= 1;
        value
    }

    /// Lets what is told of the whole file be told even where its code ran away.
    pub(super) fn refill(&mut self) {
        let is_cut = self.budget.is_cut;
        self.budget = Budget { run: WHOLE_FILE, is_cut, ..Budget::default() };
    }

    /// Whether something was left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.budget.is_cut
    }
}
