//! The memory of the interpreter: frames, objects, and the values of members and names.
//!
//! Every read and write happens inside the blocks that are running (`active_blocks`): an assignment
//! in a branch hides the earlier value inside that branch and is one of several possible values
//! after it.

use std::collections::{BTreeMap, HashMap};

use super::super::ids::{BindingId, BlockId, CallId, FrameId, ObjectId, Owner, SymbolId};
use super::super::value::{AbstractValue, BlockRun, PossibleValue, ValueCell, join};
use super::CallModel;
use super::args::ArgValue;
use super::budget::Budget;

/// How many fields of an object have a value of their own. Further ones share one value.
const MAX_FIELDS: usize = 256;

/// State of one function invocation.
#[derive(Debug, Default)]
pub(super) struct CallFrame {
    /// The function; `None` for the module
    pub function: Owner,
    /// The frame that the function was created in
    pub parent: Option<FrameId>,
    vars: HashMap<BindingId, ValueCell>,
    /// The results of the calls that this invocation made
    pub results: HashMap<CallId, AbstractValue>,
    pub this: AbstractValue,
    pub returns: AbstractValue,
    pub yields: AbstractValue,
}

/// An object that was allocated.
#[derive(Debug, Default)]
pub(super) struct HeapObject {
    pub kind: ObjectKind,
    pub class: Option<SymbolId>,
    /// The object that it inherits from directly
    pub proto: Option<ObjectId>,
    fields: BTreeMap<String, ValueCell>,
    /// The values under keys that are not known
    unknown_keys: ValueCell,
}

impl CallFrame {
    /// The state at the start of an invocation.
    pub(super) fn new(function: SymbolId, parent: FrameId, this: AbstractValue) -> Self {
        Self { function: Some(function), parent: Some(parent), this, ..Self::default() }
    }
}

impl HeapObject {
    /// An object without a class.
    pub(super) fn of_kind(kind: ObjectKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// An instance of a class of the file.
    pub(super) fn of_class(class: SymbolId) -> Self {
        Self { class: Some(class), ..Self::default() }
    }

    /// An object that inherits from another one.
    pub(super) fn with_proto(proto: Option<ObjectId>) -> Self {
        Self { proto, ..Self::default() }
    }
}

/// What an object is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// An instance of a class, or an object literal
    #[default]
    Plain,
    List,
    Dict,
}

/// Whether an assignment certainly reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignment {
    /// It does, so that it replaces the earlier value
    Certain,
    /// The target is one of several objects, so that the earlier value remains possible
    Possible,
}

/// Members by name.
type Members = BTreeMap<String, ValueCell>;

/// The memory of the interpreter.
#[derive(Debug)]
pub(super) struct Heap {
    family: CallModel,
    frames: Vec<CallFrame>,
    objects: Vec<HeapObject>,
    /// What was assigned to members of classes and functions
    static_members: HashMap<SymbolId, Members>,
    /// What was assigned to members of some instance of a class
    instance_members: HashMap<SymbolId, Members>,
    prototypes: HashMap<SymbolId, ObjectId>,
    /// Values of names that no binding of the file declares
    free_names: HashMap<String, ValueCell>,
    /// Values of constants and fields
    symbol_values: HashMap<SymbolId, AbstractValue>,
    /// The blocks that are running, outermost first
    active_blocks: Vec<BlockRun>,
}

impl Heap {
    /// A heap that has only the frame of the module.
    pub(super) fn new(family: CallModel) -> Self {
        Self {
            family,
            frames: vec![CallFrame::default()],
            objects: Vec::new(),
            static_members: HashMap::new(),
            instance_members: HashMap::new(),
            prototypes: HashMap::new(),
            free_names: HashMap::new(),
            symbol_values: HashMap::new(),
            active_blocks: Vec::new(),
        }
    }

    /// Enters a block of a frame.
    pub(super) fn enter_block(&mut self, frame: FrameId, block: BlockId) {
        self.active_blocks.push(BlockRun { frame, block });
    }

    /// Leaves the block that was entered last.
    pub(super) fn leave_block(&mut self) {
        self.active_blocks.pop();
    }

    /// Whether some block is running.
    pub(super) const fn is_in_block(&self) -> bool {
        !self.active_blocks.is_empty()
    }

    /// Replaces the running blocks, and returns the ones before.
    pub(super) const fn replace_blocks(&mut self, blocks: Vec<BlockRun>) -> Vec<BlockRun> {
        std::mem::replace(&mut self.active_blocks, blocks)
    }

    fn read(&self, cell: &ValueCell) -> AbstractValue {
        cell.read(&self.active_blocks)
    }

    // Frames.

    pub(super) fn frame(&self, id: FrameId) -> &CallFrame {
        &self.frames[id.index()]
    }

    pub(super) fn frame_mut(&mut self, id: FrameId) -> &mut CallFrame {
        &mut self.frames[id.index()]
    }

    /// Adds a frame.
    pub(super) fn push_frame(&mut self, budget: &mut Budget, frame: CallFrame) -> FrameId {
        budget.spend_allocation();
        self.frames.push(frame);
        FrameId::at(self.frames.len() - 1)
    }

    /// A frame and the frames that its function was created in, innermost first.
    pub(super) fn frames_outward(&self, from: FrameId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(Some(from), |id| self.frame(*id).parent)
    }

    /// The latest frame of a function or of the module.
    pub(super) fn latest_frame(&self, function: Owner) -> Option<FrameId> {
        self.frames.iter().rposition(|frame| frame.function == function).map(FrameId::at)
    }

    /// The frame that was added last.
    pub(super) fn last_frame(&self) -> FrameId {
        FrameId::at(self.frames.len() - 1)
    }

    /// The value of a variable; `None` if nothing was assigned to it.
    pub(super) fn variable(&self, frame: FrameId, binding: BindingId) -> Option<AbstractValue> {
        self.frame(frame).vars.get(&binding).map(|cell| self.read(cell))
    }

    /// Assigns a value to a variable.
    pub(super) fn write_variable(
        &mut self,
        frame: FrameId,
        binding: BindingId,
        value: AbstractValue,
    ) {
        let vars = &mut self.frames[frame.index()].vars;
        vars.entry(binding).or_default().write(value, &self.active_blocks);
    }

    /// Adds to the possible values of a variable.
    pub(super) fn add_to_variable(
        &mut self,
        frame: FrameId,
        binding: BindingId,
        value: AbstractValue,
    ) {
        self.frame_mut(frame).vars.entry(binding).or_default().add(value);
    }

    // Objects.

    pub(super) fn object(&self, id: ObjectId) -> &HeapObject {
        &self.objects[id.index()]
    }

    pub(super) fn object_mut(&mut self, id: ObjectId) -> &mut HeapObject {
        &mut self.objects[id.index()]
    }

    /// Adds an object.
    pub(super) fn alloc(&mut self, budget: &mut Budget, object: HeapObject) -> ObjectId {
        budget.spend_allocation();
        self.objects.push(object);
        ObjectId::at(self.objects.len() - 1)
    }

    /// The object that all instances of a constructor function inherit from.
    pub(super) fn prototype(&mut self, budget: &mut Budget, function: SymbolId) -> ObjectId {
        if let Some(known) = self.prototypes.get(&function) {
            return *known;
        }
        let id = self.alloc(budget, HeapObject::default());
        self.prototypes.insert(function, id);
        id
    }

    /// The object that instances of a constructor function inherit from, if anything uses it.
    pub(super) fn known_prototype(&self, function: SymbolId) -> Option<ObjectId> {
        self.prototypes.get(&function).copied()
    }

    /// Whether instances of a constructor function inherit from an object.
    pub(super) fn is_prototype(&self, id: ObjectId) -> bool {
        self.prototypes.values().any(|one| *one == id)
    }

    /// The class of an object or an instance.
    pub(super) fn class_of(&self, value: &PossibleValue) -> Option<SymbolId> {
        match value {
            PossibleValue::Object(id) => self.object(*id).class,
            PossibleValue::Instance(class) => Some(*class),
            _ => None,
        }
    }

    /// The value of a field; `None` if the object has no such field.
    pub(super) fn field(&self, id: ObjectId, name: &str) -> Option<AbstractValue> {
        self.object(id).fields.get(name).map(|cell| self.read(cell))
    }

    /// The fields of an object with their values.
    pub(super) fn fields(&self, id: ObjectId) -> Vec<(String, AbstractValue)> {
        let fields = self.object(id).fields.iter();
        fields.map(|(name, cell)| (name.clone(), self.read(cell))).collect()
    }

    /// The fields of an object with everything that they may hold, whichever blocks are running.
    pub(super) fn all_fields(&self, id: ObjectId) -> Vec<(String, AbstractValue)> {
        let fields = self.object(id).fields.iter();
        fields.map(|(name, cell)| (name.clone(), cell.read(&[]))).collect()
    }

    /// Everything under keys that are not known, whichever blocks are running.
    pub(super) fn all_unknown_keys(&self, id: ObjectId) -> AbstractValue {
        self.object(id).unknown_keys.read(&[])
    }

    /// The names of the fields of an object.
    pub(super) fn field_names(&self, id: ObjectId) -> impl Iterator<Item = &str> {
        self.object(id).fields.keys().map(String::as_str)
    }

    /// The values under keys that are not known.
    pub(super) fn unknown_keys(&self, id: ObjectId) -> AbstractValue {
        self.read(&self.object(id).unknown_keys)
    }

    /// Adds a value under a key that is not known.
    pub(super) fn add_unknown_key(&mut self, id: ObjectId, value: AbstractValue) {
        self.object_mut(id).unknown_keys.add(value);
    }

    /// The number of fields that have a value of their own.
    pub(super) fn field_count(&self, id: ObjectId) -> usize {
        self.object(id).fields.len()
    }

    /// All values that an object holds.
    pub(super) fn object_values(&self, id: ObjectId) -> AbstractValue {
        let mut all = self.unknown_keys(id);
        for cell in self.object(id).fields.values() {
            join(&mut all, self.read(cell));
        }
        all
    }

    /// All values that some objects hold.
    pub(super) fn contents(&self, objects: &[PossibleValue]) -> AbstractValue {
        let mut all = Vec::new();
        for value in objects {
            if let PossibleValue::Object(id) = value {
                join(&mut all, self.object_values(*id));
            }
        }
        all
    }

    /// Whether a value is an object that stands for a function type: its members are parameters.
    pub(super) fn is_function_type(&self, value: &PossibleValue) -> bool {
        let PossibleValue::Object(id) = value else { return false };
        self.field_names(*id).any(|name| name.starts_with('('))
    }

    /// Assigns a value to a field.
    pub(super) fn write_field(
        &mut self,
        id: ObjectId,
        name: &str,
        value: AbstractValue,
        assignment: Assignment,
    ) {
        let blocks = blocks(&self.active_blocks, assignment);
        let fields = &mut self.objects[id.index()].fields;
        fields.entry(name.to_owned()).or_default().write(value, &blocks);
    }

    /// The values under some keys; all values if none of the keys is known.
    pub(super) fn read_keys(&self, id: ObjectId, keys: &[PossibleValue]) -> AbstractValue {
        let known: Vec<String> = keys.iter().filter_map(key_text).collect();
        if known.is_empty() {
            return self.object_values(id);
        }
        let kind = self.object(id).kind;
        let mut all = Vec::new();
        for key in known {
            join(&mut all, self.field(id, &self.field_name(kind, &key)).unwrap_or_default());
        }
        join(&mut all, self.unknown_keys(id));
        all
    }

    /// Stores a value under one of some keys.
    pub(super) fn write_keys(
        &mut self,
        budget: &mut Budget,
        id: ObjectId,
        keys: &[PossibleValue],
        value: AbstractValue,
    ) {
        let value = budget.charge_value(value);
        let kind = self.object(id).kind;
        let names = keys.iter().filter_map(key_text).map(|key| self.field_name(kind, &key));
        let names: Vec<String> = names.collect();
        // A list that is added to itself in a loop doubles with each iteration.
        if names.is_empty() || self.field_count(id) >= MAX_FIELDS {
            self.add_unknown_key(id, value);
            return;
        }
        let fields = &mut self.objects[id.index()].fields;
        if let [name] = names.as_slice() {
            fields.entry(name.clone()).or_default().write(value, &self.active_blocks);
            return;
        }
        for name in names {
            fields.entry(name).or_default().add(value.clone());
        }
    }

    /// The name of the field that a key stands for. In JavaScript numbers are texts.
    fn field_name(&self, kind: ObjectKind, key: &str) -> String {
        match (self.family, kind) {
            (CallModel::JavaScript, _) | (_, ObjectKind::List) => {
                key.trim_start_matches('#').to_owned()
            }
            _ => key.to_owned(),
        }
    }

    /// The elements of a list as separate arguments; `None` if they are not all known.
    pub(super) fn known_elements(&self, value: &[PossibleValue]) -> Option<Vec<ArgValue>> {
        let [PossibleValue::Object(id)] = value else { return None };
        let is_known =
            self.object(*id).kind == ObjectKind::List && self.unknown_keys(*id).is_empty();
        is_known.then(|| self.fields_as_args(*id))
    }

    /// The fields of an object as separate arguments, without their names.
    pub(super) fn fields_as_args(&self, id: ObjectId) -> Vec<ArgValue> {
        let cells = self.object(id).fields.values();
        cells.map(|cell| ArgValue::plain(self.read(cell))).collect()
    }

    // Members and names.

    /// What was assigned to a member of a class or a function.
    pub(super) fn static_member(&self, symbol: SymbolId, name: &str) -> AbstractValue {
        let cell = self.static_members.get(&symbol).and_then(|all| all.get(name));
        cell.map(|cell| self.read(cell)).unwrap_or_default()
    }

    /// Assigns a value to a member of a class or a function.
    pub(super) fn write_static_member(
        &mut self,
        symbol: SymbolId,
        name: &str,
        value: AbstractValue,
        assignment: Assignment,
    ) {
        let blocks = blocks(&self.active_blocks, assignment);
        let members = self.static_members.entry(symbol).or_default();
        members.entry(name.to_owned()).or_default().write(value, &blocks);
    }

    /// What was assigned to a member of some instance of a class.
    pub(super) fn instance_member(&self, class: SymbolId, name: &str) -> AbstractValue {
        let cell = self.instance_members.get(&class).and_then(|all| all.get(name));
        cell.map(|cell| self.read(cell)).unwrap_or_default()
    }

    /// Adds to what a member of some instance of a class may hold.
    pub(super) fn add_instance_member(
        &mut self,
        class: SymbolId,
        name: &str,
        value: AbstractValue,
    ) {
        let members = self.instance_members.entry(class).or_default();
        members.entry(name.to_owned()).or_default().add(value);
    }

    /// Everything that was assigned to members of a class, those of its instances first.
    pub(super) fn assigned_members(&self, class: SymbolId) -> Vec<(String, AbstractValue)> {
        let tables = [self.instance_members.get(&class), self.static_members.get(&class)];
        let members = tables.into_iter().flatten().flatten();
        members.map(|(name, cell)| (name.clone(), cell.read(&[]))).collect()
    }

    /// The value of a name that no binding of the file declares.
    pub(super) fn free_name(&self, name: &str) -> AbstractValue {
        self.free_names.get(name).map(|cell| self.read(cell)).unwrap_or_default()
    }

    /// Assigns a value to a name that no binding of the file declares.
    pub(super) fn write_free_name(&mut self, name: &str, value: AbstractValue) {
        let cell = self.free_names.entry(name.to_owned()).or_default();
        cell.write(value, &self.active_blocks);
    }

    /// Adds to the possible values of a name that no binding of the file declares.
    pub(super) fn add_to_free_name(&mut self, name: &str, value: AbstractValue) {
        self.free_names.entry(name.to_owned()).or_default().add(value);
    }

    /// The value of a constant or a field.
    pub(super) fn symbol_value(&self, symbol: SymbolId) -> AbstractValue {
        self.symbol_values.get(&symbol).cloned().unwrap_or_default()
    }

    /// Adds to the possible values of a constant or a field.
    pub(super) fn add_symbol_value(&mut self, symbol: SymbolId, value: AbstractValue) {
        join(self.symbol_values.entry(symbol).or_default(), value);
    }
}

/// The blocks that an assignment happens in.
fn blocks(active: &[BlockRun], assignment: Assignment) -> Vec<BlockRun> {
    let mut blocks = active.to_vec();
    if assignment == Assignment::Possible {
        blocks.push(BlockRun { frame: FrameId::NONE, block: BlockId::MAYBE_EXECUTED });
    }
    blocks
}

/// The value that a field name of a dictionary stands for; numbers are marked with `#`.
pub(super) fn key_value(key: &str) -> PossibleValue {
    match key.strip_prefix('#').and_then(|number| number.parse().ok()) {
        Some(number) => PossibleValue::Number(number),
        None => PossibleValue::Text(key.into()),
    }
}

/// A key as text, numbers marked with `#`; `None` if the key is not known.
fn key_text(key: &PossibleValue) -> Option<String> {
    match key {
        PossibleValue::Text(text) => Some(text.to_string()),
        PossibleValue::Number(number) => Some(format!("#{number}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: PossibleValue = PossibleValue::Number(1);
    const SECOND: PossibleValue = PossibleValue::Number(2);

    fn object(heap: &mut Heap, kind: ObjectKind) -> ObjectId {
        heap.alloc(&mut Budget::default(), HeapObject::of_kind(kind))
    }

    #[test]
    fn an_assignment_in_a_branch_is_one_of_two_values_after_it() {
        let mut heap = Heap::new(CallModel::Python);
        let variable = BindingId::at(0);
        heap.write_variable(FrameId::MODULE, variable, vec![FIRST]);
        heap.enter_block(FrameId::MODULE, BlockId::from(0));
        heap.write_variable(FrameId::MODULE, variable, vec![SECOND]);
        assert_eq!(heap.variable(FrameId::MODULE, variable), Some(vec![SECOND]));
        heap.leave_block();
        assert_eq!(heap.variable(FrameId::MODULE, variable), Some(vec![FIRST, SECOND]));
    }

    #[test]
    fn an_assignment_to_one_of_several_objects_keeps_the_earlier_value() {
        let mut heap = Heap::new(CallModel::Python);
        let id = object(&mut heap, ObjectKind::Plain);
        heap.write_field(id, "f", vec![FIRST], Assignment::Certain);
        heap.write_field(id, "f", vec![SECOND], Assignment::Possible);
        assert_eq!(heap.field(id, "f"), Some(vec![FIRST, SECOND]));
        heap.write_field(id, "f", vec![SECOND], Assignment::Certain);
        assert_eq!(heap.field(id, "f"), Some(vec![SECOND]));
    }

    #[test]
    fn a_prototype_is_allocated_once_and_paid_for() {
        let mut heap = Heap::new(CallModel::JavaScript);
        let mut budget = Budget::default();
        let before = budget.steps_left();
        let prototype = heap.prototype(&mut budget, SymbolId::at(3));
        let after = budget.steps_left();
        assert!(after < before);
        assert_eq!(heap.prototype(&mut budget, SymbolId::at(3)), prototype);
        assert_eq!(budget.steps_left(), after);
    }

    #[test]
    fn a_number_is_a_text_key_in_javascript_alone() {
        for (family, expected) in
            [(CallModel::JavaScript, vec![FIRST]), (CallModel::Python, vec![])]
        {
            let mut heap = Heap::new(family);
            let id = object(&mut heap, ObjectKind::Dict);
            let number = PossibleValue::Number(7);
            heap.write_keys(&mut Budget::default(), id, &[number], vec![FIRST]);
            assert_eq!(heap.read_keys(id, &[PossibleValue::Text("7".into())]), expected);
        }
    }

    #[test]
    fn a_key_that_is_not_known_may_be_any() {
        let mut heap = Heap::new(CallModel::Python);
        let id = object(&mut heap, ObjectKind::Dict);
        let text = |text: &str| [PossibleValue::Text(text.into())];
        heap.write_keys(&mut Budget::default(), id, &text("a"), vec![FIRST]);
        heap.write_keys(&mut Budget::default(), id, &[], vec![SECOND]);
        assert_eq!(heap.read_keys(id, &text("a")), vec![FIRST, SECOND]);
        assert_eq!(heap.read_keys(id, &text("b")), vec![SECOND]);
        assert_eq!(heap.read_keys(id, &[]), vec![SECOND, FIRST]);
    }
}
