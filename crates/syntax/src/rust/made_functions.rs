//! Functions that a macro makes.
//!
//! A macro of the same file is read: where an arm has `fn $name`, each invocation declares a
//! function. A macro of another file is not known here; one that is given a name and a closure is
//! taken to make a function of that name, as macros for tests do.

use base::Span;

use super::RustWalker;
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{
    BindingKind, Expr, Param, ParamKind, SymbolFlags, SymbolKind, TypeRef, Visibility,
};
use crate::treesitter::{Node, NodeExt, PendingTrivia, children, named_children, span};

/// What a macro makes of its arguments.
#[derive(Debug, Clone)]
pub(super) struct MadeFunction {
    /// The argument that has the name, counted from 0
    name_arg: usize,
    result: Option<TypeRef>,
    takes_self: bool,
    is_public: bool,
    is_test: bool,
}

impl RustWalker<'_> {
    /// Remembers which function a macro makes.
    pub(super) fn remember_made_function(&mut self, name: &str, definition: Node<'_>) {
        let rules =
            named_children(definition).into_iter().filter(|rule| rule.kind() == "macro_rule");
        for rule in rules {
            if let Some(made) = self.made_by_rule(rule) {
                self.made_functions.insert(name.to_owned(), made);
            }
        }
    }

    fn made_by_rule(&self, rule: Node<'_>) -> Option<MadeFunction> {
        let body = children(rule.field("right")?);
        let is = |at: usize, text: &str| {
            body.get(at).is_some_and(|token| self.builder.slice(span(*token)) == text)
        };
        let fn_at = (0..body.len()).find(|at| {
            is(*at, "fn") && body.get(at + 1).is_some_and(|next| next.kind() == "metavariable")
        })?;
        let name = self.text(body[fn_at + 1]);
        let args = split_at_commas(&children(rule.field("left")?));
        let has_name = |part: &Vec<Node<'_>>| {
            part.iter().any(|token| {
                token.kind() == "token_binding_pattern"
                    && token.field("name").is_some_and(|bound| self.text(bound) == name)
            })
        };
        let params_at = (fn_at..body.len()).find(|at| body[*at].kind() == "token_tree")?;
        let first: Vec<String> =
            children(body[params_at]).iter().take(5).map(|token| self.text(*token)).collect();
        let header = &body[..fn_at];
        Some(MadeFunction {
            name_arg: args.iter().position(has_name)?,
            result: is(params_at + 1, "->")
                .then(|| self.token_type(&body[params_at + 2..]))
                .flatten(),
            takes_self: first.iter().any(|text| text == "self"),
            is_public: header.iter().rev().take(2).any(|token| self.text(*token) == "pub"),
            is_test: header.iter().any(|token| self.text(*token).ends_with("test]")),
        })
    }

    /// The type that some tokens begin with; its arguments are left out.
    fn token_type(&self, tokens: &[Node<'_>]) -> Option<TypeRef> {
        let mut path = String::new();
        for token in tokens {
            let text = self.builder.slice(span(*token));
            match token.kind() {
                "identifier" | "crate" | "self" | "super" => path.push_str(text),
                _ if text == "::" => path.push_str(text),
                _ if text == "&" || text == "mut" => {}
                _ => break,
            }
        }
        match path.as_str() {
            "" => None,
            "Self" => Some(TypeRef::This),
            _ => Some(TypeRef::Named { path, binding: None, args: Vec::new() }),
        }
    }

    /// Declares the function that a macro invocation makes, if it makes one.
    pub(super) fn made_function(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) -> bool {
        let call = match node.kind() {
            "expression_statement" => named_children(node).first().copied(),
            _ => Some(node),
        };
        let Some(call) = call.filter(|call| call.kind() == "macro_invocation") else {
            return false;
        };
        let Some(tokens) = call.child_of_kind(&["token_tree"]) else { return false };
        let Some(name) = call.field("macro").map(|name| self.text(name)) else { return false };
        let args = split_at_commas(&children(tokens));
        let closure = args.iter().position(|part| self.starts_closure(part));
        let known = self.made_functions.get(&name).cloned();
        let name_arg = match (&known, closure) {
            (Some(made), _) => made.name_arg,
            (None, Some(1)) if args[0].len() == 1 => 0,
            _ => return false,
        };
        let named = args.get(name_arg).and_then(|part| part.last().copied());
        let Some(named) = named.filter(|token| self.is_function_name(*token)) else { return false };
        self.macro_mention(call);
        let symbol = self.add_made_function(node, named, known.as_ref(), pending);
        let back = self.builder.enter_symbol(symbol);
        let outer = std::mem::take(&mut self.names);
        match closure {
            Some(_) => self.closure_tokens(symbol, tokens),
            None => drop(self.token_args(tokens)),
        }
        self.names = outer;
        self.builder.restore_position(back);
        true
    }

    fn add_made_function(
        &mut self,
        node: Node<'_>,
        named: Node<'_>,
        made: Option<&MadeFunction>,
        pending: &PendingTrivia<'_>,
    ) -> u32 {
        let is_member = matches!(self.parent_kind(), Some(SymbolKind::Impl | SymbolKind::Trait));
        let kind = if is_member { SymbolKind::Method } else { SymbolKind::Function };
        let whole = span(node);
        let mut draft = SymbolDraft::new(kind, self.text(named), whole, span(named));
        draft.parent = self.builder.position.owner;
        draft.doc = pending.doc;
        draft.span = Span::new(pending.start_with_trivia(whole.start), whole.end);
        draft.signature = self.builder.one_line_signature(whole);
        draft.is_test = self.in_test || made.is_some_and(|made| made.is_test);
        if made.is_some_and(|made| made.is_public) {
            draft.visibility = Visibility::Public;
            draft.exported = true;
        }
        let takes_self = made.is_some_and(|made| made.takes_self);
        draft.flags = SymbolFlags::default().with_if(SymbolFlags::STATIC, is_member && !takes_self);
        draft.ty = made.and_then(|made| made.result.clone());
        self.builder.add_symbol(draft)
    }

    /// The parameters and the body of a closure among the arguments of a macro.
    fn closure_tokens(&mut self, symbol: u32, tree: Node<'_>) {
        let tokens = children(tree);
        let bars: Vec<usize> =
            (0..tokens.len()).filter(|at| self.builder.slice(span(tokens[*at])) == "|").collect();
        let (Some(open), Some(close)) = (bars.first(), bars.get(1)) else { return };
        for (position, part) in (0..).zip(split_list(&tokens[open + 1..*close])) {
            let Some(name) = part.iter().find(|token| token.kind() == "identifier") else {
                continue;
            };
            let colon = part.iter().position(|token| self.builder.slice(span(*token)) == ":");
            let ty = colon.and_then(|at| self.token_type(&part[at + 1..]));
            let (name, kind) = (self.text(*name), ParamKind::Plain);
            let at = offset(self.builder.facts.flow.params.len());
            let param = Param {
                function: symbol,
                name: name.clone(),
                position,
                kind,
                default: None,
                ty: ty.clone(),
            };
            self.builder.facts.flow.params.push(param);
            let local = self.builder.add_binding(name.clone(), BindingKind::Param(at));
            self.builder.facts.flow.bindings[local as usize].ty = ty;
            self.names.push((name, local));
        }
        for token in &tokens[close + 1..] {
            if token.kind() == "token_tree" {
                self.token_args(*token);
            }
        }
    }

    fn starts_closure(&self, part: &[Node<'_>]) -> bool {
        let text = |at: usize| part.get(at).map(|token| self.builder.slice(span(*token)));
        text(0) == Some("|") || (text(0) == Some("move") && text(1) == Some("|"))
    }

    fn is_function_name(&self, token: Node<'_>) -> bool {
        let text = self.builder.slice(span(token));
        token.kind() == "identifier" && !text.starts_with(|first: char| first.is_uppercase())
    }
}

/// The tokens between the delimiters of a tree, split at its commas.
fn split_at_commas<'n>(tokens: &[Node<'n>]) -> Vec<Vec<Node<'n>>> {
    split_list(tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default())
}

fn split_list<'n>(tokens: &[Node<'n>]) -> Vec<Vec<Node<'n>>> {
    tokens.split(|token| token.kind() == ",").map(<[Node<'n>]>::to_vec).collect()
}

/// An expression that names the macro.
pub(super) fn macro_callee(path: Vec<String>) -> Expr {
    match path.as_slice() {
        [one] => Expr::Name(one.clone()),
        _ => Expr::Path(path),
    }
}
