//! Arguments, and how they reach parameters.

use syntax::{Arg, ParamKind, SymbolOwner};

use super::super::value::{AbstractValue, PossibleValue, join};
use super::{HeapObject, Interpreter, LanguageFamily, ObjectKind};

/// An argument with its value.
#[derive(Debug, Clone)]
pub(super) struct ArgValue {
    pub value: AbstractValue,
    pub name: Option<String>,
    pub spread: bool,
}

impl ArgValue {
    /// An argument given by its place.
    pub(super) const fn plain(value: AbstractValue) -> Self {
        Self { value, name: None, spread: false }
    }
}

impl Interpreter<'_> {
    /// The values of the arguments of a call.
    pub(super) fn eval_args(
        &mut self,
        args: &[Arg],
        frame: u32,
        owner: SymbolOwner,
    ) -> Vec<ArgValue> {
        let mut all = Vec::new();
        for arg in args {
            let value = self.eval(&arg.value, frame, owner);
            if arg.spread && arg.name.is_none() && self.expand_list(&value, &mut all) {
                continue;
            }
            let named = arg.name.clone().filter(|name| name != "**");
            if arg.spread
                && arg.name.is_some()
                && let [PossibleValue::Object(id)] = value.as_slice()
            {
                let fields = self.objects[*id as usize].fields.clone();
                all.extend(fields.into_iter().map(|(name, cell)| ArgValue {
                    value: cell.read(&self.active_blocks),
                    name: Some(name),
                    spread: false,
                }));
                continue;
            }
            all.push(ArgValue { value, name: named, spread: arg.spread });
        }
        all
    }

    /// A list that is spread out is so many arguments, where it is known.
    fn expand_list(&self, value: &[PossibleValue], into: &mut Vec<ArgValue>) -> bool {
        let [PossibleValue::Object(id)] = value else { return false };
        let object = &self.objects[*id as usize];
        if object.kind != ObjectKind::List
            || !object.unknown_keys.read(&self.active_blocks).is_empty()
        {
            return false;
        }
        into.extend(
            object.fields.values().map(|cell| ArgValue::plain(cell.read(&self.active_blocks))),
        );
        true
    }

    /// Gives the parameters of a function their arguments.
    pub(super) fn bind(
        &mut self,
        function: u32,
        frame: u32,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
    ) {
        let facts = self.facts;
        let mut places = args.iter().filter(|arg| arg.name.is_none()).peekable();
        let mut used: Vec<&str> = Vec::new();
        let params = self.params.get(&function).cloned().unwrap_or_default();
        for (at, binding) in params {
            let param = &facts.flow.params[at as usize];
            let by_name = args.iter().find(|arg| arg.name.as_deref() == Some(&param.name));
            let value = match (param.kind, by_name) {
                (ParamKind::Receiver, _) => match this {
                    Some(this) => Some(vec![this.clone()]),
                    // Called through its class, a method gets its receiver like any argument.
                    None => places.next().map(|arg| arg.value.clone()),
                },
                (ParamKind::Rest, _) => {
                    let rest: Vec<ArgValue> = places.by_ref().cloned().collect();
                    Some(vec![self.rest_list(&rest)])
                }
                (ParamKind::KeywordRest, _) => {
                    let left = args.iter().filter(|arg| {
                        arg.name.as_deref().is_some_and(|name| !used.contains(&name))
                    });
                    let left: Vec<ArgValue> = left.cloned().collect();
                    Some(vec![self.keyword_dict(&left)])
                }
                (_, Some(given)) => {
                    used.push(&param.name);
                    Some(given.value.clone())
                }
                (ParamKind::Keyword, None) => None,
                (ParamKind::Plain, None) => match places.peek() {
                    Some(many) if many.spread => {
                        let many = many.value.clone();
                        Some(self.elements_of(&many, Some(function)))
                    }
                    Some(_) => places.next().map(|arg| arg.value.clone()),
                    None => None,
                },
            };
            let value = match (value, &param.default) {
                (Some(value), _) => value,
                (None, Some(default)) => {
                    let around = self.frames[frame as usize].parent.unwrap_or(0);
                    self.eval(default, around, Some(function))
                }
                (None, None) => Vec::new(),
            };
            self.write_binding(frame, binding, value);
            if param.kind == ParamKind::Receiver
                && let Some(this) = this
            {
                self.frame_mut(frame).this = vec![this.clone()];
            }
        }
    }

    fn write_binding(&mut self, frame: u32, binding: Option<u32>, value: AbstractValue) {
        let Some(binding) = binding else { return };
        let active = self.active_blocks.clone();
        self.frame_mut(frame).vars.entry(binding).or_default().write(value, &active);
    }

    fn rest_list(&mut self, given: &[ArgValue]) -> PossibleValue {
        let made =
            self.alloc_object(HeapObject { kind: ObjectKind::List, ..HeapObject::default() });
        let PossibleValue::Object(id) = made else { return made };
        for (at, arg) in given.iter().enumerate() {
            if arg.spread {
                self.spread_into(id, &arg.value, None);
            } else {
                let key = PossibleValue::Number(i64::try_from(at).unwrap_or(0));
                self.put_at_key(id, &[key], arg.value.clone());
            }
        }
        made
    }

    fn keyword_dict(&mut self, given: &[ArgValue]) -> PossibleValue {
        let made =
            self.alloc_object(HeapObject { kind: ObjectKind::Dict, ..HeapObject::default() });
        let PossibleValue::Object(id) = made else { return made };
        for arg in given {
            if let Some(name) = &arg.name {
                self.put_at_key(
                    id,
                    &[PossibleValue::Text(name.as_str().into())],
                    arg.value.clone(),
                );
            }
        }
        made
    }

    /// Gives the parameters of a function what is known of them without a call.
    pub(super) fn bind_symbolic(&mut self, function: u32, frame: u32) {
        let facts = self.facts;
        let params = self.params.get(&function).cloned().unwrap_or_default();
        let has_run = self.executed.contains(&function);
        let has_this = !self.frames[frame as usize].this.is_empty();
        for (at, binding) in params {
            let param = &facts.flow.params[at as usize];
            let mut value = match &param.ty {
                Some(ty) if param.kind != ParamKind::Receiver || !has_this => {
                    self.instance_of(ty, Some(function))
                }
                _ => self
                    .expected_params
                    .get(&(function, param.position))
                    .cloned()
                    .unwrap_or_default(),
            };
            match param.kind {
                ParamKind::Receiver => {
                    let this = self.frames[frame as usize].this.clone();
                    join(&mut value, this);
                }
                ParamKind::Rest => value = vec![PossibleValue::Collection(value.into())],
                ParamKind::KeywordRest => {}
                ParamKind::Plain | ParamKind::Keyword => {
                    join(&mut value, [PossibleValue::Param(function, param.position)]);
                }
            }
            if !has_run && let Some(default) = &param.default {
                let around = self.frames[frame as usize].parent.unwrap_or(0);
                let default = self.eval(default, around, Some(function));
                join(&mut value, default);
            }
            self.write_binding(frame, binding, value);
        }
    }

    /// The first parameter of the function around, which Python calls `self`.
    pub(super) fn first_param(&self, frame: u32) -> Option<AbstractValue> {
        if self.family != LanguageFamily::Python {
            return None;
        }
        let mut at = Some(frame);
        while let Some(id) = at {
            let here = &self.frames[id as usize];
            let params = here.function.and_then(|function| self.params.get(&function));
            let receiver = params.and_then(|params| params.first());
            if let Some((param, Some(binding))) = receiver
                && self.facts.flow.params[*param as usize].kind == ParamKind::Receiver
            {
                return here.vars.get(binding).map(|cell| cell.read(&self.active_blocks));
            }
            at = here.parent;
        }
        None
    }
}
