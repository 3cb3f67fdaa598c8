//! What runs, in order.

use std::collections::HashMap;

use syntax::{Expr, FlowAction, FlowBlockKind, SymbolFlags};

use super::super::value::{PossibleValue, join};
use super::budget::MAX_NESTED_SUMMARIES;
use super::{CallFrame, Interpreter, LanguageFamily, MAYBE_EXECUTED};

impl Interpreter<'_> {
    /// Runs the module's own code.
    pub(super) fn run_module(&mut self) {
        let steps = self.bodies.get(&None).cloned().unwrap_or_default();
        self.with_run_budget(|machine| machine.run_steps(0, &steps, None));
    }

    /// Runs every function for its summary, what is inside of one after it.
    pub(super) fn summarise_all(&mut self) {
        for symbol in 0..super::to_index(self.facts.symbols.len()) {
            if self.kind(symbol).is_callable() {
                self.ensure_summary(symbol);
            }
        }
    }

    /// Makes the summary of a function, unless it is there or being made.
    pub(super) fn ensure_summary(&mut self, symbol: u32) {
        if self.function_summaries.contains_key(&symbol)
            || self.summaries_in_progress.contains(&symbol)
        {
            return;
        }
        if self.summaries_in_progress.len() >= MAX_NESTED_SUMMARIES {
            return; // its turn comes; until then it is known by what it declares
        }
        // What is around it decides what its free names mean.
        let around = self.facts.symbols[symbol as usize].parent;
        let around = around.and_then(|parent| self.enclosing_functions[parent as usize]);
        if let Some(around) = around
            && !self.function_summaries.contains_key(&around)
        {
            self.ensure_summary(around);
            if self.function_summaries.contains_key(&symbol)
                || self.summaries_in_progress.contains(&around)
            {
                return;
            }
        }
        let parent = around.map_or(0, |around| self.symbolic_frame(around));
        self.summarise(symbol, parent);
    }

    fn symbolic_frame(&self, function: u32) -> u32 {
        let found = self.frames.iter().rposition(|frame| frame.function == Some(function));
        found.map_or(0, super::to_index)
    }

    fn summarise(&mut self, symbol: u32, parent: u32) {
        let this = self.summary_receiver(symbol);
        let frame =
            CallFrame { function: Some(symbol), parent: Some(parent), ..CallFrame::default() };
        let frame = self.push_frame(CallFrame { this, ..frame });
        let calls = self.budget.begin_summary();
        let was_symbolic = std::mem::replace(&mut self.is_symbolic, true);
        let is_muted = self.executed.contains(&symbol);
        let was_muted = std::mem::replace(&mut self.output.is_muted, is_muted);
        let active = std::mem::replace(&mut self.active_blocks, vec![(frame, MAYBE_EXECUTED)]);
        let stack = std::mem::replace(&mut self.call_stack, vec![symbol]);
        self.summaries_in_progress.push(symbol);
        self.with_run_budget(|machine| {
            machine.bind_symbolic(symbol, frame);
            let steps = machine.bodies.get(&Some(symbol)).cloned().unwrap_or_default();
            machine.run_steps(frame, &steps, None);
        });
        let returns = self.run_result(symbol, frame);
        self.summaries_in_progress.pop();
        self.frame_mut(frame).results = HashMap::new();
        self.function_summaries.entry(symbol).or_default().returns = returns;
        self.budget.end_summary(calls);
        self.is_symbolic = was_symbolic;
        self.output.is_muted = was_muted;
        self.active_blocks = active;
        self.call_stack = stack;
        // Functions inside of it see this frame.
        for inner in super::to_index(symbol as usize + 1)..super::to_index(self.facts.symbols.len())
        {
            let parent = self.facts.symbols[inner as usize].parent;
            let within = parent.and_then(|parent| self.enclosing_functions[parent as usize]);
            if within == Some(symbol) && self.kind(inner).is_callable() {
                if !self.function_summaries.contains_key(&inner)
                    && !self.summaries_in_progress.contains(&inner)
                {
                    self.summarise(inner, frame);
                }
            } else if parent.is_none() {
                break;
            }
        }
    }

    /// What a run gave, with what is declared beside it.
    pub(super) fn run_result(&mut self, symbol: u32, frame: u32) -> Vec<PossibleValue> {
        let run = &mut self.frames[frame as usize];
        if self.facts.symbols[symbol as usize].flags.contains(SymbolFlags::GENERATOR)
            || !run.yields.is_empty()
        {
            let yields = std::mem::take(&mut run.yields);
            return vec![PossibleValue::Collection(yields.into())];
        }
        let returns = std::mem::take(&mut run.returns);
        if self.family == LanguageFamily::Go {
            let declared = self.declared_result(symbol);
            return super::eval::declared_with_functions(declared, returns);
        }
        let sure = returns.iter().any(PossibleValue::is_known);
        if sure || self.facts.symbols[symbol as usize].ty.is_none() {
            return returns;
        }
        let mut declared = self.declared_result(symbol);
        if declared.is_empty() {
            return returns;
        }
        // What is only handed through is still told.
        join(
            &mut declared,
            returns.into_iter().filter(|atom| matches!(atom, PossibleValue::Param(..))),
        );
        declared
    }

    /// Runs steps that are inside a block, or outside of any.
    pub(super) fn run_steps(&mut self, frame: u32, steps: &[u32], block: Option<u32>) {
        let mut at = 0;
        while at < steps.len() && self.budget.spend(1) {
            let inner = self.inner_block(steps[at], block);
            let Some(inner) = inner else {
                self.step(frame, steps[at]);
                at += 1;
                continue;
            };
            let rest = &steps[at..];
            let count = rest.iter().take_while(|step| self.is_in(**step, inner)).count();
            let count = count.max(1);
            self.active_blocks.push((frame, inner));
            let again = self.facts.flow.blocks[inner as usize].kind == FlowBlockKind::Loop;
            for _ in 0..=usize::from(again) {
                self.run_steps(frame, &rest[..count], Some(inner));
            }
            self.active_blocks.pop();
            at += count;
        }
    }

    /// The block directly inside of one that a step is in.
    fn inner_block(&self, step: u32, block: Option<u32>) -> Option<u32> {
        let mut inner = self.facts.flow.steps[step as usize].block?;
        if Some(inner) == block {
            return None;
        }
        while let Some(parent) = self.facts.flow.blocks[inner as usize].parent {
            if Some(parent) == block {
                return Some(inner);
            }
            inner = parent;
        }
        // Blocks of a class do not know of the blocks around the class.
        Some(inner).filter(|_| block.is_none() || !self.is_in(step, block.unwrap_or_default()))
    }

    fn is_in(&self, step: u32, block: u32) -> bool {
        let mut at = self.facts.flow.steps[step as usize].block;
        while let Some(inner) = at {
            if inner == block {
                return true;
            }
            at = self.facts.flow.blocks[inner as usize].parent;
        }
        false
    }

    fn step(&mut self, frame: u32, step: u32) {
        let facts = self.facts;
        let step = &facts.flow.steps[step as usize];
        match &step.action {
            FlowAction::Call(call) => {
                let result = self.call_site(frame, *call);
                let result = self.budget.charge_value(result);
                self.frame_mut(frame).results.insert(*call, result);
            }
            FlowAction::Assign(place, value) => {
                let value = self.eval(value, frame, step.owner);
                let value = self.budget.charge_value(value);
                self.assign(place, value, frame, step.owner);
            }
            FlowAction::Return(value) => self.return_value(frame, step.owner, value),
            FlowAction::Yield(value) => {
                let value = self.eval(value, frame, step.owner);
                join(&mut self.frame_mut(frame).yields, value);
            }
            FlowAction::YieldFrom(value) => {
                let many = self.eval(value, frame, step.owner);
                let value = self.elements_of(&many, step.owner);
                join(&mut self.frame_mut(frame).yields, value);
            }
        }
    }

    fn return_value(&mut self, frame: u32, owner: Option<u32>, value: &Expr) {
        let value = self.eval(value, frame, owner);
        if let Some(function) = self.frames[frame as usize].function
            && self.family == LanguageFamily::JavaScript
            && value.iter().any(PossibleValue::is_function)
        {
            let types = self.declared_result(function);
            self.expect_types(&value, &types, owner);
        }
        match owner {
            Some(symbol) if !self.kind(symbol).is_callable() => {
                join(self.symbol_values.entry(symbol).or_default(), value);
            }
            _ => join(&mut self.frame_mut(frame).returns, value),
        }
    }
}
