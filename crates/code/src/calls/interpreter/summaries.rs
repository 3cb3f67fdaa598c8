//! What is already known about functions and classes: results that are computed once and then
//! looked up.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::ids::{Owner, SymbolId};
use super::super::value::{AbstractValue, ParamRef, PossibleValue, join};

/// Calls of parameters that the summary of one function keeps.
const MAX_PARAM_CALLS: usize = 12;

/// What a function does, in terms of its parameters.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionSummary {
    pub returns: AbstractValue,
    pub calls: Vec<LocalParamCall>,
}

/// A call of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalParamCall {
    /// The function that makes the call: the one that has the parameter, or one inside of it
    pub from: Owner,
    /// The position of the parameter
    pub param: u32,
    pub args: Vec<AbstractValue>,
}

/// Summaries of functions, and what classes inherit from.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    functions: HashMap<SymbolId, FunctionSummary>,
    /// Functions whose summary is being computed, outermost first
    in_progress: Vec<SymbolId>,
    /// Functions that ran to their end with real arguments
    executed: HashSet<SymbolId>,
    /// What a parameter without a type is expected to be
    expected_params: HashMap<ParamRef, AbstractValue>,
    parents: HashMap<SymbolId, AbstractValue>,
    lineages: HashMap<SymbolId, Rc<[PossibleValue]>>,
}

impl Summaries {
    /// The summary of a function, if it is known.
    pub(super) fn function(&self, function: SymbolId) -> Option<&FunctionSummary> {
        self.functions.get(&function)
    }

    /// Whether the summary of a function is known or will be, because it is in progress.
    pub(super) fn is_begun(&self, function: SymbolId) -> bool {
        self.functions.contains_key(&function) || self.is_in_progress(function)
    }

    /// Whether the summary of a function is begun and not ended.
    pub(super) fn is_in_progress(&self, function: SymbolId) -> bool {
        self.in_progress.contains(&function)
    }

    /// How many summaries are begun and not ended.
    pub(super) const fn depth(&self) -> usize {
        self.in_progress.len()
    }

    /// Begins the summary of a function.
    pub(super) fn begin(&mut self, function: SymbolId) {
        self.in_progress.push(function);
    }

    /// Ends the summary that was begun last.
    pub(super) fn end(&mut self, function: SymbolId, returns: AbstractValue) {
        self.in_progress.pop();
        self.functions.entry(function).or_default().returns = returns;
    }

    /// Records that a function, or one inside of it, calls a parameter.
    pub(super) fn record_param_call(&mut self, function: SymbolId, call: LocalParamCall) {
        let calls = &mut self.functions.entry(function).or_default().calls;
        if calls.len() < MAX_PARAM_CALLS && !calls.contains(&call) {
            calls.push(call);
        }
    }

    /// Records that a function ran to its end with real arguments.
    pub(super) fn mark_executed(&mut self, function: SymbolId) {
        self.executed.insert(function);
    }

    /// Whether a function ran to its end with real arguments.
    pub(super) fn is_executed(&self, function: SymbolId) -> bool {
        self.executed.contains(&function)
    }

    /// Adds to what a parameter is expected to be.
    pub(super) fn expect(&mut self, param: ParamRef, value: AbstractValue) {
        join(self.expected_params.entry(param).or_default(), value);
    }

    /// What a parameter is expected to be.
    pub(super) fn expected(&self, param: ParamRef) -> AbstractValue {
        self.expected_params.get(&param).cloned().unwrap_or_default()
    }

    /// What a class inherits from directly, if it is known.
    pub(super) fn parents(&self, class: SymbolId) -> Option<&AbstractValue> {
        self.parents.get(&class)
    }

    /// Stores what a class inherits from directly.
    pub(super) fn set_parents(&mut self, class: SymbolId, parents: AbstractValue) {
        self.parents.insert(class, parents);
    }

    /// A class and all its ancestors, nearest first, if they are known.
    pub(super) fn lineage(&self, class: SymbolId) -> Option<&Rc<[PossibleValue]>> {
        self.lineages.get(&class)
    }

    /// Stores a class and all its ancestors.
    pub(super) fn set_lineage(&mut self, class: SymbolId, lineage: &[PossibleValue]) {
        self.lineages.insert(class, lineage.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(param: u32) -> LocalParamCall {
        LocalParamCall { from: None, param, args: Vec::new() }
    }

    #[test]
    fn a_repeated_call_of_a_parameter_is_kept_once() {
        let function = SymbolId::at(3);
        let mut summaries = Summaries::default();
        summaries.record_param_call(function, call(0));
        summaries.record_param_call(function, call(0));
        summaries.record_param_call(function, call(1));
        let known = summaries.function(function).map(|summary| summary.calls.clone());
        assert_eq!(known, Some(vec![call(0), call(1)]));
    }

    #[test]
    fn a_summary_is_begun_before_it_is_known() {
        let function = SymbolId::at(3);
        let mut summaries = Summaries::default();
        summaries.begin(function);
        assert!(summaries.is_begun(function) && summaries.function(function).is_none());
        summaries.end(function, vec![PossibleValue::Number(1)]);
        assert!(!summaries.is_in_progress(function) && summaries.is_begun(function));
    }

    #[test]
    fn expectations_of_one_parameter_are_joined() {
        let param = ParamRef { function: SymbolId::at(3), position: 0 };
        let mut summaries = Summaries::default();
        summaries.expect(param, vec![PossibleValue::Number(1)]);
        summaries.expect(param, vec![PossibleValue::Number(2)]);
        let both = vec![PossibleValue::Number(1), PossibleValue::Number(2)];
        assert_eq!(summaries.expected(param), both);
    }
}
