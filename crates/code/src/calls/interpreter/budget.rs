//! Limits on the interpretation of one file.
//!
//! Costs are counted in steps and never measured with a clock, so that the result does not depend
//! on the speed of the computer. Storing a value costs as many steps as the value has parts, so the
//! same count bounds memory. All limits on nesting are here too: they bound the stack.

use super::super::value::AbstractValue;

/// Steps for a whole file.
const FILE_STEPS: u32 = 1_500_000;

/// Steps for the module's own code, and for each function that runs for its summary. A runaway
/// function therefore leaves steps for the others.
const RUN_STEPS: u32 = 300_000;

/// Steps of all functions that are run because the module's own code calls them.
const MODULE_CALL_STEPS: u32 = 4_000;

/// Steps of all functions that are run because a function that runs for its summary calls them.
const SUMMARY_CALL_STEPS: u32 = 200;

/// Steps charged for the allocation of an object or a frame.
const ALLOCATION_COST: usize = 4;

/// Nesting of evaluations, calls and lookups.
const MAX_RECURSION: u32 = 300;

/// Nesting of member and type lookups. A field may have the name of its own type, so that one
/// lookup leads to the next.
const MAX_LOOKUP_DEPTH: u32 = 40;

/// Nesting of calls whose callee is run, when the module's own code runs.
const MAX_CALL_DEPTH: usize = 12;

/// The same when a function runs for its summary, where less is known about its arguments.
const MAX_SUMMARY_CALL_DEPTH: usize = 4;

/// Summaries that are begun while another one is unfinished.
pub(super) const MAX_NESTED_SUMMARIES: usize = 24;

/// Length of a chain of classes that inherit from each other.
pub(super) const MAX_INHERITANCE_DEPTH: usize = 40;

/// What may still be spent, and how deep the current evaluation is nested.
#[derive(Debug)]
pub(super) struct Budget {
    file_steps: u32,
    run_steps: u32,
    call_steps: u32,
    recursion: u32,
    lookups: u32,
    is_truncated: bool,
}

/// The budget of an interrupted run, to be given back to [`Budget::end_run`].
#[derive(Debug, Clone, Copy)]
#[must_use = "the interrupted run gets its budget back"]
pub(super) struct InterruptedRun {
    run_steps: u32,
}

/// The call budget of an interrupted function, to be given back to [`Budget::end_summary`].
#[derive(Debug, Clone, Copy)]
#[must_use = "the interrupted function gets its call budget back"]
pub(super) struct InterruptedCalls {
    call_steps: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            file_steps: FILE_STEPS,
            run_steps: RUN_STEPS,
            call_steps: MODULE_CALL_STEPS,
            recursion: 0,
            lookups: 0,
            is_truncated: false,
        }
    }
}

impl Budget {
    /// Spends steps. Returns `false`, and ends the current run, if too few are left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        if self.run_steps < steps || self.file_steps < steps {
            self.run_steps = 0;
            self.is_truncated = true;
            return false;
        }
        self.run_steps -= steps;
        self.file_steps -= steps;
        true
    }

    /// Pays for an object or a frame.
    pub(super) fn spend_allocation(&mut self) {
        self.spend(ALLOCATION_COST);
    }

    /// Pays for storing a value. Returns an empty value if the budget is exhausted.
    pub(super) fn charge_value(&mut self, value: AbstractValue) -> AbstractValue {
        if self.spend(1 + value.len()) { value } else { AbstractValue::new() }
    }

    /// Begins a run with a step budget of its own, within that of the file.
    pub(super) const fn begin_run(&mut self) -> InterruptedRun {
        InterruptedRun { run_steps: std::mem::replace(&mut self.run_steps, RUN_STEPS) }
    }

    /// Ends a run.
    pub(super) const fn end_run(&mut self, interrupted: InterruptedRun) {
        self.run_steps = interrupted.run_steps;
    }

    /// Begins a summary, which has a call budget of its own.
    pub(super) const fn begin_summary(&mut self) -> InterruptedCalls {
        let call_steps = std::mem::replace(&mut self.call_steps, SUMMARY_CALL_STEPS);
        InterruptedCalls { call_steps }
    }

    /// Ends a summary.
    pub(super) const fn end_summary(&mut self, interrupted: InterruptedCalls) {
        self.call_steps = interrupted.call_steps;
    }

    /// Pays for running the body of a function that is called.
    pub(super) fn spend_call(&mut self, body_steps: usize) {
        let steps = u32::try_from(body_steps).unwrap_or(u32::MAX).saturating_add(1);
        self.call_steps = self.call_steps.saturating_sub(steps);
    }

    /// Whether the body of another called function may run.
    pub(super) const fn has_call_steps(&self) -> bool {
        self.call_steps > 0
    }

    /// Enters an evaluation that may lead to itself. Returns `false` if it must not begin.
    pub(super) fn enter_recursion(&mut self) -> bool {
        if self.recursion >= MAX_RECURSION {
            self.is_truncated = true;
            return false;
        }
        let is_paid = self.spend(1);
        self.recursion += u32::from(is_paid);
        is_paid
    }

    /// Leaves an evaluation that was entered.
    pub(super) const fn leave_recursion(&mut self) {
        self.recursion -= 1;
    }

    /// Enters a lookup that may lead to itself. Returns `false` if it must not begin.
    pub(super) const fn enter_lookup(&mut self) -> bool {
        let is_allowed = self.lookups < MAX_LOOKUP_DEPTH;
        if is_allowed {
            self.lookups += 1;
        }
        is_allowed
    }

    /// Leaves a lookup that was entered.
    pub(super) const fn leave_lookup(&mut self) {
        self.lookups -= 1;
    }

    /// Restores the step budget before the relations of the whole file are recorded, so that they
    /// are complete even if the code of the file exhausted it.
    pub(super) const fn refill(&mut self) {
        self.file_steps = FILE_STEPS;
        self.run_steps = FILE_STEPS;
    }

    /// The steps that are left for the file.
    #[cfg(test)]
    pub(super) const fn steps_left(&self) -> u32 {
        self.file_steps
    }

    /// Whether the interpretation was cut off somewhere.
    pub(super) const fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

/// How many calls whose callee is run may be nested.
pub(super) const fn max_call_depth(is_symbolic: bool) -> usize {
    if is_symbolic { MAX_SUMMARY_CALL_DEPTH } else { MAX_CALL_DEPTH }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_exhausts_its_budget_leaves_steps_for_the_next() {
        let mut budget = Budget::default();
        let module = budget.begin_run();
        assert!(!budget.spend(RUN_STEPS as usize + 1));
        assert!(!budget.spend(1), "the run has ended");
        budget.end_run(module);
        assert!(budget.spend(1));
        assert!(budget.is_truncated());
    }

    #[test]
    fn an_unpaid_value_is_dropped() {
        let mut budget = Budget::default();
        assert!(budget.spend(RUN_STEPS as usize));
        let value = vec![crate::calls::value::PossibleValue::Number(1)];
        assert_eq!(budget.charge_value(value), Vec::new());
    }

    #[test]
    fn recursion_ends_at_its_limit() {
        let mut budget = Budget::default();
        let depth = std::iter::from_fn(|| budget.enter_recursion().then_some(())).count();
        assert_eq!(depth, MAX_RECURSION as usize);
        assert!(budget.is_truncated());
        budget.leave_recursion();
        assert!(budget.enter_recursion());
    }

    #[test]
    fn a_refilled_budget_still_says_that_it_was_exhausted() {
        let mut budget = Budget::default();
        budget.spend(usize::MAX);
        budget.refill();
        assert!(budget.spend(1));
        assert!(budget.is_truncated());
    }
}
