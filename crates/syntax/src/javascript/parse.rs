//! Parses a text, blanking out chunks that cannot be parsed.

use std::borrow::Cow;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

use super::builder;
use super::walk::JavaScriptWalker;
use crate::component::ComponentScript;
use crate::descriptor::JavaScriptDialect;
use crate::facts_builder::FactsBuilder;
use crate::model::FileFacts;

/// Parses a text and walks over what could be read.
pub(super) fn parse_and_walk(dialect: JavaScriptDialect, text: &str) -> FileFacts {
    let allocator = Allocator::default();
    let attempts = source_types(dialect);
    let whole = best_parse(&allocator, text, &attempts);
    let mut facts = builder(text);
    report(&mut facts, &whole);
    if whole.panicked {
        let mended = blank_unparsable_chunks(text, attempts[0]);
        let again = Allocator::default();
        let rest = best_parse(&again, &mended, &attempts);
        return walk(facts, &rest.program);
    }
    walk(facts, &whole.program)
}

/// Parses the JavaScript of a component and walks over what could be read.
pub(super) fn parse_and_walk_component(script: &ComponentScript, text: &str) -> FileFacts {
    let allocator = Allocator::default();
    let attempts = source_types(script.dialect);
    let whole = best_parse(&allocator, &script.text, &attempts);
    if whole.panicked {
        return parse_and_walk(script.dialect, &script.scripts_only);
    }
    let mut facts = builder(&script.text);
    report(&mut facts, &whole);
    let semantic = SemanticBuilder::new().build(&whole.program).semantic;
    let scoping = semantic.into_scoping();
    let walker = JavaScriptWalker::new(facts, &scoping, &whole.program);
    walker.run_component(&whole.program, script, text)
}

/// Whether a text can be read on its own.
pub(crate) fn is_readable(dialect: JavaScriptDialect, text: &str) -> bool {
    let allocator = Allocator::default();
    let read = best_parse(&allocator, text, &source_types(dialect));
    !read.panicked && read.diagnostics.is_empty()
}

/// Parses a text and shows its tree.
pub(super) fn with_program(dialect: JavaScriptDialect, text: &str, see: impl FnOnce(&Program<'_>)) {
    let allocator = Allocator::default();
    see(&best_parse(&allocator, text, &source_types(dialect)).program);
}

fn walk(facts: FactsBuilder<'_>, program: &Program<'_>) -> FileFacts {
    let semantic = SemanticBuilder::new().build(program).semantic;
    let scoping = semantic.into_scoping();
    JavaScriptWalker::new(facts, &scoping, program).run(program)
}

/// How a language may be read, likeliest first.
fn source_types(dialect: JavaScriptDialect) -> Vec<SourceType> {
    match dialect {
        JavaScriptDialect::TypeScript => vec![SourceType::ts(), SourceType::d_ts()],
        JavaScriptDialect::Tsx => vec![SourceType::tsx()],
        JavaScriptDialect::JavaScript => {
            vec![SourceType::unambiguous().with_jsx(true), SourceType::tsx()]
        }
    }
}

/// The first reading without errors, else the one with the fewest.
fn best_parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    attempts: &[SourceType],
) -> ParserReturn<'a> {
    let mut best: Option<ParserReturn<'a>> = None;
    for attempt in attempts {
        let read = parse(allocator, text, *attempt);
        let better = best.as_ref().is_none_or(|known| error_rank(&read) < error_rank(known));
        if better {
            let done = read.diagnostics.is_empty();
            best = Some(read);
            if done {
                break;
            }
        }
    }
    best.expect("every dialect has a source type")
}

fn error_rank(read: &ParserReturn<'_>) -> (bool, usize) {
    (read.panicked, read.diagnostics.len())
}

fn parse<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions {
        parse_regular_expression: false,
        allow_return_outside_function: true,
        preserve_parens: false,
        ..ParseOptions::default()
    };
    Parser::new(allocator, text, source_type).with_options(options).parse()
}

fn report(facts: &mut FactsBuilder<'_>, read: &ParserReturn<'_>) {
    for diagnostic in &*read.diagnostics {
        let at = diagnostic.labels.first().map_or(0, oxc_span::LabeledSpan::offset);
        facts.add_error(at, diagnostic.message.to_lowercase());
    }
}

/// A text in which every top-level piece that cannot be read alone is blanked out.
fn blank_unparsable_chunks(text: &str, source_type: SourceType) -> Cow<'_, str> {
    let mut mended = text.as_bytes().to_vec();
    for chunk in top_level_chunks(text) {
        let allocator = Allocator::default();
        let read = parse(&allocator, &text[chunk.clone()], source_type);
        if read.panicked {
            let blank = mended[chunk].iter_mut().filter(|byte| !byte.is_ascii_whitespace());
            blank.for_each(|byte| *byte = b' ');
        }
    }
    String::from_utf8(mended).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Cuts a text before each line that starts a declaration without indentation.
fn top_level_chunks(text: &str) -> Vec<Range<usize>> {
    const WORDS: [&str; 17] = [
        "export ",
        "function ",
        "class ",
        "const ",
        "let ",
        "var ",
        "import ",
        "interface ",
        "type ",
        "enum ",
        "async ",
        "abstract ",
        "declare ",
        "namespace ",
        "module.",
        "exports.",
        "/**",
    ];
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && WORDS.iter().any(|word| line.starts_with(word)) {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}
