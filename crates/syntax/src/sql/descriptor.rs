//! What is particular to SQL, as data.

use crate::descriptor::{
    BlockComment, CommentSyntax, DocCommentForm, DocCommentForms, LanguageDescriptor,
    LanguageParser, LanguageSemantics, LayoutRules,
};
use crate::lexical::LexicalRules;
use crate::schema;

/// How comments of SQL are marked.
pub(super) const COMMENTS: CommentSyntax = CommentSyntax {
    line: "--",
    other_line: None,
    block: Some(BlockComment { open: "/*", close: "*/", doc_open: None }),
    doc_lines: &[],
    file_lines: &[],
};

/// SQL.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "SQL",
    extensions: &["sql"],
    lsp_id: "sql",
    parser: LanguageParser::Reader(super::extract),
    comments: COMMENTS,
    lexical: LexicalRules {
        keywords: KEYWORDS,
        has_caseless_keywords: true,
        has_long_texts: true,
        ..LexicalRules::NONE
    },
    doc_forms: DocCommentForms {
        symbol: DocCommentForm::Lines("--"),
        module: DocCommentForm::Lines("--"),
        inline: None,
        line_markers: &["--"],
    },
    layout: LayoutRules {
        not_editable: Some("SQL is read by its words, so an edit cannot be checked; edit its text"),
        ..LayoutRules::BRACKETS
    },
    semantics: LanguageSemantics {
        schema: Some(schema::SQL),
        dispatches_to_overrides: false,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const KEYWORDS: &str = "add all alter and any as asc begin between by case cast check column commit constraint create \
    cross default delete desc distinct drop else end exists false foreign from full function grant \
    group having if in index inner insert into is join key left like limit not null offset on or \
    order outer primary procedure references replace returning returns revoke right rollback select \
    set table then trigger true truncate union unique update using values view when where with";
