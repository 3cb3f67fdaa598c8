//! Interprets the flow of one file.
//!
//! The module runs first, as written: a call goes into the function that is called, objects are
//! made and changed, names get other values. Then each function that nobody called runs once
//! with parameters of which only the declared type is known; what it returns and calls in terms
//! of them is its summary, which stands for it from then on. Budgets bound all of it: where one
//! is spent, a call is answered from the summary; where that of the file is spent, the summary says
//! that something was left out.
//!
//! @see spec::code/calls

mod args;
mod assign;
mod budget;
mod builtin;
mod call;
mod class;
mod context;
mod eval;
mod finish;
mod functions;
mod go;
mod report;
mod run;
mod scope;
mod types;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use syntax::{BindingKind, FileFacts, Flags, Language, Owner, SymbolKind};

pub(super) use finish::scoped;
pub(super) use go::{ELEMENT, RESULT};

use super::summary::{Relation, Summary, Sure, Want};
use super::value::{Atom, Block, Cell, Value};
use budget::Budget;

/// Steps that calls from the module's own code may take, in all.
const CONCRETE_STEPS: u32 = 4_000;

/// Steps that calls from one function may take, when it runs for its summary.
const SYMBOLIC_STEPS: u32 = 200;

/// The block that what runs for a summary is in: it may not run.
const PERHAPS: u32 = u32::MAX;

/// Steps that a new object or frame costs, for the memory it takes.
const DEAR: usize = 4;

/// How a language treats names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Definitions are statements; members go through the receiver
    Python,
    /// Declarations are there from the start; objects are open
    JavaScript,
    /// Names are paths through modules; types decide
    Rust,
    /// Names may be members of the class around; types decide
    Classes,
    /// Names are of the function, the package or an import, never of the receiver; what is
    /// declared decides
    Go,
}

/// What is known of a run of a function.
#[derive(Debug, Default)]
struct Frame {
    function: Owner,
    /// The frame that the function was made in
    parent: Option<u32>,
    vars: HashMap<u32, Cell>,
    results: HashMap<u32, Value>,
    this: Value,
    returns: Value,
    yields: Value,
}

/// An object that was made.
#[derive(Debug, Default)]
struct Object {
    kind: Kind,
    class: Option<u32>,
    /// What it inherits from directly
    proto: Option<u32>,
    fields: BTreeMap<String, Cell>,
    /// What is under keys that are not known
    others: Cell,
}

/// What an object is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Plain,
    List,
    Dict,
}

/// What a function does, in terms of its parameters.
#[derive(Debug, Clone, Default)]
struct Behaviour {
    returns: Value,
    calls: Vec<CalledParam>,
}

/// A call of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CalledParam {
    from: Owner,
    param: u32,
    args: Vec<Value>,
}

/// Interprets one file.
pub(super) struct Machine<'a> {
    facts: &'a FileFacts,
    family: Family,
    /// The function or module that each symbol runs in; by symbol
    runs_in: Vec<Owner>,
    /// What runs when a function does
    bodies: HashMap<Owner, Rc<[u32]>>,
    /// The parameters of functions, with their bindings
    params: HashMap<u32, Vec<(u32, Option<u32>)>>,
    /// What symbols hold, by parent; the members of `impl`s are with their type
    members: HashMap<u32, BTreeMap<&'a str, Vec<u32>>>,
    /// What is declared at the top, or in a module
    tops: HashMap<(Owner, &'a str), Vec<u32>>,
    frames: Vec<Frame>,
    objects: Vec<Object>,
    /// What was assigned to members of classes and functions
    statics: HashMap<u32, BTreeMap<String, Cell>>,
    /// What was assigned to members of some instance
    instance: HashMap<u32, BTreeMap<String, Cell>>,
    prototypes: HashMap<u32, u32>,
    named: HashMap<String, Cell>,
    /// What constants and fields are worth
    worth: HashMap<u32, Value>,
    parents: HashMap<u32, Value>,
    lineages: HashMap<u32, Rc<[Atom]>>,
    /// The type that each `impl` is of, or a class itself
    homes: Vec<Owner>,
    /// Where each class says what it inherits from
    heritage: HashMap<u32, Vec<u32>>,
    behaviours: HashMap<u32, Behaviour>,
    /// What parameters are expected to be, by function and place
    expected: HashMap<(u32, u32), Value>,
    /// Functions whose summary is being made, outermost first
    making: Vec<u32>,
    /// Functions that ran with real arguments, to their end
    ran: HashSet<u32>,
    stack: Vec<u32>,
    active: Vec<Block>,
    /// How far members and types have led to one another: a field may be called as its type is
    depth: u32,
    budget: Budget,
    steps_left: u32,
    is_symbolic: bool,
    /// Whether edges are kept
    is_silent: bool,
    edges: BTreeMap<(Owner, Relation, u32), (Sure, u32)>,
    wants: Vec<(Owner, Want)>,
    unknown: BTreeMap<(Owner, String), u32>,
}

/// What a file says about calls.
pub(super) fn interpret(language: Language, facts: &FileFacts) -> Summary {
    let mut machine = Machine::new(family(language), facts);
    machine.run_module();
    machine.expect_annotated();
    machine.summarise_all();
    machine.refill();
    machine.relate();
    machine.finish()
}

const fn family(language: Language) -> Family {
    match language {
        Language::Python => Family::Python,
        Language::JavaScript | Language::TypeScript | Language::Tsx => Family::JavaScript,
        Language::Rust => Family::Rust,
        Language::Go => Family::Go,
        _ => Family::Classes,
    }
}

impl<'a> Machine<'a> {
    fn new(family: Family, facts: &'a FileFacts) -> Self {
        let mut machine = Self {
            facts,
            family,
            runs_in: runs_in(facts),
            bodies: HashMap::new(),
            params: HashMap::new(),
            members: HashMap::new(),
            tops: HashMap::new(),
            frames: vec![Frame::default()],
            objects: Vec::new(),
            statics: HashMap::new(),
            instance: HashMap::new(),
            prototypes: HashMap::new(),
            named: HashMap::new(),
            worth: HashMap::new(),
            parents: HashMap::new(),
            lineages: HashMap::new(),
            homes: Vec::new(),
            heritage: HashMap::new(),
            behaviours: HashMap::new(),
            expected: HashMap::new(),
            making: Vec::new(),
            ran: HashSet::new(),
            stack: Vec::new(),
            active: Vec::new(),
            depth: 0,
            budget: Budget::default(),
            steps_left: 0,
            is_symbolic: false,
            is_silent: false,
            edges: BTreeMap::new(),
            wants: Vec::new(),
            unknown: BTreeMap::new(),
        };
        machine.lay_out();
        machine
    }

    fn lay_out(&mut self) {
        let flow = &self.facts.flow;
        let mut bodies: HashMap<Owner, Vec<u32>> = HashMap::new();
        for (at, step) in (0..).zip(&flow.steps) {
            let body = step.owner.and_then(|owner| self.runs_in[owner as usize]);
            bodies.entry(body).or_default().push(at);
        }
        self.bodies = bodies.into_iter().map(|(owner, steps)| (owner, steps.into())).collect();
        let mut bindings: HashMap<u32, u32> = HashMap::new();
        for (at, binding) in (0..).zip(&flow.bindings) {
            if let BindingKind::Param(param) = binding.kind {
                bindings.insert(param, at);
            }
        }
        for (at, param) in (0..).zip(&flow.params) {
            let binding = bindings.get(&at).copied();
            self.params.entry(param.function).or_default().push((at, binding));
        }
        for (at, symbol) in (0..).zip(&self.facts.symbols) {
            if self.is_loose_method(at) {
                continue;
            }
            match symbol.parent {
                Some(parent) if !is_scope(self.kind(parent)) => {
                    let members = self.members.entry(parent).or_default();
                    members.entry(&symbol.name).or_default().push(at);
                }
                scope => {
                    self.tops.entry((scope, &symbol.name)).or_default().push(at);
                    if let Some(scope) = scope {
                        let members = self.members.entry(scope).or_default();
                        members.entry(&symbol.name).or_default().push(at);
                    }
                }
            }
        }
        let count = number(self.facts.symbols.len());
        self.homes = (0..count).map(|symbol| self.find_home(symbol)).collect();
        for (at, step) in (0..).zip(&self.facts.heritage) {
            let class = self.home(step.symbol).unwrap_or(step.symbol);
            self.heritage.entry(class).or_default().push(at);
        }
        self.join_impls();
        self.join_methods();
    }

    fn home(&self, symbol: u32) -> Owner {
        self.homes[symbol as usize]
    }

    /// The members of an `impl` belong to its type, where that is declared in the file.
    fn join_impls(&mut self) {
        for (at, symbol) in (0..).zip(&self.facts.symbols) {
            if symbol.kind != SymbolKind::Impl {
                continue;
            }
            if let Some(home) = self.home(at)
                && let Some(members) = self.members.get(&at).cloned()
            {
                let all = self.members.entry(home).or_default();
                for (name, mut symbols) in members {
                    all.entry(name).or_default().append(&mut symbols);
                }
            }
        }
    }

    fn kind(&self, symbol: u32) -> SymbolKind {
        self.facts.symbols[symbol as usize].kind
    }

    fn has_flag(&self, symbol: u32, flag: Flags) -> bool {
        self.facts.symbols[symbol as usize].flags.has(flag)
    }

    fn frame(&mut self, id: u32) -> &mut Frame {
        &mut self.frames[id as usize]
    }

    fn object(&mut self, object: Object) -> Atom {
        self.spend(DEAR);
        self.objects.push(object);
        Atom::Obj(number(self.objects.len() - 1))
    }

    fn push_frame(&mut self, frame: Frame) -> u32 {
        self.spend(DEAR);
        self.frames.push(frame);
        number(self.frames.len() - 1)
    }
}

/// Whether names in it are not members of it.
const fn is_scope(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}

/// The function that each symbol's own steps run in: itself if it has parameters, else the
/// nearest around it that has.
fn runs_in(facts: &FileFacts) -> Vec<Owner> {
    let mut all: Vec<Owner> = Vec::with_capacity(facts.symbols.len());
    for (at, symbol) in (0..).zip(&facts.symbols) {
        let around = symbol.parent.and_then(|parent| all[parent as usize]);
        all.push(if symbol.kind.is_callable() { Some(at) } else { around });
    }
    all
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
