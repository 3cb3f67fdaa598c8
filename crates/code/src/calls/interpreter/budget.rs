//! What interpreting one file may cost, in counted steps: never by a clock, so that every machine
//! finds the same.
//!
//! A value that is kept costs as much as it holds, so the same count bounds memory.

use super::super::value::AbstractValue;
use super::Interpreter;

/// Steps that one file may take.
const FILE_STEPS: u32 = 1_500_000;

/// Steps that the module's own code, or one function, may take: what runs away in one of them
/// leaves enough for the others.
const RUN_STEPS: u32 = 300_000;

/// Calls, members and types that may lead to one another; bounds the stack.
const MAX_RECURSION: u32 = 300;

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
        Self { file: FILE_STEPS, run: RUN_STEPS, depth: 0, is_cut: false }
    }
}

impl Interpreter<'_> {
    /// Spends some steps; says whether they were there.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let steps = super::to_index(steps);
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
    pub(super) fn charge_value(&mut self, value: AbstractValue) -> AbstractValue {
        if self.spend(1 + value.len()) { value } else { AbstractValue::new() }
    }

    /// Does something on a budget of its own, within that of the file.
    pub(super) fn with_run_budget<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.budget.run, RUN_STEPS);
        let value = run(self);
        self.budget.run = before;
        value
    }

    /// Does something that may lead to itself, as far as the stack allows.
    pub(super) fn recurse(
        &mut self,
        step: impl FnOnce(&mut Self) -> AbstractValue,
    ) -> AbstractValue {
        if self.budget.depth >= MAX_RECURSION {
            self.budget.is_cut = true;
            return AbstractValue::new();
        }
        if !self.spend(1) {
            return AbstractValue::new();
        }
        self.budget.depth += 1;
        let value = step(self);
        self.budget.depth -= 1;
        value
    }

    /// Lets what is told of the whole file be told even where its code ran away.
    pub(super) fn refill(&mut self) {
        let is_cut = self.budget.is_cut;
        self.budget = Budget { run: FILE_STEPS, is_cut, ..Budget::default() };
    }

    /// Whether something was left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.budget.is_cut
    }
}
