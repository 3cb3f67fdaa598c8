//! JavaScript and TypeScript, all flavours, through oxc.
//!
//! `walk` goes over statements, `declaration`, `function` and `class` over what is declared, `expr`
//! over values, `pattern` takes targets apart, `module` reads imports and exports, `types` written
//! types, `comments` doc comments.

mod class;
mod comments;
mod component;
mod declaration;
mod descriptor;
mod expr;
mod function;
mod literal;
mod module;
mod parse;
mod pattern;
mod types;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use descriptor::{JAVASCRIPT, SHARED, TSX, TYPESCRIPT};
pub(crate) use parse::is_readable;

use oxc_ast::ast::Program;

use crate::component::ComponentScript;
use crate::descriptor::{CommentSyntax, JavaScriptDialect};
use crate::facts_builder::FactsBuilder;
use crate::model::{FileFacts, SyntaxError};
use crate::nesting;
use crate::plain_text;

/// The facts of a JavaScript or TypeScript module.
pub(crate) fn extract(dialect: JavaScriptDialect, text: &str) -> FileFacts {
    match nesting::with_stack_for_text(text, || parse::parse_and_walk(dialect, text)) {
        Ok(facts) => facts,
        Err(message) => {
            let mut facts = plain_text::extract(text);
            facts.errors.push(SyntaxError { line: 1, column: 1, message });
            facts
        }
    }
}

/// The facts of a single-file component. Its markup is the function `default`, which the module
/// exports.
pub(crate) fn extract_component(script: &ComponentScript, text: &str) -> FileFacts {
    let read = || parse::parse_and_walk_component(script, text);
    match nesting::with_stack_for_text(&script.text, read) {
        Ok(facts) => facts,
        Err(message) => {
            let mut facts = plain_text::extract(text);
            facts.errors.push(SyntaxError { line: 1, column: 1, message });
            facts
        }
    }
}

/// Shows the tree of a text, unless it is nested too deeply to be read.
pub(crate) fn with_program(
    dialect: JavaScriptDialect,
    text: &str,
    see: impl FnOnce(&Program<'_>) + Send,
) {
    let shown = nesting::with_stack_for_text(text, || parse::with_program(dialect, text, see));
    drop(shown);
}

fn builder(text: &str) -> FactsBuilder<'_> {
    FactsBuilder::new(text, CommentSyntax::C_STYLE)
}

/// A span as the facts keep it.
fn span(span: oxc_span::Span) -> base::Span {
    base::Span::new(span.start, span.end)
}
