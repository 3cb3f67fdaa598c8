//! Calls: into functions of the file, from summaries where budgets end, or noted for others.

use std::collections::HashMap;
use std::rc::Rc;

use syntax::{CallKind, Expr, Owner, SymbolKind};

use super::super::summary::{Relation, Sure};
use super::super::value::{Atom, Op, Value, join};
use super::args::Given;
use super::{CalledParam, Family, Frame, Machine, Object};

/// Calls inside calls that are followed.
const DEEPEST: usize = 12;

/// The same in a function that runs for its summary, where less is known.
const DEEPEST_SYMBOLIC: usize = 4;

/// Calls of parameters that a summary keeps.
const MOST_CALLS: usize = 12;

/// Where a call is made, on which line, and whether it takes more than reading to see what is
/// called.
pub(super) type Site = (Owner, u32, bool);

impl Machine<'_> {
    /// Makes a call.
    pub(super) fn call_site(&mut self, frame: u32, call: u32) -> Value {
        let facts = self.facts;
        let call = &facts.flow.calls[call as usize];
        let args = self.given(&call.args, frame, call.owner);
        let site = (call.owner, call.line, !self.is_direct(&call.callee));
        match (&call.callee, call.kind) {
            (Expr::Super, _) => self.call_parent(frame, &args, site),
            (callee, CallKind::New) => {
                let callee = self.eval(callee, frame, call.owner);
                self.make_all(&callee, &args, site)
            }
            (Expr::Member(object, name), _) => {
                let object = self.eval(object, frame, call.owner);
                self.call_member(&object, name, &args, site)
            }
            (callee, kind) => {
                let value = self.eval(callee, frame, call.owner);
                if value.is_empty()
                    && kind != CallKind::Macro
                    && let Expr::Index(..) = callee
                {
                    return Vec::new();
                }
                self.call_value(&value, &args, site)
            }
        }
    }

    /// Whether what a callee means can be read off the text.
    fn is_direct(&self, callee: &Expr) -> bool {
        match callee {
            // Types say what a member is; what a variable holds they do not.
            Expr::Member(..) if self.family == Family::Go => true,
            Expr::Name(name) if self.family == Family::Go => !self.is_variable(name),
            Expr::Each(of) if self.family == Family::Go => {
                matches!(**of, Expr::Name(_) | Expr::Member(..))
            }
            Expr::Local(binding) => {
                let binding = &self.facts.flow.bindings[*binding as usize];
                binding.symbol.is_some_and(|symbol| {
                    let kind = self.kind(symbol);
                    kind.is_callable() || kind.is_type()
                }) || matches!(
                    binding.kind,
                    syntax::BindingKind::Symbol(_) | syntax::BindingKind::Import(..)
                )
            }
            Expr::Name(_)
            | Expr::Path(_)
            | Expr::Symbol(_)
            | Expr::Import(_)
            | Expr::This
            | Expr::Super
            | Expr::Typed(..) => true,
            Expr::Member(object, _) => match object.as_ref() {
                Expr::Local(binding) => {
                    let binding = &self.facts.flow.bindings[*binding as usize];
                    binding.ty.is_some()
                        || self.is_direct(object)
                        || matches!(binding.kind, syntax::BindingKind::Param(param)
                            if self.facts.flow.params[param as usize].kind
                                == syntax::ParamKind::Receiver)
                }
                object => self.is_direct(object),
            },
            _ => false,
        }
    }

    fn call_member(&mut self, object: &[Atom], name: &str, args: &[Given], site: Site) -> Value {
        let mut result = Vec::new();
        let mut is_found = false;
        for receiver in object {
            let mut members = self.get(receiver, name, site.0);
            if self.family == Family::Rust && members.iter().any(Atom::is_method) {
                members.retain(Atom::is_method);
            }
            let built_in = match members.as_slice() {
                [] | [Atom::Ext(_)] => self.method(receiver, name, args, site),
                _ => None,
            };
            if let Some(value) = built_in {
                is_found = true;
                join(&mut result, value);
                continue;
            }
            is_found |= !members.is_empty();
            let is_held = self.family == Family::Go && self.holds_function(&members);
            let several = (site.0, site.1, site.2 || is_held || is_several(object));
            let value = self.call_value(&members, args, several);
            join(&mut result, value);
        }
        if !is_found {
            self.note_name(site, name);
        }
        result
    }

    /// Calls whatever a value may be.
    pub(super) fn call_value(&mut self, callee: &[Atom], args: &[Given], site: Site) -> Value {
        let site = (site.0, site.1, site.2 || is_several(callee));
        let mut result = Vec::new();
        for atom in callee {
            let value = self.call_atom(atom, None, args, site);
            join(&mut result, value);
        }
        result
    }

    /// Calls one thing.
    pub(super) fn call_atom(
        &mut self,
        callee: &Atom,
        this: Option<&Atom>,
        args: &[Given],
        site: Site,
    ) -> Value {
        self.deeper(|machine| machine.call_one(callee, this, args, site))
    }

    fn call_one(
        &mut self,
        callee: &Atom,
        this: Option<&Atom>,
        args: &[Given],
        site: Site,
    ) -> Value {
        self.expect_args(callee, args, site.0);
        match callee {
            Atom::Fun(function, parent) => {
                self.note_call(site, *function);
                self.invoke((*function, *parent), this, args, site)
            }
            Atom::Bound(bound) => {
                let bound = Rc::clone(bound);
                self.call_atom(&bound.0, Some(&bound.1), args, site)
            }
            Atom::Class(class) if self.family == Family::Go => vec![Atom::Inst(*class)],
            Atom::Class(class) => self.make(*class, args, site),
            Atom::Obj(_) | Atom::Inst(_) if self.family == Family::Go => self.called_type(callee),
            Atom::Obj(_) | Atom::Inst(_) if self.family == Family::Python => {
                let found = self.get(callee, "__call__", site.0);
                let known: Value = found.into_iter().filter(Atom::is_known).collect();
                self.call_value(&known, args, site)
            }
            Atom::Inst(_) if self.family == Family::Rust => vec![callee.clone()],
            Atom::Param(function, param) => {
                self.note_param_call((*function, *param), args, site);
                Vec::new()
            }
            Atom::Ext(term) => {
                let term = Rc::clone(term);
                if let Some(value) = self.function(&term, args, site) {
                    return value;
                }
                let given = self.given_out(args);
                self.want(site, Relation::Calls, &term, given.clone());
                self.after(&term, Op::Call(given)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn make_all(&mut self, callee: &[Atom], args: &[Given], site: Site) -> Value {
        let mut result = Vec::new();
        for atom in callee {
            let value = match atom {
                Atom::Fun(function, parent) => {
                    let proto = Some(self.prototype(*function));
                    let made = self.object(Object { proto, ..Object::default() });
                    self.note_call(site, *function);
                    let given = self.invoke((*function, *parent), Some(&made), args, site);
                    let own = given.into_iter().filter(|atom| matches!(atom, Atom::Obj(_)));
                    let mut all: Value = own.collect();
                    if all.is_empty() {
                        all.push(made);
                    }
                    all
                }
                Atom::Inst(_) => vec![atom.clone()],
                other if self.family == Family::Go => self.literal_of(other, args, site),
                other => self.call_atom(other, None, args, site),
            };
            join(&mut result, value);
        }
        result
    }

    /// Makes an instance of a class.
    fn make(&mut self, class: u32, args: &[Given], site: Site) -> Value {
        if matches!(self.kind(class), SymbolKind::Module | SymbolKind::Namespace) {
            return Vec::new();
        }
        let made = self.object(Object { class: Some(class), ..Object::default() });
        if self.family == Family::Rust {
            for (at, arg) in args.iter().enumerate() {
                let name = arg.name.clone().unwrap_or_else(|| at.to_string());
                if !arg.spread && arg.value.iter().any(Atom::is_live) {
                    self.set(&made, &name, arg.value.clone(), false, site.0);
                }
            }
            return vec![Atom::Inst(class), made];
        }
        let several = (site.0, site.1, site.2);
        for constructor in self.constructor(class) {
            match &constructor {
                Atom::Ext(term) => {
                    let given = self.given_out(args);
                    self.want(several, Relation::Calls, &Rc::clone(term), given);
                }
                other => {
                    self.call_atom(other, Some(&made), args, several);
                }
            }
        }
        vec![made]
    }

    /// `super(…)`.
    fn call_parent(&mut self, frame: u32, args: &[Given], site: Site) -> Value {
        let Some(class) = site.0.and_then(|owner| self.class_of_method(owner)) else {
            return Vec::new();
        };
        let this = self.this(frame, site.0).into_iter().next().unwrap_or(Atom::Inst(class));
        let parents = self.parents_of(class);
        for parent in parents {
            match &parent {
                Atom::Class(parent) => {
                    for constructor in self.constructor(*parent) {
                        self.call_atom(&constructor, Some(&this), args, site);
                    }
                }
                other => {
                    self.call_atom(other, Some(&this), args, site);
                }
            }
        }
        vec![this]
    }

    /// Runs a function, or answers from its summary.
    fn invoke(
        &mut self,
        (function, parent): (u32, u32),
        this: Option<&Atom>,
        args: &[Given],
        site: Site,
    ) -> Value {
        if !self.goes_in(function, this, args) {
            return self.apply(function, this, args, site);
        }
        let frame = Frame { function: Some(function), parent: Some(parent), ..Frame::default() };
        let frame = self.push_frame(Frame { this: this.into_iter().cloned().collect(), ..frame });
        let steps = self.bodies.get(&Some(function)).cloned().unwrap_or_default();
        self.steps_left = self.steps_left.saturating_sub(super::number(steps.len()) + 1);
        let is_silent = std::mem::replace(&mut self.is_silent, false);
        self.stack.push(function);
        self.bind(function, frame, this, args);
        self.run_steps(frame, &steps, None);
        self.stack.pop();
        self.is_silent = is_silent;
        // What its calls gave is not asked for again.
        self.frame(frame).results = HashMap::new();
        if !self.is_symbolic && self.steps_left > 0 {
            self.ran.insert(function);
        }
        self.result(function, frame)
    }

    /// Whether following a call is worth it: something that can be called goes in with it.
    fn goes_in(&self, function: u32, this: Option<&Atom>, args: &[Given]) -> bool {
        let again = self.stack.iter().filter(|one| **one == function).count();
        let deepest = if self.is_symbolic { DEEPEST_SYMBOLIC } else { DEEPEST };
        if self.steps_left == 0 || again > 1 || self.stack.len() > deepest {
            return false;
        }
        let callable = |atom: &Atom| matches!(atom, Atom::Fun(..) | Atom::Bound(_));
        match self.family {
            Family::Rust | Family::Classes | Family::Go => {
                args.iter().any(|arg| arg.value.iter().any(callable))
            }
            _ if !self.is_symbolic => true,
            _ => {
                this.is_some_and(Atom::is_live)
                    || args.iter().any(|arg| arg.value.iter().any(Atom::is_live))
            }
        }
    }

    /// What a call gives by the summary of the function.
    fn apply(&mut self, function: u32, this: Option<&Atom>, args: &[Given], site: Site) -> Value {
        self.behaviour(function);
        let Some(behaviour) = self.behaviours.get(&function).cloned() else {
            return self.declared_result(function);
        };
        let places = self.places(function, args);
        for call in &behaviour.calls {
            if let Some(given) = places.get(call.param as usize) {
                let inner: Vec<Given> = call
                    .args
                    .iter()
                    .map(|arg| Given::plain(fill(arg, function, &places)))
                    .collect();
                let site = (call.from, site.1, true);
                for atom in given.clone() {
                    self.call_atom(&atom, None, &inner, site);
                }
            }
        }
        let mut result = fill(&behaviour.returns, function, &places);
        // A method that gives its receiver gives this one.
        if let Some(this @ Atom::Obj(_)) = this {
            for atom in &mut result {
                if matches!((&*atom, self.class_of_atom(this)), (Atom::Inst(of), Some(class)) if *of == class)
                {
                    *atom = this.clone();
                }
            }
        }
        result
    }

    fn class_of_atom(&self, atom: &Atom) -> Option<u32> {
        match atom {
            Atom::Obj(id) => self.objects[*id as usize].class,
            Atom::Inst(class) => Some(*class),
            _ => None,
        }
    }

    /// The arguments by the place of their parameter.
    fn places(&self, function: u32, args: &[Given]) -> Vec<Value> {
        let params = self.params.get(&function).cloned().unwrap_or_default();
        let mut places = Vec::new();
        let mut given = args.iter().filter(|arg| arg.name.is_none());
        for (at, _) in params {
            let param = &self.facts.flow.params[at as usize];
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

    /// Notes that a function, or one inside of it, calls what it is given.
    fn note_param_call(&mut self, (function, param): (u32, u32), args: &[Given], site: Site) {
        let args = args.iter().map(|arg| arg.value.clone()).collect();
        let call = CalledParam { from: site.0, param, args };
        let calls = &mut self.behaviours.entry(function).or_default().calls;
        if calls.len() < MOST_CALLS && !calls.contains(&call) {
            calls.push(call);
        }
    }

    fn note_call(&mut self, site: Site, to: u32) {
        let sure = if site.2 { Sure::Inferred } else { Sure::Exact };
        self.note(site.0, Relation::Calls, to, (sure, site.1));
    }
}

/// Whether there is more than one thing it may be; what nobody gave yet does not count.
fn is_several(value: &[Atom]) -> bool {
    value.iter().filter(|atom| !matches!(atom, Atom::Param(..))).count() > 1
}

/// A value of a summary, with what was given for the parameters.
fn fill(value: &[Atom], function: u32, places: &[Value]) -> Value {
    let mut all = Vec::new();
    for atom in value {
        match atom {
            Atom::Param(of, param) if *of == function => {
                join(&mut all, places.get(*param as usize).cloned().unwrap_or_default());
            }
            Atom::Many(inner) => {
                join(&mut all, [Atom::Many(fill(inner, function, places).into())]);
            }
            other => join(&mut all, [other.clone()]),
        }
    }
    all
}
