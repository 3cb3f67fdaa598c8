//! Values and calls.

use base::Span;
use oxc_ast::ast::{
    Argument, AssignmentExpression, BinaryExpression, CallExpression, ChainElement,
    ConditionalExpression, Expression, LogicalExpression, MemberExpression, NewExpression,
    TaggedTemplateExpression, YieldExpression,
};
use oxc_span::GetSpan;
use oxc_syntax::operator::{AssignmentOperator, LogicalOperator};

use super::function::is_function_or_class;
use super::span;
use super::walk::{DeclarationHeader, JavaScriptWalker};
use crate::model::{
    Arg, AssignTarget, CallKind, Expr, FlowAction, FlowBlockKind, ImportKind, SymbolFlags,
    SymbolKind, SymbolOwner, Visibility,
};

/// Functions of test frameworks whose callbacks are tests.
const TESTS: [&str; 6] = ["it", "test", "describe", "suite", "bench", "specify"];

impl<'a> JavaScriptWalker<'_, '_> {
    /// A value.
    pub(super) fn expr(&mut self, value: &Expression<'a>) -> Expr {
        self.value(value, None)
    }

    /// A value, whose functions belong to `inside` when it is an object.
    pub(super) fn value(&mut self, value: &Expression<'a>, inside: SymbolOwner) -> Expr {
        match value {
            Expression::Identifier(name) => self.name(name),
            Expression::StringLiteral(text) => super::literal::text(&text.value),
            Expression::NumericLiteral(number) => super::literal::number(number.value),
            Expression::CallExpression(call) => self.call(call),
            Expression::ThisExpression(_) => Expr::This,
            Expression::Super(_) => Expr::Super,
            Expression::ObjectExpression(object) => self.object(object, inside),
            Expression::ArrayExpression(array) => self.array(array),
            Expression::ArrowFunctionExpression(arrow) => self.anonymous_arrow(arrow),
            Expression::FunctionExpression(function) => self.anonymous_function(function),
            Expression::ClassExpression(class) => Expr::Symbol(self.class(class, None)),
            Expression::NewExpression(new) => self.new_call(new),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::AwaitExpression(inner) => self.value(&inner.argument, inside),
            Expression::ParenthesizedExpression(inner) => self.value(&inner.expression, inside),
            Expression::BinaryExpression(binary) => self.binary(binary),
            Expression::LogicalExpression(logical) => self.logical(logical),
            Expression::ConditionalExpression(conditional) => self.conditional(conditional),
            Expression::ChainExpression(chain) => self.chain(&chain.expression),
            Expression::SequenceExpression(sequence) => {
                let mut last = Expr::Unknown;
                for part in &sequence.expressions {
                    last = self.expr(part);
                }
                last
            }
            Expression::UnaryExpression(inner) => self.walk_without_value(&inner.argument),
            Expression::UpdateExpression(inner) => {
                self.place(&inner.argument);
                Expr::Unknown
            }
            Expression::YieldExpression(inner) => self.yield_expr(inner),
            other => self.uncommon_expr(other, inside),
        }
    }

    fn uncommon_expr(&mut self, value: &Expression<'a>, inside: SymbolOwner) -> Expr {
        match value {
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::TaggedTemplateExpression(tagged) => self.tagged(tagged),
            Expression::ImportExpression(import) => self.dynamic_import(import),
            Expression::JSXElement(element) => self.element(element),
            Expression::JSXFragment(fragment) => {
                self.children(&fragment.children);
                Expr::Unknown
            }
            Expression::TSAsExpression(inner) => {
                let value = self.value(&inner.expression, inside);
                let ty = self.ty(&inner.type_annotation);
                value.typed(ty)
            }
            Expression::TSTypeAssertion(inner) => {
                let value = self.value(&inner.expression, inside);
                let ty = self.ty(&inner.type_annotation);
                value.typed(ty)
            }
            Expression::TSSatisfiesExpression(inner) => {
                self.ty(&inner.type_annotation);
                self.value(&inner.expression, inside)
            }
            Expression::TSNonNullExpression(inner) => self.value(&inner.expression, inside),
            Expression::TSInstantiationExpression(inner) => {
                self.type_arguments(Some(&inner.type_arguments));
                self.value(&inner.expression, inside)
            }
            Expression::PrivateInExpression(inner) => self.walk_without_value(&inner.right),
            value => {
                value.as_member_expression().map_or(Expr::Unknown, |member| self.member(member))
            }
        }
    }

    fn walk_without_value(&mut self, value: &Expression<'a>) -> Expr {
        self.expr(value);
        Expr::Unknown
    }

    /// Long sums nest to the left; they are walked without recursion.
    fn binary(&mut self, binary: &BinaryExpression<'a>) -> Expr {
        let mut rights = vec![&binary.right];
        let mut left = &binary.left;
        while let Expression::BinaryExpression(inner) = left {
            rights.push(&inner.right);
            left = &inner.left;
        }
        self.expr(left);
        for right in rights.into_iter().rev() {
            self.expr(right);
        }
        Expr::Unknown
    }

    fn logical(&mut self, logical: &LogicalExpression<'a>) -> Expr {
        let left = self.expr(&logical.left);
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let right = self.expr(&logical.right);
        self.builder.restore_position(back);
        match logical.operator {
            LogicalOperator::And => right,
            LogicalOperator::Or | LogicalOperator::Coalesce => Expr::either([left, right]),
        }
    }

    fn conditional(&mut self, conditional: &ConditionalExpression<'a>) -> Expr {
        self.expr(&conditional.test);
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let yes = self.expr(&conditional.consequent);
        self.builder.restore_position(back);
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let no = self.expr(&conditional.alternate);
        self.builder.restore_position(back);
        Expr::either([yes, no])
    }

    fn yield_expr(&mut self, inner: &YieldExpression<'a>) -> Expr {
        let value = inner.argument.as_ref().map_or(Expr::Unknown, |value| self.expr(value));
        if value != Expr::Unknown {
            let action = if inner.delegate {
                FlowAction::YieldFrom(value)
            } else {
                FlowAction::Yield(value)
            };
            self.builder.add_step(action);
        }
        Expr::Unknown
    }

    fn chain(&mut self, element: &ChainElement<'a>) -> Expr {
        match element {
            ChainElement::CallExpression(call) => self.call(call),
            ChainElement::TSNonNullExpression(inner) => self.expr(&inner.expression),
            member => self.member(member.to_member_expression()),
        }
    }

    /// A member, read.
    pub(super) fn member(&mut self, member: &MemberExpression<'a>) -> Expr {
        match member {
            MemberExpression::StaticMemberExpression(inner) => {
                let object = self.expr(&inner.object);
                self.mention_member(&object, &inner.property.name, inner.property.span.start);
                object.member(inner.property.name.as_str())
            }
            MemberExpression::ComputedMemberExpression(inner) => {
                let object = self.expr(&inner.object);
                let key = self.expr(&inner.expression);
                object.index(key)
            }
            MemberExpression::PrivateFieldExpression(inner) => {
                let object = self.expr(&inner.object);
                object.member(format!("#{}", inner.field.name))
            }
        }
    }

    /// Notes a member of an imported namespace.
    fn mention_member(&mut self, object: &Expr, name: &str, at: u32) {
        if let Expr::Local(local) = object
            && self.is_namespace(*local)
        {
            self.builder.add_mention(&object.clone().member(name), false, at);
        }
    }

    fn call(&mut self, call: &CallExpression<'a>) -> Expr {
        let callee = self.expr(&call.callee);
        if let Some(import) = self.require_call(call, &callee) {
            return import;
        }
        let types = self.type_arguments(call.type_arguments.as_deref());
        drop(types);
        let args = self.args(&call.arguments);
        self.mark_tests(&callee, &args);
        self.builder.add_call(
            CallKind::Call,
            callee,
            args,
            span(call.span),
            callee_name_offset(&call.callee),
        )
    }

    /// `require("x")`, unless `require` is something of this file.
    fn require_call(&mut self, call: &CallExpression<'a>, callee: &Expr) -> Option<Expr> {
        let is_require = match callee {
            Expr::Name(name) => name == "require",
            Expr::Member(object, name) => {
                **object == Expr::Name("require".into()) && name == "resolve"
            }
            _ => false,
        };
        let [Argument::StringLiteral(specifier)] = call.arguments.as_slice() else { return None };
        is_require.then(|| {
            let at = span(call.span);
            Expr::Import(self.builder.add_import(ImportKind::Require, specifier.value.as_str(), at))
        })
    }

    /// The callbacks of test functions are tests.
    fn mark_tests(&mut self, callee: &Expr, args: &[Arg]) {
        let mut root = callee;
        while let Expr::Member(object, _) = root {
            root = object;
        }
        let name = match root {
            Expr::Name(name) => name.as_str(),
            Expr::Local(local) => self.builder.facts.flow.bindings[*local as usize].name.as_str(),
            _ => return,
        };
        if !TESTS.contains(&name) {
            return;
        }
        for arg in args {
            if let Expr::Symbol(symbol) = arg.value {
                self.builder.symbol_mut(symbol).is_test = true;
            }
        }
    }

    fn new_call(&mut self, new: &NewExpression<'a>) -> Expr {
        let callee = self.expr(&new.callee);
        self.type_arguments(new.type_arguments.as_deref());
        let args = self.args(&new.arguments);
        self.builder.add_call(
            CallKind::New,
            callee,
            args,
            span(new.span),
            callee_name_offset(&new.callee),
        )
    }

    fn tagged(&mut self, tagged: &TaggedTemplateExpression<'a>) -> Expr {
        let callee = self.expr(&tagged.tag);
        let values = tagged.quasi.expressions.iter();
        let values = values.map(|value| Arg::positional(self.expr(value))).collect::<Vec<_>>();
        let args = std::iter::once(Arg::positional(Expr::Unknown)).chain(values).collect();
        let at = callee_name_offset(&tagged.tag);
        self.builder.add_call(CallKind::Template, callee, args, span(tagged.span), at)
    }

    fn args(&mut self, args: &[Argument<'a>]) -> Vec<Arg> {
        let values = args.iter().map(|arg| match arg {
            Argument::SpreadElement(spread) => {
                Arg { value: self.expr(&spread.argument), name: None, spread: true }
            }
            arg => Arg::positional(self.expr(arg.to_expression())),
        });
        values.collect()
    }

    fn assignment(&mut self, assignment: &AssignmentExpression<'a>) -> Expr {
        let Some(target) = assignment.left.as_simple_assignment_target() else {
            let value = self.expr(&assignment.right);
            self.assign_to(&assignment.left, value.clone());
            return value;
        };
        let place = self.place(target);
        let conditional = matches!(
            assignment.operator,
            AssignmentOperator::LogicalOr
                | AssignmentOperator::LogicalAnd
                | AssignmentOperator::LogicalNullish
        );
        if assignment.operator != AssignmentOperator::Assign && !conditional {
            return self.walk_without_value(&assignment.right);
        }
        let back = self.builder.position;
        if conditional {
            self.builder.enter_block(FlowBlockKind::Branch);
        }
        let mut value = self.assigned_value(place.as_ref(), assignment);
        if let Some(place) = place {
            // `a = b = {}` makes one object.
            let made = value.clone();
            if matches!(made, Expr::Items(..)) {
                value = self.builder.bind_if_shared(value, 2);
            }
            self.export_assigned(&place, &made, &value, span(assignment.span));
            self.builder.add_assignment(place, value.clone());
        }
        self.builder.restore_position(back);
        value
    }

    /// The assigned value; a function takes the name of its target.
    fn assigned_value(
        &mut self,
        place: Option<&AssignTarget>,
        assignment: &AssignmentExpression<'a>,
    ) -> Expr {
        let value = &assignment.right;
        if is_function_or_class(value) {
            let target = place.and_then(|place| self.assign_target_header(place, assignment));
            if let Some(target) = target {
                return Expr::Symbol(self.named_value(value, target));
            }
        }
        self.value(value, None)
    }

    fn assign_target_header(
        &self,
        place: &AssignTarget,
        assignment: &AssignmentExpression<'a>,
    ) -> Option<DeclarationHeader> {
        let declaration = span(assignment.span);
        let left = assignment.left.span();
        let (name, parent, exported) = match place {
            AssignTarget::Local(local) => {
                let binding = &self.builder.facts.flow.bindings[*local as usize];
                (binding.name.clone(), self.builder.position.nearest(), false)
            }
            AssignTarget::Member(object, name) => {
                let (parent, exported) = self.member_parent(object);
                (name.clone(), parent, exported)
            }
            _ => return None,
        };
        let is_top = parent.is_none();
        let name_start = left.end.saturating_sub(u32::try_from(name.len()).ok()?);
        Some(DeclarationHeader {
            name_span: Span::new(name_start.max(left.start), left.end),
            name,
            kind: if is_top { SymbolKind::Function } else { SymbolKind::Method },
            parent,
            declaration,
            doc_offsets: vec![declaration.start],
            visibility: if exported { Visibility::Public } else { Visibility::Private },
            flags: SymbolFlags::default(),
            exported,
        })
    }

    /// The symbol that a member of this object belongs to, and whether it is an export.
    fn member_parent(&self, object: &Expr) -> (SymbolOwner, bool) {
        match object {
            Expr::Local(local) => {
                let symbol = self.builder.facts.flow.bindings[*local as usize].symbol;
                (symbol.or(self.builder.position.nearest()), false)
            }
            Expr::Member(inner, name) if name == "prototype" => self.member_parent(inner),
            Expr::Member(inner, name)
                if name == "exports" && **inner == Expr::Name("module".into()) =>
            {
                (None, true)
            }
            Expr::Name(name) if name == "exports" => (None, true),
            Expr::This => {
                let owner = self.builder.position.owner;
                let around = owner.and_then(|owner| {
                    let symbol = &self.builder.facts.symbols[owner as usize];
                    let is_member = symbol.parent.is_some()
                        && matches!(symbol.kind, SymbolKind::Constructor | SymbolKind::Method);
                    if is_member { symbol.parent } else { Some(owner) }
                });
                (around, false)
            }
            _ => (self.builder.position.nearest(), false),
        }
    }
}

/// The offset of the called name.
fn callee_name_offset(callee: &Expression<'_>) -> u32 {
    match callee {
        Expression::StaticMemberExpression(member) => member.property.span.start,
        Expression::PrivateFieldExpression(member) => member.field.span.start,
        callee => callee.span().start,
    }
}
