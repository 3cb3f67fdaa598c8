//! Tests of the facts of notebooks.

use super::{code_text, displayed_text};
use crate::Language::Notebook;
use crate::edit::{EditRefusal, SymbolEdit, edit_symbol, find_mentions};
use crate::outline::{check, check_flow};

const SAMPLE: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "source": ["# Title\n", "def not_code(): pass"]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "outputs": [{"text": ["def neither(): pass\n"]}],
   "source": [
    "%matplotlib inline\n",
    "import os\n",
    "from shop.orders import settle\n",
    "\n",
    "def total(orders, name=\"x\"):\n",
    "    \"\"\"Adds \\\"all\\\" up.\"\"\"\n",
    "    if orders:\n",
    "\t    return settle(f\"{name}\", orders)\n",
    "    return 1 + \\\n",
    "        2\n",
    "!pip install x"
   ]
  },
  {"cell_type": "code", "source": ["%%bash\n", "rm -rf /\n"]},
  {"cell_type": "code", "source": "%time total([1])\nfiles = !ls\nprint(\"\u00e9\", total(2))"}
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4
}
"##;

#[test]
fn code_cells_are_one_module_with_the_lines_of_the_file() {
    check(
        Notebook,
        SAMPLE,
        r#"
        function total pub exported :16 `def total(orders, name="x")` "Adds \"all\" up."
        variable files pub exported :26 `files = 0`
        import os
        from shop.orders settle
        "#,
    );
}

#[test]
fn calls_of_cells_are_followed() {
    check_flow(
        Notebook,
        SAMPLE,
        r#"
        param total#0 orders
        param total#1 name = "x"
        total?: #0 ^settle(?, %orders)
        total?: return #0
        module: total = &total
        module: #1 total({1})
        module: files = 0
        module: #2 total(2)
        module: #3 ~print("é", #2)
        "#,
    );
}

#[test]
fn offsets_are_those_of_the_file() {
    let code = code_text(SAMPLE);
    assert_eq!(code.len(), SAMPLE.len());
    let mentions = find_mentions(Notebook, SAMPLE, "total");
    let at: Vec<&str> = mentions.iter().map(|one| &SAMPLE[one.span.range()]).collect();
    assert_eq!(at, ["total"; 3]);
    assert!(!code.contains("neither") && !code.contains("rm -rf") && !code.contains("pip"));
    assert!(code.contains("\ndef total(orders"));
}

#[test]
fn a_reader_sees_the_code_without_its_json() {
    let shown = displayed_text(SAMPLE);
    assert_eq!(shown.lines().count(), SAMPLE.lines().count());
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[6], "# cell 2");
    assert_eq!(lines[15], "def total(orders, name=\"x\"):");
    assert_eq!(lines[18], "\t    return settle(f\"{name}\", orders)");
    assert_eq!(lines[1], "");
}

#[test]
fn other_notebooks_are_refused_with_a_reason() {
    let errors = |text: &str| {
        let facts = crate::extract(Some(Notebook), text.as_bytes());
        facts.errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join(", ")
    };
    let r = r#"{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}"#;
    assert_eq!(errors(r), "not read: a notebook in R");
    assert_eq!(errors("{}"), "not read: it is not the JSON of a notebook");
    assert_eq!(errors("<<<<<<<"), "not read: it is not the JSON of a notebook");
    assert_eq!(errors(r#"{"cells": []}"#), "");
    assert_eq!(
        errors(r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}"#),
        ""
    );
}

#[test]
fn declarations_of_notebooks_are_not_edited() {
    let refused = edit_symbol(Notebook, SAMPLE, "total", SymbolEdit::Delete);
    assert!(matches!(refused, Err(EditRefusal::NotPossible(_))));
}
