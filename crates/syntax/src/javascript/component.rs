//! Single-file components: scripts, and the markup as a function that the module exports.

use base::Span;
use oxc_ast::ast::{Program, Statement};
use oxc_span::GetSpan;

use super::span;
use super::walk::JavaScriptWalker;
use crate::component::ComponentScript;
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{CallKind, Export, ExportKind, Expr, FileFacts, SymbolKind, Visibility};

/// The name of the component, as of anything that a module exports without a name.
const COMPONENT_NAME: &str = "default";

impl JavaScriptWalker<'_, '_> {
    /// Walks over the scripts of a component, then over its markup.
    pub fn run_component(
        mut self,
        program: &Program<'_>,
        script: &ComponentScript,
        text: &str,
    ) -> FileFacts {
        if let Some(header) = self.header_comment() {
            self.builder.set_module_doc(header, DocCommentStyle::Block);
        }
        let is_markup = |one: &&Statement<'_>| script.is_markup(one.span().start);
        for statement in program.body.iter().filter(|one| !is_markup(one)) {
            self.statement(statement);
        }
        let component = self.component_symbol(text);
        let back = self.builder.enter_symbol(component);
        for statement in program.body.iter().filter(is_markup) {
            self.markup_statement(statement, script);
        }
        self.builder.restore_position(back);
        self.mark_exported();
        self.builder.finish()
    }

    fn markup_statement(&mut self, statement: &Statement<'_>, script: &ComponentScript) {
        let at = statement.span();
        let Statement::ExpressionStatement(inner) = statement else {
            return self.statement(statement);
        };
        let value = self.expr(&inner.expression);
        if script.elements.contains(&(at.start as usize)) && value != Expr::Unknown {
            self.builder.add_call(CallKind::Element, value, Vec::new(), span(at), at.start);
        }
    }

    /// Adds the function that stands for the markup.
    fn component_symbol(&mut self, text: &str) -> u32 {
        let whole = Span::new(0, offset(text.len()));
        let mut draft =
            SymbolDraft::new(SymbolKind::Function, COMPONENT_NAME, whole, Span::new(0, 0));
        draft.visibility = Visibility::Public;
        draft.exported = true;
        draft.signature.push_str("component");
        let symbol = self.builder.add_symbol(draft);
        let known = self.builder.facts.exports.iter_mut().find(|one| one.name == COMPONENT_NAME);
        match known {
            Some(known) => {
                known.symbol = Some(symbol);
                known.value = Expr::Symbol(symbol);
            }
            None => self.builder.facts.exports.push(Export {
                name: COMPONENT_NAME.into(),
                local: None,
                symbol: Some(symbol),
                value: Expr::Symbol(symbol),
                from: None,
                is_type: false,
                kind: ExportKind::Default,
                span: Span::new(0, 0),
                line: 1,
            }),
        }
        symbol
    }
}
