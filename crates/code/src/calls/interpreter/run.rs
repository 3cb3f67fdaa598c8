//! Executing the steps of functions, and summarising functions.

use std::collections::HashMap;

use syntax::{Expr, FlowAction, FlowStep, SymbolFlags};

use super::super::ids::{BlockId, CallId, FrameId, Owner, SymbolId};
use super::super::value::{BlockRun, PossibleValue, join};
use super::budget::MAX_NESTED_SUMMARIES;
use super::heap::CallFrame;
use super::{CallModel, Interpreter};

impl Interpreter<'_> {
    /// Runs the module's own code.
    pub(super) fn run_module(&mut self) {
        let steps = self.tables.body(None);
        self.with_run_budget(|interpreter| interpreter.run_steps(FrameId::MODULE, steps, None));
    }

    /// Runs every function for its summary, outer functions before the ones inside.
    pub(super) fn summarise_all(&mut self) {
        for symbol in self.tables.symbols() {
            if self.tables.kind(symbol).is_callable() {
                self.ensure_summary(symbol);
            }
        }
    }

    /// Makes the summary of a function, unless it is begun already.
    pub(super) fn ensure_summary(&mut self, symbol: SymbolId) {
        if self.summaries.is_begun(symbol) {
            return;
        }
        if self.summaries.depth() >= MAX_NESTED_SUMMARIES {
            return; // it is summarised later; until then its declared type is used
        }
        // Its free names mean variables of the function around it.
        let around = self.tables.enclosing_function(self.tables.parent(symbol));
        if let Some(around) = around
            && self.summaries.function(around).is_none()
        {
            self.ensure_summary(around);
            if self.summaries.function(symbol).is_some() || self.summaries.is_in_progress(around) {
                return;
            }
        }
        let parent = around.and_then(|around| self.heap.latest_frame(Some(around)));
        let parent = parent.unwrap_or(FrameId::MODULE);
        self.summarise(symbol, parent);
    }

    fn summarise(&mut self, symbol: SymbolId, parent: FrameId) {
        let this = self.summary_receiver(symbol);
        let frame = CallFrame::new(symbol, parent, this);
        let frame = self.heap.push_frame(&mut self.budget, frame);
        let calls = self.budget.begin_summary();
        let was_symbolic = std::mem::replace(&mut self.is_symbolic, true);
        let is_muted = self.summaries.is_executed(symbol);
        let was_muted = std::mem::replace(&mut self.output.is_muted, is_muted);
        let block = BlockRun { frame, block: BlockId::MAYBE_EXECUTED };
        let blocks = self.heap.replace_blocks(vec![block]);
        let stack = std::mem::replace(&mut self.call_stack, vec![symbol]);
        self.summaries.begin(symbol);
        self.with_run_budget(|interpreter| {
            interpreter.bind_symbolic(symbol, frame);
            interpreter.run_steps(frame, interpreter.tables.body(Some(symbol)), None);
        });
        let returns = self.run_result(symbol, frame);
        self.summaries.end(symbol, returns);
        self.heap.frame_mut(frame).results = HashMap::new();
        self.budget.end_summary(calls);
        self.is_symbolic = was_symbolic;
        self.output.is_muted = was_muted;
        self.heap.replace_blocks(blocks);
        self.call_stack = stack;
        // Functions inside of it use this frame as their parent.
        for inner in self.tables.symbols().skip(symbol.index() + 1) {
            let parent = self.tables.parent(inner);
            let within = self.tables.enclosing_function(parent);
            if within == Some(symbol) && self.tables.kind(inner).is_callable() {
                if !self.summaries.is_begun(inner) {
                    self.summarise(inner, frame);
                }
            } else if parent.is_none() {
                break;
            }
        }
    }

    /// The result of a run, completed by the declared type.
    pub(super) fn run_result(&mut self, symbol: SymbolId, frame: FrameId) -> Vec<PossibleValue> {
        let run = self.heap.frame_mut(frame);
        if self.tables.has_flag(symbol, SymbolFlags::GENERATOR) || !run.yields.is_empty() {
            let yields = std::mem::take(&mut run.yields);
            return vec![PossibleValue::Collection(yields.into())];
        }
        let returns = std::mem::take(&mut run.returns);
        if self.tables.family == CallModel::Go {
            let declared = self.declared_result(symbol);
            return super::eval::declared_with_functions(declared, returns);
        }
        match &self.tables.symbol(symbol).ty {
            Some(ty) => self.with_declared_type(returns, ty, Some(symbol)),
            None => returns,
        }
    }

    /// Runs steps that are directly or indirectly inside a block; `None` is the body itself.
    pub(super) fn run_steps(
        &mut self,
        frame: FrameId,
        steps: &[&FlowStep],
        block: Option<BlockId>,
    ) {
        let mut at = 0;
        while at < steps.len() && self.budget.spend(1) {
            let inner = self.tables.inner_block(steps[at], block);
            let Some(inner) = inner else {
                self.step(frame, steps[at]);
                at += 1;
                continue;
            };
            let rest = &steps[at..];
            let count = rest.iter().take_while(|step| self.tables.is_in(step, inner)).count();
            let count = count.max(1);
            self.heap.enter_block(frame, inner);
            let again = self.tables.is_loop(inner);
            for _ in 0..=usize::from(again) {
                self.run_steps(frame, &rest[..count], Some(inner));
            }
            self.heap.leave_block();
            at += count;
        }
    }

    fn step(&mut self, frame: FrameId, step: &FlowStep) {
        let owner = SymbolId::owner(step.owner);
        match &step.action {
            FlowAction::Call(call) => {
                let call = CallId::from(*call);
                let result = self.call_site(frame, call);
                let result = self.budget.charge_value(result);
                self.heap.frame_mut(frame).results.insert(call, result);
            }
            FlowAction::Assign(place, value) => {
                let value = self.eval(value, frame, owner);
                let value = self.budget.charge_value(value);
                self.assign(place, value, frame, owner);
            }
            FlowAction::Return(value) => self.return_value(frame, owner, value),
            FlowAction::Yield(value) => {
                let value = self.eval(value, frame, owner);
                join(&mut self.heap.frame_mut(frame).yields, value);
            }
            FlowAction::YieldFrom(value) => {
                let many = self.eval(value, frame, owner);
                let value = self.elements_of(&many, owner);
                join(&mut self.heap.frame_mut(frame).yields, value);
            }
        }
    }

    fn return_value(&mut self, frame: FrameId, owner: Owner, value: &Expr) {
        let value = self.eval(value, frame, owner);
        if let Some(function) = self.heap.frame(frame).function
            && self.tables.family == CallModel::JavaScript
            && value.iter().any(PossibleValue::is_function)
        {
            let types = self.declared_result(function);
            self.expect_types(&value, &types, owner);
        }
        match owner {
            Some(symbol) if !self.tables.kind(symbol).is_callable() => {
                self.heap.add_symbol_value(symbol, value);
            }
            _ => join(&mut self.heap.frame_mut(frame).returns, value),
        }
    }
}
