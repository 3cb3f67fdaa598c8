//! Finds where a name is mentioned as an identifier, not in a comment or a string.

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, ExportSpecifier, IdentifierName, IdentifierReference, ImportSpecifier,
    JSXIdentifier, LabelIdentifier, PrivateIdentifier, Program,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span as Place;

use crate::descriptor::{LanguageDescriptor, LanguageParser};
use crate::treesitter::{self, Node, children};
use crate::{Language, component, javascript};

/// One mention of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdentifierMention {
    /// The name
    pub span: Span,
    /// Whether it is the name of a member or argument, which may belong to another declaration:
    /// `a.name`, `{ name: 1 }`, `f(name=1)`
    pub is_member: bool,
    /// Whether it gives the name to something: a declaration, a parameter, a pattern
    pub is_binding: bool,
}

/// Every mention of a name in a text, in order.
pub fn find_mentions(language: Language, text: &str, name: &str) -> Vec<IdentifierMention> {
    let mut found = Vec::new();
    let descriptor = language.descriptor();
    if let LanguageParser::Oxc(dialect) = descriptor.parser {
        let mut names = MentionCollector { name, found: Vec::new(), in_specifier: false };
        javascript::with_program(dialect, text, |program| names.visit_program(program));
        found = names.found;
    } else if let LanguageParser::Component(format) = descriptor.parser {
        let script = component::script(format, text);
        let mut names = MentionCollector { name, found: Vec::new(), in_specifier: false };
        let see = |program: &Program<'_>| names.visit_program(program);
        javascript::with_program(script.dialect, &script.text, see);
        // `<user-card>` is written in another way than the name it means.
        names.found.retain(|one| text.get(one.span.range()) == Some(name));
        found = names.found;
    } else if let Some(tree) = descriptor.parser.syntax_tree(text) {
        collect_mentions(descriptor, tree.root_node(), text, name, &mut found);
    }
    found.sort();
    // A shorthand `{ name }` is a member and a value at once: a member, to be careful.
    found.dedup_by(|later, earlier| {
        let same = later.span == earlier.span;
        earlier.is_member |= same && later.is_member;
        earlier.is_binding |= same && later.is_binding;
        same
    });
    found
}

/// Collects the leaves of a tree that are the name, without recursion, since trees may be deep.
fn collect_mentions(
    descriptor: &LanguageDescriptor,
    root: Node<'_>,
    text: &str,
    name: &str,
    found: &mut Vec<IdentifierMention>,
) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.child_count() > 0 {
            open.extend(children(node));
            continue;
        }
        let at = treesitter::span(node);
        let is_name = node.kind().ends_with("identifier")
            || matches!(node.kind(), "name" | "constant" | "word" | "variable_name");
        if is_name && text.get(at.start as usize..at.end as usize) == Some(name) {
            found.push(IdentifierMention {
                span: Span::new(at.start, at.end),
                is_member: is_member(descriptor, text, node),
                is_binding: is_binding(node),
            });
        }
    }
}

fn is_member(descriptor: &LanguageDescriptor, text: &str, node: Node<'_>) -> bool {
    let operator = node.prev_sibling().and_then(|before| text.get(before.byte_range()));
    let is_argument = node.parent().is_some_and(|parent| {
        let first = parent.child(0).is_some_and(|first| first.id() == node.id());
        first && matches!(parent.kind(), "keyword_argument" | "field_initializer" | "pair")
    });
    let is_shorthand = node.kind().starts_with("shorthand");
    let operators = descriptor.layout.member_operators;
    operator.is_some_and(|operator| operators.contains(&operator)) || is_argument || is_shorthand
}

fn is_binding(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let kind = parent.kind();
    let fields = ["name", "pattern", "left", "alias", "declarator"];
    let is =
        |field: &&str| parent.child_by_field_name(field).is_some_and(|one| one.id() == node.id());
    let takes_in = kind.contains("import") || kind.contains("use_") || kind.contains("scoped");
    !takes_in && (fields.iter().any(is) || kind.contains("parameter") || kind.contains("pattern"))
}

/// What a name is where it is mentioned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MentionRole {
    Reference,
    Member,
    Binding,
}

struct MentionCollector<'n> {
    name: &'n str,
    found: Vec<IdentifierMention>,
    in_specifier: bool,
}

impl MentionCollector<'_> {
    fn record(&mut self, name: &str, span: Place, role: MentionRole) {
        if name == self.name {
            let is_member = role == MentionRole::Member;
            let is_binding = role == MentionRole::Binding;
            // An identifier with a type behind it spans both.
            let length = u32::try_from(name.len()).unwrap_or_default();
            let span = Span::new(span.start, span.start + length);
            self.found.push(IdentifierMention { span, is_member, is_binding });
        }
    }
}

impl<'a> Visit<'a> for MentionCollector<'_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.record(&it.name, it.span, MentionRole::Reference);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        let role = if self.in_specifier { MentionRole::Reference } else { MentionRole::Binding };
        self.record(&it.name, it.span, role);
    }

    fn visit_label_identifier(&mut self, it: &LabelIdentifier<'a>) {
        self.record(&it.name, it.span, MentionRole::Member);
    }

    fn visit_identifier_name(&mut self, it: &IdentifierName<'a>) {
        let role = if self.in_specifier { MentionRole::Reference } else { MentionRole::Member };
        self.record(&it.name, it.span, role);
    }

    fn visit_private_identifier(&mut self, it: &PrivateIdentifier<'a>) {
        self.record(&it.name, it.span, MentionRole::Member);
    }

    fn visit_jsx_identifier(&mut self, it: &JSXIdentifier<'a>) {
        self.record(&it.name, it.span, MentionRole::Reference);
    }

    fn visit_import_specifier(&mut self, it: &ImportSpecifier<'a>) {
        self.in_specifier = true;
        walk::walk_import_specifier(self, it);
        self.in_specifier = false;
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        self.in_specifier = true;
        walk::walk_export_specifier(self, it);
        self.in_specifier = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(language: Language, text: &str) -> String {
        let mut shown = text.to_owned();
        for mention in find_mentions(language, text, "pay").iter().rev() {
            let mark = if mention.is_member { "<.pay>" } else { "<pay>" };
            shown.replace_range(mention.span.range(), mark);
        }
        shown
    }

    #[test]
    fn names_are_told_from_texts_comments_and_members() {
        let cases = [
            (
                Language::TypeScript,
                "import { pay } from './pay'; // pay\nlet x: pay = pay('pay', a.pay, { pay }, `${pay}`);",
                "import { <pay> } from './pay'; // pay\nlet x: <pay> = <pay>('pay', a.<.pay>, { <.pay> }, `${<pay>}`);",
            ),
            (
                Language::Python,
                "from a import pay  # pay\npay(pay=1)\nx.pay = \"pay\"\n",
                "from a import <pay>  # pay\n<pay>(<.pay>=1)\nx.<.pay> = \"pay\"\n",
            ),
            (
                Language::Go,
                "package a\n\nfunc f() {\n\t// It ends.\n\tpay := b.pay\n}\n",
                "package a\n\nfunc f() {\n\t// It ends.\n\t<pay> := b.<.pay>\n}\n",
            ),
            (
                Language::Rust,
                "use a::pay; // pay\nfn f() { pay(\"pay\"); x.pay(); a::pay(); }\n",
                "use a::<pay>; // pay\nfn f() { <pay>(\"pay\"); x.<.pay>(); a::<pay>(); }\n",
            ),
        ];
        for (language, text, expected) in cases {
            assert_eq!(marked(language, text), expected);
        }
    }
}
