//! What is particular to notebooks, as data.

use crate::Language;
use crate::descriptor::{
    FileConventions, LanguageDescriptor, LanguageParser, LanguageSemantics, LayoutRules,
};
use crate::python;

const NOT_EDITABLE: &str =
    "a notebook keeps its code as text inside of JSON; edit its cells in a notebook editor";

#[cfg(feature = "python")]
const PARSER: LanguageParser =
    LanguageParser::Notebook { grammar: || tree_sitter_python::LANGUAGE, extract: super::extract };
#[cfg(not(feature = "python"))]
const PARSER: LanguageParser = LanguageParser::LeftOut;

/// Jupyter notebooks with Python code.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Jupyter",
    extensions: &["ipynb"],
    family: Some(Language::Python),
    lsp_id: "jupyter",
    parser: PARSER,
    lexical: python::LEXICAL,
    comments: python::COMMENTS,
    layout: LayoutRules { not_editable: Some(NOT_EDITABLE), ..python::LAYOUT },
    files: FileConventions::NONE,
    semantics: LanguageSemantics {
        // Nothing imports a notebook, and IPython adds names.
        reports_unused_exports: false,
        follows_all_scopes: false,
        ..python::SEMANTICS
    },
    ..LanguageDescriptor::CODE
};
