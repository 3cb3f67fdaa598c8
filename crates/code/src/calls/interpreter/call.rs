//! Calls. The body of a called function of the file is run; where the budget does not allow that,
//! its summary gives the result. Calls into other files are recorded for the linker.

use std::collections::HashMap;
use std::rc::Rc;

use syntax::{CallKind, Expr, SymbolKind};

use super::super::ids::{CallId, FrameId, Owner, SymbolId};
use super::super::summary::{EdgeConfidence, SymbolRelation};
use super::super::value::{
    AbstractValue, ExportedValue, ExternalBase, ExternalRef, ExternalStep, ParamRef, PossibleValue,
    args_weight, join,
};
use super::args::ArgValue;
use super::file_tables::FunctionParam;
use super::heap::CallFrame;
use super::summaries::LocalParamCall;
use super::{CallModel, HeapObject, Interpreter, budget};

/// Where a call, or another relation between symbols, comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallOrigin {
    /// The symbol that contains the call
    pub owner: Owner,
    /// The line, counted from 1; 0 if no line of the file contains the call
    pub line: u32,
    /// Whether the callee was inferred rather than written
    pub is_inferred: bool,
}

impl CallOrigin {
    /// A call or a relation whose target is written on a line.
    pub(super) const fn written(owner: Owner, line: u32) -> Self {
        Self { owner, line, is_inferred: false }
    }

    /// A call that is not written as one: a getter, an iteration.
    pub(super) const fn implicit(owner: Owner) -> Self {
        Self { owner, line: 0, is_inferred: true }
    }

    /// The same call with a callee that was inferred.
    pub(super) const fn inferred(self) -> Self {
        Self { is_inferred: true, ..self }
    }

    /// The same call, inferred if a condition holds.
    pub(super) const fn inferred_if(self, condition: bool) -> Self {
        Self { is_inferred: self.is_inferred || condition, ..self }
    }

    /// The confidence of an edge that the call gives.
    pub(super) const fn confidence(self) -> EdgeConfidence {
        if self.is_inferred { EdgeConfidence::Inferred } else { EdgeConfidence::Exact }
    }
}

impl Interpreter<'_> {
    /// Executes a call site.
    pub(super) fn call_site(&mut self, frame: FrameId, call: CallId) -> AbstractValue {
        let call = &self.tables.facts.flow.calls[call.index()];
        let owner = SymbolId::owner(call.owner);
        let args = self.eval_args(&call.args, frame, owner);
        let is_direct = self.tables.is_direct(&call.callee);
        let site = CallOrigin::written(owner, call.line).inferred_if(!is_direct);
        match (&call.callee, call.kind) {
            (Expr::Super, _) => self.call_super(frame, &args, site),
            (callee, CallKind::New) => {
                self.record_named_callee(callee, frame, site);
                let callee = self.eval(callee, frame, owner);
                self.instantiate_all(&callee, &args, site)
            }
            (Expr::Member(object, name), kind) => {
                let object = self.eval(object, frame, owner);
                let result = self.call_member(&object, name, &args, site);
                match kind {
                    CallKind::Decorator if self.tables.family == CallModel::Python => {
                        keep_decorated(result, args)
                    }
                    _ => result,
                }
            }
            (callee, CallKind::Decorator) if self.tables.family == CallModel::Python => {
                let value = self.eval(callee, frame, owner);
                let result = self.call_value(&value, &args, site);
                keep_decorated(result, args)
            }
            (callee, kind) => {
                let value = self.eval(callee, frame, owner);
                if value.is_empty()
                    && kind != CallKind::Macro
                    && let Expr::Index(..) = callee
                {
                    return Vec::new();
                }
                self.record_named_callee(callee, frame, site);
                self.call_value(&value, &args, site)
            }
        }
    }

    fn call_member(
        &mut self,
        object: &[PossibleValue],
        name: &str,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        let mut result = Vec::new();
        let mut is_found = false;
        for receiver in object {
            let mut members = self.get(receiver, name, site.owner);
            if self.tables.family == CallModel::Rust
                && members.iter().any(PossibleValue::is_function)
            {
                members.retain(PossibleValue::is_function);
            }
            let built_in = match members.as_slice() {
                [] | [PossibleValue::External(_)] => {
                    self.call_builtin_method(receiver, name, args, site)
                }
                _ => None,
            };
            if let Some(value) = built_in {
                is_found = true;
                join(&mut result, value);
                continue;
            }
            is_found |= !members.is_empty();
            let is_held =
                self.record_called_field(receiver, name, site.inferred_if(is_ambiguous(object)))
                    || self.tables.family == CallModel::Go && self.holds_function(&members);
            is_found |= is_held;
            let several = site.inferred_if(is_held || is_ambiguous(object));
            let value = self.call_value(&members, args, several);
            join(&mut result, value);
        }
        if !is_found {
            self.output.record_unresolved_call(site, name);
        }
        result
    }

    /// Calls every possible value of a callee.
    pub(super) fn call_value(
        &mut self,
        callee: &[PossibleValue],
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        let is_python = self.tables.family == CallModel::Python;
        let is_made = |one: &PossibleValue| is_python && callee.len() > 1 && is_call_result(one);
        let named = callee.iter().filter(|one| !is_made(one));
        let site = site.inferred_if(is_ambiguous(named));
        let mut result = Vec::new();
        for alternative in callee {
            let site = site.inferred_if(is_made(alternative));
            let value = self.call_alternative(alternative, None, args, site);
            join(&mut result, value);
        }
        result
    }

    /// Calls one possible value of a callee.
    pub(super) fn call_alternative(
        &mut self,
        callee: &PossibleValue,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        self.recurse(|interpreter| interpreter.dispatch_call(callee, this, args, site))
    }

    fn dispatch_call(
        &mut self,
        callee: &PossibleValue,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        self.expect_args(callee, args, site.owner);
        match callee {
            PossibleValue::Function(function, parent) => {
                self.record_call(site, *function);
                self.invoke(*function, *parent, this, args, site)
            }
            PossibleValue::BoundMethod(bound) => {
                let bound = Rc::clone(bound);
                self.call_alternative(&bound.0, Some(&bound.1), args, site)
            }
            PossibleValue::Class(class) if self.tables.family == CallModel::Go => {
                vec![PossibleValue::Instance(*class)]
            }
            PossibleValue::Class(class) => self.instantiate(*class, args, site),
            PossibleValue::Object(_) | PossibleValue::Instance(_)
                if self.tables.family == CallModel::Go =>
            {
                self.call_typed_value(callee)
            }
            PossibleValue::Object(_) | PossibleValue::Instance(_)
                if self.tables.family == CallModel::Python =>
            {
                if matches!(callee, PossibleValue::Object(_)) {
                    let declared = self.call_function_type(callee);
                    if !declared.is_empty() {
                        return declared;
                    }
                }
                let found = self.get(callee, "__call__", site.owner);
                let known: AbstractValue =
                    found.into_iter().filter(PossibleValue::is_known).collect();
                self.call_value(&known, args, site)
            }
            PossibleValue::Instance(_) if self.tables.family == CallModel::Rust => {
                vec![callee.clone()]
            }
            PossibleValue::Object(_) | PossibleValue::Instance(_)
                if self.tables.family == CallModel::JavaScript =>
            {
                self.call_function_type(callee)
            }
            PossibleValue::Param(param) => {
                self.record_param_call(*param, args, site);
                Vec::new()
            }
            PossibleValue::External(term) => {
                let term = Rc::clone(term);
                if let Some(value) = self.call_builtin_function(&term, args, site) {
                    return value;
                }
                let given = self.export_args(args);
                self.record_unresolved_edge(site, SymbolRelation::Calls, &term, given.clone());
                self.tables.external_step(&term, ExternalStep::Call(given)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn instantiate_all(
        &mut self,
        callee: &[PossibleValue],
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        let mut result = Vec::new();
        for alternative in callee {
            let value = match alternative {
                PossibleValue::Function(function, parent) => {
                    let proto = Some(self.heap.prototype(&mut self.budget, *function));
                    let made = self.alloc(HeapObject::with_proto(proto));
                    let made = PossibleValue::Object(made);
                    self.record_call(site, *function);
                    let given = self.invoke(*function, *parent, Some(&made), args, site);
                    let own = given
                        .into_iter()
                        .filter(|alternative| matches!(alternative, PossibleValue::Object(_)));
                    let mut all: AbstractValue = own.collect();
                    if all.is_empty() {
                        all.push(made);
                    }
                    all
                }
                PossibleValue::Instance(_) => vec![alternative.clone()],
                other if self.tables.family == CallModel::Go => {
                    self.composite_literal(other, args, site)
                }
                other => self.call_alternative(other, None, args, site),
            };
            join(&mut result, value);
        }
        result
    }

    /// Creates an instance of a class and calls its constructor.
    fn instantiate(
        &mut self,
        class: SymbolId,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        if matches!(self.tables.kind(class), SymbolKind::Module | SymbolKind::Namespace) {
            return Vec::new();
        }
        let made = self.alloc(HeapObject::of_class(class));
        let made = PossibleValue::Object(made);
        // A class without a constructor of its own is called itself.
        if matches!(self.tables.family, CallModel::JavaScript | CallModel::Python)
            && self.own_constructor(class).is_empty()
        {
            self.record_call(site, class);
        }
        if self.tables.family == CallModel::Rust {
            for (at, arg) in args.iter().enumerate() {
                let name = arg.name.clone().unwrap_or_else(|| at.to_string());
                if !arg.spread && arg.value.iter().any(PossibleValue::may_hold_callable) {
                    self.set(&made, &name, arg.value.clone(), site.owner);
                }
            }
            return vec![PossibleValue::Instance(class), made];
        }
        for constructor in self.constructor(class) {
            match &constructor {
                PossibleValue::External(term) => {
                    let given = self.export_args(args);
                    let term = match self.tables.family {
                        // The parent itself is not called, only its constructor.
                        CallModel::Python => inherited_constructor(term),
                        _ => Some(ExternalRef::clone(term)),
                    };
                    if let Some(term) = term {
                        self.record_unresolved_edge(site, SymbolRelation::Calls, &term, given);
                    }
                }
                other => {
                    self.call_alternative(other, Some(&made), args, site);
                }
            }
        }
        vec![made]
    }

    /// `super(…)`.
    fn call_super(&mut self, frame: FrameId, args: &[ArgValue], site: CallOrigin) -> AbstractValue {
        let Some(class) = self.tables.enclosing_class(site.owner) else {
            return Vec::new();
        };
        let this = self
            .this_value(frame, site.owner)
            .into_iter()
            .next()
            .unwrap_or(PossibleValue::Instance(class));
        let parents = self.parents_of(class);
        for parent in parents {
            match &parent {
                PossibleValue::Class(parent) => {
                    for constructor in self.constructor(*parent) {
                        self.call_alternative(&constructor, Some(&this), args, site);
                    }
                }
                other => {
                    self.call_alternative(other, Some(&this), args, site);
                }
            }
        }
        vec![this]
    }

    /// Runs the body of a function, or takes the result from its summary.
    fn invoke(
        &mut self,
        function: SymbolId,
        parent: FrameId,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        if !self.should_follow(function, this, args) {
            return self.apply_summary(function, this, args, site);
        }
        let frame = CallFrame::new(function, parent, this.into_iter().cloned().collect());
        let frame = self.heap.push_frame(&mut self.budget, frame);
        let steps = self.tables.body(Some(function));
        self.budget.spend_call(steps.len());
        let is_silent = std::mem::replace(&mut self.output.is_muted, false);
        self.call_stack.push(function);
        self.bind(function, frame, this, args);
        self.run_steps(frame, steps, None);
        self.call_stack.pop();
        self.output.is_muted = is_silent;
        // The results of its calls are not read again.
        self.heap.frame_mut(frame).results = HashMap::new();
        if !self.is_symbolic && self.budget.has_call_steps() {
            self.summaries.mark_executed(function);
        }
        self.run_result(function, frame)
    }

    /// Whether to run the body of a called function: the budget allows it, and an argument may hold
    /// something callable. Otherwise the summary gives the same result.
    fn should_follow(
        &self,
        function: SymbolId,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
    ) -> bool {
        let again = self.call_stack.iter().filter(|one| **one == function).count();
        let deepest = budget::max_call_depth(self.is_symbolic);
        if !self.budget.has_call_steps() || again > 1 || self.call_stack.len() > deepest {
            return false;
        }
        let callable = |alternative: &PossibleValue| {
            matches!(alternative, PossibleValue::Function(..) | PossibleValue::BoundMethod(_))
        };
        match self.tables.family {
            CallModel::Rust | CallModel::Classes | CallModel::Go => {
                args.iter().any(|arg| arg.value.iter().any(callable))
            }
            _ if !self.is_symbolic => true,
            _ => {
                this.is_some_and(PossibleValue::may_hold_callable)
                    || args.iter().any(|arg| arg.value.iter().any(PossibleValue::may_hold_callable))
            }
        }
    }

    /// The result of a call according to the summary of the function.
    fn apply_summary(
        &mut self,
        function: SymbolId,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        self.ensure_summary(function);
        let Some(behaviour) = self.summaries.function(function).cloned() else {
            return self.declared_result(function);
        };
        let places = self.args_by_position(function, args);
        for call in &behaviour.calls {
            if let Some(given) = places.get(call.param as usize) {
                let inner: Vec<ArgValue> = call
                    .args
                    .iter()
                    .map(|arg| ArgValue::plain(substitute_params(arg, function, &places)))
                    .collect();
                let site = CallOrigin { owner: call.from, ..site.inferred() };
                for alternative in given.clone() {
                    self.call_alternative(&alternative, None, &inner, site);
                }
            }
        }
        let mut result = substitute_params(&behaviour.returns, function, &places);
        // A method that returns its receiver returns this object.
        if let Some(this @ PossibleValue::Object(_)) = this {
            for alternative in &mut result {
                if matches!((&*alternative, self.heap.class_of(this)), (PossibleValue::Instance(of), Some(class)) if *of == class)
                {
                    *alternative = this.clone();
                }
            }
        }
        result
    }

    /// The arguments, ordered by the position of their parameter.
    fn args_by_position(&self, function: SymbolId, args: &[ArgValue]) -> Vec<AbstractValue> {
        let mut places = Vec::new();
        let mut given = args.iter().filter(|arg| arg.name.is_none());
        for FunctionParam { param, .. } in self.tables.params(function) {
            let by_name = args.iter().find(|arg| arg.name.as_deref() == Some(&param.name));
            let value = match (param.kind, by_name) {
                (syntax::ParamKind::Receiver, _) => Vec::new(),
                (_, Some(arg)) => arg.value.clone(),
                (_, None) => given.next().map(|arg| arg.value.clone()).unwrap_or_default(),
            };
            let place = param.position as usize;
            if places.len() <= place {
                places.resize(place + 1, Vec::new());
            }
            places[place] = value;
        }
        places
    }

    fn record_param_call(&mut self, param: ParamRef, args: &[ArgValue], site: CallOrigin) {
        let args = args.iter().map(|arg| arg.value.clone()).collect();
        let call = LocalParamCall { from: site.owner, param: param.position, args };
        self.summaries.record_param_call(param.function, call);
    }

    /// Records an edge to something of another file.
    pub(super) fn record_unresolved_edge(
        &mut self,
        origin: CallOrigin,
        relation: SymbolRelation,
        to: &ExternalRef,
        args: Vec<Vec<ExportedValue>>,
    ) {
        // A name that comes with the language is in no file.
        let is_builtin = matches!(&to.base, ExternalBase::Global(_))
            && matches!(self.tables.family, CallModel::Python | CallModel::JavaScript);
        if self.output.is_muted
            || is_builtin
            || !self.budget.spend(1 + to.weight() + args_weight(&args))
        {
            return;
        }
        self.output.record_unresolved_edge(origin, relation, to, args);
    }

    fn record_call(&mut self, site: CallOrigin, to: SymbolId) {
        self.output.record_edge(site, SymbolRelation::Calls, to);
    }
}

/// Whether a callee has more than one possible value. Unbound parameters do not count.
fn is_ambiguous<'v>(value: impl IntoIterator<Item = &'v PossibleValue>) -> bool {
    let known = value.into_iter().filter(|one| !matches!(one, PossibleValue::Param(_)));
    known.count() > 1
}

/// The constructor of a class of another file.
fn inherited_constructor(class: &ExternalRef) -> Option<ExternalRef> {
    class.then(ExternalStep::Inst)?.then(ExternalStep::Get("__init__".into()))
}

/// Whether a value is what a function of another file returns.
fn is_call_result(value: &PossibleValue) -> bool {
    matches!(value, PossibleValue::External(term)
        if matches!(term.ops.last(), Some(ExternalStep::Call(_))))
}

/// What a decorator returns. One that is not known returns what it was given.
fn keep_decorated(result: AbstractValue, args: Vec<ArgValue>) -> AbstractValue {
    if result.iter().any(PossibleValue::is_function_or_class) {
        return result;
    }
    let mut all: AbstractValue = args.into_iter().flat_map(|arg| arg.value).collect();
    join(&mut all, result);
    all
}

/// A value of a summary with arguments in place of the parameters.
fn substitute_params(
    value: &[PossibleValue],
    function: SymbolId,
    places: &[AbstractValue],
) -> AbstractValue {
    let mut all = Vec::new();
    for alternative in value {
        match alternative {
            PossibleValue::Param(param) if param.function == function => {
                join(&mut all, places.get(param.position as usize).cloned().unwrap_or_default());
            }
            PossibleValue::Collection(inner) => {
                join(
                    &mut all,
                    [PossibleValue::Collection(substitute_params(inner, function, places).into())],
                );
            }
            other => join(&mut all, [other.clone()]),
        }
    }
    all
}
