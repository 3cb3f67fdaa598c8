//! Arguments, and how they are bound to parameters.

use syntax::{Arg, ParamKind};

use super::super::ids::{BindingId, FrameId, Owner, SymbolId};
use super::super::value::{AbstractValue, ParamRef, PossibleValue, join};
use super::file_tables::FunctionParam;
use super::{CallModel, Interpreter, ObjectKind};

/// An argument with its value.
#[derive(Debug, Clone)]
pub(super) struct ArgValue {
    pub value: AbstractValue,
    pub name: Option<String>,
    pub spread: bool,
}

impl ArgValue {
    /// An argument that is given by position.
    pub(super) const fn plain(value: AbstractValue) -> Self {
        Self { value, name: None, spread: false }
    }
}

impl Interpreter<'_> {
    /// The values of the arguments of a call.
    pub(super) fn eval_args(
        &mut self,
        args: &[Arg],
        frame: FrameId,
        owner: Owner,
    ) -> Vec<ArgValue> {
        let mut all = Vec::new();
        for arg in args {
            let value = self.eval(&arg.value, frame, owner);
            if arg.spread
                && arg.name.is_none()
                && let Some(mut elements) = self.heap.known_elements(&value)
            {
                all.append(&mut elements);
                continue;
            }
            let named = arg.name.clone().filter(|name| name != "**");
            if arg.spread
                && arg.name.is_some()
                && let [PossibleValue::Object(id)] = value.as_slice()
            {
                let fields = self.heap.fields(*id).into_iter();
                all.extend(fields.map(|(name, value)| ArgValue {
                    value,
                    name: Some(name),
                    spread: false,
                }));
                continue;
            }
            all.push(ArgValue { value, name: named, spread: arg.spread });
        }
        all
    }

    /// Binds the arguments of a call to the parameters of a function.
    pub(super) fn bind(
        &mut self,
        function: SymbolId,
        frame: FrameId,
        this: Option<&PossibleValue>,
        args: &[ArgValue],
    ) {
        let mut places = args.iter().filter(|arg| arg.name.is_none()).peekable();
        let mut used: Vec<&str> = Vec::new();
        for FunctionParam { param, binding } in self.tables.params(function) {
            let by_name = args.iter().find(|arg| arg.name.as_deref() == Some(&param.name));
            let value = match (param.kind, by_name) {
                (ParamKind::Receiver, _) => match this {
                    Some(this) => Some(vec![this.clone()]),
                    // A method that is called through its class gets its receiver as the first
                    // argument.
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
                    let around = self.heap.frame(frame).parent.unwrap_or(FrameId::MODULE);
                    self.eval(default, around, Some(function))
                }
                (None, None) => Vec::new(),
            };
            self.write_binding(frame, *binding, value);
            if param.kind == ParamKind::Receiver
                && let Some(this) = this
            {
                self.heap.frame_mut(frame).this = vec![this.clone()];
            }
        }
    }

    fn write_binding(&mut self, frame: FrameId, binding: Option<BindingId>, value: AbstractValue) {
        if let Some(binding) = binding {
            self.heap.write_variable(frame, binding, value);
        }
    }

    fn rest_list(&mut self, given: &[ArgValue]) -> PossibleValue {
        let id = self.alloc_kind(ObjectKind::List);
        for (at, arg) in given.iter().enumerate() {
            if arg.spread {
                self.spread_into(id, &arg.value, None);
            } else {
                let key = PossibleValue::Number(i64::try_from(at).unwrap_or(0));
                self.put_at_key(id, &[key], arg.value.clone());
            }
        }
        PossibleValue::Object(id)
    }

    fn keyword_dict(&mut self, given: &[ArgValue]) -> PossibleValue {
        let id = self.alloc_kind(ObjectKind::Dict);
        for arg in given {
            if let Some(name) = &arg.name {
                self.put_at_key(
                    id,
                    &[PossibleValue::Text(name.as_str().into())],
                    arg.value.clone(),
                );
            }
        }
        PossibleValue::Object(id)
    }

    /// Binds the parameters of a function to what is known about them without a call: the declared
    /// type, else the expected one, and the default.
    pub(super) fn bind_symbolic(&mut self, function: SymbolId, frame: FrameId) {
        let has_run = self.summaries.is_executed(function);
        let has_this = !self.heap.frame(frame).this.is_empty();
        for FunctionParam { param, binding } in self.tables.params(function) {
            let reference = ParamRef { function, position: param.position };
            let mut value = match &param.ty {
                Some(ty) if param.kind != ParamKind::Receiver || !has_this => {
                    self.instance_of(ty, Some(function))
                }
                _ => self.summaries.expected(reference),
            };
            match param.kind {
                ParamKind::Receiver => {
                    let this = self.heap.frame(frame).this.clone();
                    join(&mut value, this);
                }
                ParamKind::Rest => value = vec![PossibleValue::Collection(value.into())],
                ParamKind::KeywordRest => {}
                ParamKind::Plain | ParamKind::Keyword => {
                    join(&mut value, [PossibleValue::Param(reference)]);
                }
            }
            if !has_run && let Some(default) = &param.default {
                let around = self.heap.frame(frame).parent.unwrap_or(FrameId::MODULE);
                let default = self.eval(default, around, Some(function));
                join(&mut value, default);
            }
            self.write_binding(frame, *binding, value);
        }
    }

    /// The value of the receiver parameter of the nearest Python method around, which is usually
    /// named `self`.
    pub(super) fn first_param(&self, frame: FrameId) -> Option<AbstractValue> {
        if self.tables.family != CallModel::Python {
            return None;
        }
        let tables = self.tables;
        self.heap.frames_outward(frame).find_map(|id| {
            let function = self.heap.frame(id).function?;
            let first = tables.params(function).first()?;
            let binding = first.binding.filter(|_| first.param.kind == ParamKind::Receiver)?;
            Some(self.heap.variable(id, binding))
        })?
    }
}
