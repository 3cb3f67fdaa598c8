//! Calls in the arguments of macros, which the grammar leaves as tokens.

use base::Span;

use super::RustWalker;
use crate::model::{Arg, AssignTarget, BindingKind, CallKind, Expr};
use crate::treesitter::{Node, children, span};

impl RustWalker<'_> {
    /// The arguments of a macro, as far as they look like expressions.
    pub(super) fn token_args(&mut self, tree: Node<'_>) -> Vec<Arg> {
        let tokens = children(tree);
        let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
        let parts = inner.split(|token| token.kind() == ",");
        parts.map(|part| Arg::positional(self.token_expr(part))).collect()
    }

    /// The value of a token sequence: its last expression, if it is the only one.
    fn token_expr(&mut self, tokens: &[Node<'_>]) -> Expr {
        let mut at = 0;
        let mut last = Expr::Unknown;
        let mut things = 0;
        while at < tokens.len() {
            if let Some(next) = self.let_tokens(tokens, at) {
                at = next;
                continue;
            }
            let (value, next) = self.chain(tokens, at);
            if next == at {
                at += 1;
                continue;
            }
            things += 1;
            last = value;
            at = next;
        }
        if things == 1 { last } else { Expr::Unknown }
    }

    /// `let name = value`; where it ends.
    fn let_tokens(&mut self, tokens: &[Node<'_>], start: usize) -> Option<usize> {
        let text = |at: usize| tokens.get(at).map(|token| self.builder.slice(span(*token)));
        if text(start) != Some("let") {
            return None;
        }
        let named = start + 1 + usize::from(text(start + 1) == Some("mut"));
        let is_name = tokens.get(named).is_some_and(|token| token.kind() == "identifier");
        if !is_name || text(named + 1) != Some("=") {
            return None;
        }
        let value_at = named + 2 + usize::from(text(named + 2) == Some("&"));
        let name = self.text(tokens[named]);
        let (value, next) = match tokens.get(value_at) {
            Some(_) => self.chain(tokens, value_at),
            None => (Expr::Unknown, value_at),
        };
        let local = self.builder.add_binding(name.clone(), BindingKind::Variable);
        self.builder.add_assignment(AssignTarget::Local(local), value);
        self.names.push((name, local));
        Some(next)
    }

    /// A name with what is accessed and called on it; where it ends.
    fn chain(&mut self, tokens: &[Node<'_>], start: usize) -> (Expr, usize) {
        let (mut value, mut at) = match tokens[start].kind() {
            "identifier" | "self" | "super" | "crate" => self.token_path(tokens, start),
            "token_tree" => {
                let args = self.token_args(tokens[start]);
                let one = if args.len() == 1 { args.into_iter().next() } else { None };
                (one.map_or(Expr::Unknown, |arg| arg.value), start + 1)
            }
            _ => return (Expr::Unknown, start),
        };
        let begin = span(tokens[start]).start;
        let mut name_at = span(tokens[at - 1]).start;
        while let Some(token) = tokens.get(at) {
            let text = self.builder.slice(span(*token));
            let next = tokens.get(at + 1).filter(|next| next.kind() == "identifier");
            if text == "."
                && let Some(name) = next
            {
                value = Expr::Member(Box::new(value), self.text(*name));
                name_at = span(*name).start;
                at += 2;
            } else if text == "?" {
                value = value.each();
                at += 1;
            } else if token.kind() == "token_tree"
                && text.starts_with('(')
                && value != Expr::Unknown
            {
                let args = self.token_args(*token);
                let whole = Span::new(begin, span(*token).end);
                value = self.builder.add_call(CallKind::Call, value, args, whole, name_at);
                at += 1;
            } else if text == "!"
                && tokens.get(at + 1).is_some_and(|next| next.kind() == "token_tree")
            {
                let args = self.token_args(tokens[at + 1]);
                let whole = Span::new(begin, span(tokens[at + 1]).end);
                value = self.builder.add_call(CallKind::Macro, value, args, whole, name_at);
                at += 2;
            } else {
                break;
            }
        }
        (value, at)
    }

    /// A name or a path; where it ends.
    fn token_path(&mut self, tokens: &[Node<'_>], start: usize) -> (Expr, usize) {
        let mut parts = vec![self.text(tokens[start])];
        let mut at = start + 1;
        while tokens.get(at).is_some_and(|token| self.builder.slice(span(*token)) == "::")
            && let Some(next) = tokens.get(at + 1).filter(|next| next.kind() == "identifier")
        {
            parts.push(self.text(*next));
            at += 2;
        }
        let place = span(tokens[start]).start;
        if parts.len() > 1 {
            let path = Expr::Path(parts);
            self.builder.add_mention(&path, false, place);
            return (path, at);
        }
        let name = parts.swap_remove(0);
        if name == "self" {
            return (Expr::This, at);
        }
        if let Some((_, local)) = self.names.iter().rev().find(|(known, _)| *known == name) {
            return (Expr::Local(*local), at);
        }
        let name = Expr::Name(name);
        self.builder.add_mention(&name, false, place);
        (name, at)
    }
}
