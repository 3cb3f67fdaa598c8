//! JavaScript and TypeScript, all flavours, through oxc.
//!
//! `walk` goes over statements, `declaration`, `function` and `class` over what is declared, `expr` over values, `pattern` takes targets
//! apart, `module` reads imports and exports, `types` written types, `comments` doc comments.

mod class;
mod comments;
mod declaration;
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

use oxc_ast::ast::Program;

use crate::build::Builder;
use crate::depth;
use crate::fold::Comments;
use crate::language::Language;
use crate::model::{FileFacts, SyntaxError};
use crate::plain;

/// The facts of a JavaScript or TypeScript module.
pub(crate) fn extract(language: Language, text: &str) -> FileFacts {
    match depth::run(text, || parse::read(language, text)) {
        Ok(facts) => facts,
        Err(message) => {
            let mut facts = plain::extract(text);
            facts.errors.push(SyntaxError { line: 1, column: 1, message });
            facts
        }
    }
}

/// Shows the tree of a text, unless it is nested too deeply to be read.
pub(crate) fn visit(language: Language, text: &str, see: impl FnOnce(&Program<'_>) + Send) {
    let shown = depth::run(text, || parse::show(language, text, see));
    drop(shown);
}

fn builder(text: &str) -> Builder<'_> {
    Builder::new(text, Comments::Slashes)
}

/// A span as the facts keep it.
fn span(span: oxc_span::Span) -> base::Span {
    base::Span::new(span.start, span.end)
}
