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
mod builtin_functions;
mod call;
mod class;
mod container_methods;
mod context;
mod eval;
mod export;
mod go;
mod report;
mod run;
mod scope;
mod types;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use syntax::{
    BindingKind, CallModel as LanguageFamily, FileFacts, Language, SymbolFlags, SymbolKind,
    SymbolOwner,
};

pub(super) use export::module_scoped_name;
pub(super) use go::{ELEMENT_MEMBER, RESULT_MEMBER};

use super::summary::{EdgeConfidence, FileCallSummary, SymbolRelation, UnresolvedEdge};
use super::value::{AbstractValue, BlockRun, PossibleValue, ValueCell};
use budget::Budget;

/// Steps that calls from the module's own code may take, in all.
const CONCRETE_STEPS: u32 = 4_000;

/// Steps that calls from one function may take, when it runs for its summary.
const SYMBOLIC_STEPS: u32 = 200;

/// The block that what runs for a summary is in: it may not run.
const MAYBE_EXECUTED: u32 = u32::MAX;

/// Steps that a new object or frame costs, for the memory it takes.
const ALLOCATION_COST: usize = 4;

/// What is known of a run of a function.
#[derive(Debug, Default)]
struct CallFrame {
    function: SymbolOwner,
    /// The frame that the function was made in
    parent: Option<u32>,
    vars: HashMap<u32, ValueCell>,
    results: HashMap<u32, AbstractValue>,
    this: AbstractValue,
    returns: AbstractValue,
    yields: AbstractValue,
}

/// An object that was made.
#[derive(Debug, Default)]
struct HeapObject {
    kind: ObjectKind,
    class: Option<u32>,
    /// What it inherits from directly
    proto: Option<u32>,
    fields: BTreeMap<String, ValueCell>,
    /// What is under keys that are not known
    unknown_keys: ValueCell,
}

/// What an object is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ObjectKind {
    #[default]
    Plain,
    List,
    Dict,
}

/// What a function does, in terms of its parameters.
#[derive(Debug, Clone, Default)]
struct FunctionSummary {
    returns: AbstractValue,
    calls: Vec<LocalParamCall>,
}

/// A call of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LocalParamCall {
    from: SymbolOwner,
    param: u32,
    args: Vec<AbstractValue>,
}

/// Interprets one file.
pub(super) struct Interpreter<'a> {
    facts: &'a FileFacts,
    family: LanguageFamily,
    /// The function or module that each symbol runs in; by symbol
    enclosing_functions: Vec<SymbolOwner>,
    /// What runs when a function does
    bodies: HashMap<SymbolOwner, Rc<[u32]>>,
    /// The parameters of functions, with their bindings
    params: HashMap<u32, Vec<(u32, Option<u32>)>>,
    /// What symbols hold, by parent; the members of `impl`s are with their type
    members: HashMap<u32, BTreeMap<&'a str, Vec<u32>>>,
    /// What is declared at the top, or in a module
    top_level: HashMap<(SymbolOwner, &'a str), Vec<u32>>,
    frames: Vec<CallFrame>,
    objects: Vec<HeapObject>,
    /// What was assigned to members of classes and functions
    static_members: HashMap<u32, BTreeMap<String, ValueCell>>,
    /// What was assigned to members of some instance
    instance_members: HashMap<u32, BTreeMap<String, ValueCell>>,
    prototypes: HashMap<u32, u32>,
    free_names: HashMap<String, ValueCell>,
    /// What constants and fields are worth
    symbol_values: HashMap<u32, AbstractValue>,
    parent_classes: HashMap<u32, AbstractValue>,
    lineages: HashMap<u32, Rc<[PossibleValue]>>,
    /// The type that each `impl` is of, or a class itself
    self_types: Vec<SymbolOwner>,
    /// Where each class says what it inherits from
    heritage: HashMap<u32, Vec<u32>>,
    function_summaries: HashMap<u32, FunctionSummary>,
    /// What parameters are expected to be, by function and place
    expected_params: HashMap<(u32, u32), AbstractValue>,
    /// Functions whose summary is being made, outermost first
    summaries_in_progress: Vec<u32>,
    /// Functions that ran with real arguments, to their end
    executed: HashSet<u32>,
    call_stack: Vec<u32>,
    active_blocks: Vec<BlockRun>,
    /// How far members and types have led to one another: a field may be called as its type is
    lookup_depth: u32,
    budget: Budget,
    call_steps_left: u32,
    is_symbolic: bool,
    /// Whether edges are kept
    is_muted: bool,
    edges: BTreeMap<(SymbolOwner, SymbolRelation, u32), (EdgeConfidence, u32)>,
    unresolved_edges: Vec<(SymbolOwner, UnresolvedEdge)>,
    unresolved_calls: BTreeMap<(SymbolOwner, String), u32>,
}

/// What a file says about calls.
pub(super) fn interpret(language: Language, facts: &FileFacts) -> FileCallSummary {
    let mut machine = Interpreter::new(language.semantics().calls, facts);
    machine.run_module();
    machine.expect_annotated();
    machine.summarise_all();
    machine.refill();
    machine.record_relations();
    machine.into_summary()
}

impl<'a> Interpreter<'a> {
    fn new(family: LanguageFamily, facts: &'a FileFacts) -> Self {
        let mut machine = Self {
            facts,
            family,
            enclosing_functions: enclosing_functions(facts),
            bodies: HashMap::new(),
            params: HashMap::new(),
            members: HashMap::new(),
            top_level: HashMap::new(),
            frames: vec![CallFrame::default()],
            objects: Vec::new(),
            static_members: HashMap::new(),
            instance_members: HashMap::new(),
            prototypes: HashMap::new(),
            free_names: HashMap::new(),
            symbol_values: HashMap::new(),
            parent_classes: HashMap::new(),
            lineages: HashMap::new(),
            self_types: Vec::new(),
            heritage: HashMap::new(),
            function_summaries: HashMap::new(),
            expected_params: HashMap::new(),
            summaries_in_progress: Vec::new(),
            executed: HashSet::new(),
            call_stack: Vec::new(),
            active_blocks: Vec::new(),
            lookup_depth: 0,
            budget: Budget::default(),
            call_steps_left: 0,
            is_symbolic: false,
            is_muted: false,
            edges: BTreeMap::new(),
            unresolved_edges: Vec::new(),
            unresolved_calls: BTreeMap::new(),
        };
        machine.build_tables();
        machine
    }

    fn build_tables(&mut self) {
        let flow = &self.facts.flow;
        let mut bodies: HashMap<SymbolOwner, Vec<u32>> = HashMap::new();
        for (at, step) in (0..).zip(&flow.steps) {
            let body = step.owner.and_then(|owner| self.enclosing_functions[owner as usize]);
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
            if self.is_detached_method(at) {
                continue;
            }
            match symbol.parent {
                Some(parent) if !is_module_like(self.kind(parent)) => {
                    let members = self.members.entry(parent).or_default();
                    members.entry(&symbol.name).or_default().push(at);
                }
                scope => {
                    self.top_level.entry((scope, &symbol.name)).or_default().push(at);
                    if let Some(scope) = scope {
                        let members = self.members.entry(scope).or_default();
                        members.entry(&symbol.name).or_default().push(at);
                    }
                }
            }
        }
        let count = to_index(self.facts.symbols.len());
        self.self_types = (0..count).map(|symbol| self.find_self_type(symbol)).collect();
        for (at, step) in (0..).zip(&self.facts.heritage) {
            let class = self.self_type(step.symbol).unwrap_or(step.symbol);
            self.heritage.entry(class).or_default().push(at);
        }
        self.merge_impl_members();
        self.attach_methods();
    }

    fn self_type(&self, symbol: u32) -> SymbolOwner {
        self.self_types[symbol as usize]
    }

    /// The members of an `impl` belong to its type, where that is declared in the file.
    fn merge_impl_members(&mut self) {
        for (at, symbol) in (0..).zip(&self.facts.symbols) {
            if symbol.kind != SymbolKind::Impl {
                continue;
            }
            if let Some(home) = self.self_type(at)
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

    fn has_flag(&self, symbol: u32, flag: SymbolFlags) -> bool {
        self.facts.symbols[symbol as usize].flags.contains(flag)
    }

    fn frame_mut(&mut self, id: u32) -> &mut CallFrame {
        &mut self.frames[id as usize]
    }

    fn alloc_object(&mut self, object: HeapObject) -> PossibleValue {
        self.spend(ALLOCATION_COST);
        self.objects.push(object);
        PossibleValue::Object(to_index(self.objects.len() - 1))
    }

    fn push_frame(&mut self, frame: CallFrame) -> u32 {
        self.spend(ALLOCATION_COST);
        self.frames.push(frame);
        to_index(self.frames.len() - 1)
    }
}

/// Whether names in it are not members of it.
const fn is_module_like(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}

/// The function that each symbol's own steps run in: itself if it has parameters, else the
/// nearest around it that has.
fn enclosing_functions(facts: &FileFacts) -> Vec<SymbolOwner> {
    let mut all: Vec<SymbolOwner> = Vec::with_capacity(facts.symbols.len());
    for (at, symbol) in (0..).zip(&facts.symbols) {
        let around = symbol.parent.and_then(|parent| all[parent as usize]);
        all.push(if symbol.kind.is_callable() { Some(at) } else { around });
    }
    all
}

fn to_index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
