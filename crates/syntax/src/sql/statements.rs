//! Finds the statements of a text, what they create and which names they use.

use std::ops::Range;

use super::tokens::{SqlToken, SqlTokenKind, identifier, tokens};
use crate::model::SymbolKind;

/// A statement.
#[derive(Debug)]
pub(super) struct SqlStatement {
    pub start: usize,
    pub end: usize,
    /// Where the comment right above it starts
    pub doc: Option<usize>,
    pub created: Option<CreatedObject>,
    /// Where a bracket is that closes or opens alone
    pub unbalanced: Option<usize>,
    pub uses: Vec<UsedName>,
}

/// What a statement creates.
#[derive(Debug)]
pub(super) struct CreatedObject {
    pub kind: SymbolKind,
    pub name: Range<usize>,
    /// Where the columns or the definition start
    pub body: Option<usize>,
    pub columns: Vec<SqlColumn>,
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct SqlColumn {
    pub name: Range<usize>,
    pub whole: Range<usize>,
}

/// A table, view or routine that a statement names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsedName {
    /// The name without its schema and quotes
    pub text: String,
    /// Its offset
    pub at: usize,
}

/// Words between `CREATE` and what is created.
const CREATE_MODIFIERS: [&str; 17] = [
    "or",
    "replace",
    "alter",
    "temp",
    "temporary",
    "unlogged",
    "global",
    "local",
    "external",
    "materialized",
    "unique",
    "virtual",
    "recursive",
    "clustered",
    "nonclustered",
    "constraint",
    "foreign",
];

/// What can be created, as the kind of symbol it is.
const CREATED_KINDS: [(&str, SymbolKind); 8] = [
    ("table", SymbolKind::Struct),
    ("view", SymbolKind::Type),
    ("function", SymbolKind::Function),
    ("procedure", SymbolKind::Function),
    ("proc", SymbolKind::Function),
    ("trigger", SymbolKind::Event),
    ("type", SymbolKind::Type),
    ("sequence", SymbolKind::Variable),
];

/// Words that a table's part starts with when it is no column.
const TABLE_CONSTRAINTS: [&str; 13] = [
    "primary",
    "foreign",
    "unique",
    "constraint",
    "check",
    "key",
    "index",
    "exclude",
    "fulltext",
    "spatial",
    "like",
    "period",
    "using",
];

/// Words before the name of a table.
const BEFORE_TABLE: [&str; 6] = ["from", "join", "into", "update", "table", "references"];

/// Words between such a word and the name.
const BEFORE_NAME: [&str; 7] = ["only", "if", "not", "exists", "lateral", "ignore", "concurrently"];

/// Words that open a bracket and are no routine, and routines that every dialect has.
const NO_ROUTINES: [&str; 40] = [
    "values",
    "in",
    "and",
    "or",
    "not",
    "exists",
    "any",
    "all",
    "some",
    "key",
    "unique",
    "check",
    "index",
    "count",
    "sum",
    "min",
    "max",
    "avg",
    "coalesce",
    "nullif",
    "cast",
    "lower",
    "upper",
    "varchar",
    "char",
    "character",
    "decimal",
    "numeric",
    "now",
    "over",
    "by",
    "on",
    "as",
    "using",
    "select",
    "where",
    "when",
    "then",
    "filter",
    "set",
];

/// The statements of a text, in order.
pub(super) fn statements(text: &str) -> Vec<SqlStatement> {
    let all = tokens(text);
    let mut found = Vec::new();
    let mut rest = all.as_slice();
    while !rest.is_empty() {
        let comments = leading_comments(text, rest);
        let skipped = rest.iter().take_while(|token| is_comment(token)).count();
        let length = statement_length(text, &rest[skipped..]);
        let (one, more) = rest[skipped..].split_at(length);
        rest = more;
        let words: Vec<&SqlToken> = one.iter().filter(|token| !is_comment(token)).collect();
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            let reader = StatementReader { text, tokens: &words };
            let query = comments.as_ref().and_then(|comments| named_query(text, comments));
            let created = reader.created();
            let named = query.map(|name| CreatedObject {
                kind: SymbolKind::Function,
                name,
                body: None,
                columns: Vec::new(),
            });
            found.push(SqlStatement {
                start: first.span.start,
                end: last.span.end,
                doc: comments.map(|comments| comments.start),
                unbalanced: unbalanced_bracket(one),
                uses: reader.uses(created.as_ref()),
                created: created.or(named),
            });
        }
    }
    found
}

/// The names that the statements of a text use.
pub(crate) fn used_names(text: &str) -> Vec<UsedName> {
    statements(text).into_iter().flat_map(|statement| statement.uses).collect()
}

fn is_comment(token: &SqlToken) -> bool {
    token.kind == SqlTokenKind::LineComment
}

/// The comment lines right above a statement.
fn leading_comments(text: &str, rest: &[SqlToken]) -> Option<Range<usize>> {
    let count = rest.iter().take_while(|token| is_comment(token)).count();
    let next = rest.get(count)?.span.start;
    let mut start = None;
    let mut below = next;
    for token in rest[..count].iter().rev() {
        if text[token.span.end..below].matches('\n').count() > 1 {
            break;
        }
        below = token.span.start;
        start = Some(below);
    }
    start.map(|start| start..next)
}

/// The name that a comment gives to a query for a generator: `-- name: GetUser :one`.
fn named_query(text: &str, comments: &Range<usize>) -> Option<Range<usize>> {
    let said = &text[comments.clone()];
    let at = said.find("name: ")? + "name: ".len();
    let length = said[at..].find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let is_marked = said[at + length..].trim_start().starts_with(':');
    (length > 0 && is_marked).then(|| comments.start + at..comments.start + at + length)
}

/// A bracket without its other half.
fn unbalanced_bracket(statement: &[SqlToken]) -> Option<usize> {
    let mut open = Vec::new();
    for token in statement {
        match token.kind {
            SqlTokenKind::Sign(b'(') => open.push(token.span.start),
            SqlTokenKind::Sign(b')') if open.pop().is_none() => return Some(token.span.start),
            _ => {}
        }
    }
    open.pop()
}

/// How many tokens the first statement has, its end included.
fn statement_length(text: &str, rest: &[SqlToken]) -> usize {
    let word = |at: usize| {
        let token = rest.get(at).filter(|token| token.kind == SqlTokenKind::Word);
        token.map(|token| text[token.span.clone()].to_lowercase()).unwrap_or_default()
    };
    let is_routine = word(0) == "create"
        && (1..8).any(|at| matches!(&*word(at), "function" | "procedure" | "proc" | "trigger"));
    let (mut blocks, mut quoted) = (0_usize, None::<&str>);
    for (at, token) in rest.iter().enumerate() {
        match token.kind {
            SqlTokenKind::Sign(b'$') => {
                let tag = &text[token.span.clone()];
                quoted = match quoted {
                    None => Some(tag),
                    Some(open) if open == tag => None,
                    open => open,
                };
            }
            SqlTokenKind::Sign(b';') if blocks == 0 && quoted.is_none() => return at + 1,
            SqlTokenKind::Word if is_routine && quoted.is_none() => match &*word(at) {
                "begin" | "case" => blocks += 1,
                "end" if !matches!(&*word(at + 1), "if" | "loop" | "while" | "repeat" | "for") => {
                    blocks = blocks.saturating_sub(1);
                }
                _ => {}
            },
            _ => {}
        }
    }
    rest.len()
}

struct StatementReader<'t> {
    text: &'t str,
    tokens: &'t [&'t SqlToken],
}

impl StatementReader<'_> {
    fn kind(&self, at: usize) -> Option<SqlTokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// A word in lower case; empty if the token is not a word.
    fn word(&self, at: usize) -> String {
        let token = self.tokens.get(at).filter(|token| token.kind == SqlTokenKind::Word);
        token.map(|token| self.text[token.span.clone()].to_lowercase()).unwrap_or_default()
    }

    /// The last part of a name with dots, and the token after it.
    fn name(&self, mut at: usize) -> Option<(Range<usize>, usize)> {
        loop {
            if !matches!(self.kind(at)?, SqlTokenKind::Word | SqlTokenKind::QuotedName) {
                return None;
            }
            if self.kind(at + 1) != Some(SqlTokenKind::Sign(b'.')) {
                return Some((self.tokens[at].span.clone(), at + 1));
            }
            at += 2;
        }
    }

    fn created(&self) -> Option<CreatedObject> {
        if !matches!(&*self.word(0), "create" | "replace") {
            return None;
        }
        let mut at = 1;
        while CREATE_MODIFIERS.contains(&&*self.word(at)) {
            at += 1;
        }
        // `DEFINER = user@host` comes before routines of MySQL.
        if self.word(at) == "definer" {
            at += (at..self.tokens.len().min(at + 8))
                .position(|at| CREATED_KINDS.iter().any(|(kind, _)| self.word(at) == *kind))?;
        }
        let word = self.word(at);
        let (_, kind) = CREATED_KINDS.iter().find(|(name, _)| *name == word)?;
        at += 1;
        while matches!(&*self.word(at), "if" | "not" | "exists") {
            at += 1;
        }
        let (name, next) = self.name(at)?;
        let opening =
            (next..self.tokens.len()).find(|at| self.kind(*at) == Some(SqlTokenKind::Sign(b'(')));
        let (body, columns) = match (word.as_str(), opening) {
            ("table", Some(opening)) if opening == next => {
                (Some(self.tokens[opening].span.start), self.columns(opening))
            }
            _ => {
                let ends = |at: &usize| {
                    matches!(&*self.word(*at), "as" | "begin")
                        || self.kind(*at) == Some(SqlTokenKind::Sign(b'$'))
                };
                let start = (next..self.tokens.len()).find(ends);
                (start.map(|at| self.tokens[at].span.start), Vec::new())
            }
        };
        Some(CreatedObject { kind: *kind, name, body, columns })
    }

    /// The columns in the brackets that open at a token.
    fn columns(&self, opening: usize) -> Vec<SqlColumn> {
        let mut columns = Vec::new();
        let (mut depth, mut start) = (0_usize, opening + 1);
        for at in opening..self.tokens.len() {
            match self.tokens[at].kind {
                SqlTokenKind::Sign(b'(') => depth += 1,
                SqlTokenKind::Sign(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_end = depth == 0;
            let is_comma = depth == 1 && self.tokens[at].kind == SqlTokenKind::Sign(b',');
            if (is_end || is_comma) && start < at {
                let is_name = matches!(
                    self.tokens[start].kind,
                    SqlTokenKind::Word | SqlTokenKind::QuotedName
                );
                if is_name && !TABLE_CONSTRAINTS.contains(&&*self.word(start)) {
                    let name = self.tokens[start].span.clone();
                    let whole = name.start..self.tokens[at - 1].span.end;
                    columns.push(SqlColumn { name, whole });
                }
            }
            if is_comma {
                start = at + 1;
            }
            if is_end {
                break;
            }
        }
        columns
    }

    fn uses(&self, created: Option<&CreatedObject>) -> Vec<UsedName> {
        let local: Vec<String> = (0..self.tokens.len())
            .filter(|at| {
                self.word(at + 1) == "as" && self.kind(at + 2) == Some(SqlTokenKind::Sign(b'('))
            })
            .map(|at| identifier(&self.text[self.tokens[at].span.clone()]).to_lowercase())
            .collect();
        let own = created.map(|created| created.name.clone());
        let mut found: Vec<UsedName> = Vec::new();
        let mut add = |name: Range<usize>| {
            let text = identifier(&self.text[name.clone()]);
            let is_known = local.contains(&text.to_lowercase()) || own.as_ref() == Some(&name);
            if !is_known && !found.iter().any(|one| one.text == text) {
                found.push(UsedName { text, at: name.start });
            }
        };
        for at in 0..self.tokens.len() {
            let word = self.word(at);
            let before = at.checked_sub(1).map(|at| self.word(at)).unwrap_or_default();
            let is_table_word = BEFORE_TABLE.contains(&&*word)
                // `ON UPDATE CASCADE`, `FOR UPDATE`, `IS DISTINCT FROM`
                && !matches!(&*before, "on" | "for" | "distinct" | "do")
                || word == "on" && self.is_index_or_trigger();
            if is_table_word {
                self.listed_names(at + 1, &mut add);
            }
            let is_call = self.kind(at + 1) == Some(SqlTokenKind::Sign(b'('))
                && matches!(self.kind(at), Some(SqlTokenKind::Word | SqlTokenKind::QuotedName))
                && !NO_ROUTINES.contains(&&*word);
            if is_call || matches!(&*before, "call" | "exec" | "execute") && !word.is_empty() {
                add(self.tokens[at].span.clone());
            }
        }
        found
    }

    /// The names after a word such as `FROM`, with commas between them.
    fn listed_names(&self, mut at: usize, add: &mut impl FnMut(Range<usize>)) {
        while BEFORE_NAME.contains(&&*self.word(at)) {
            at += 1;
        }
        while let Some((name, next)) = self.name(at) {
            add(name);
            // An alias may follow.
            let alias = next + usize::from(self.word(next) == "as");
            let after = match self.kind(alias) {
                Some(SqlTokenKind::Word | SqlTokenKind::QuotedName) => alias + 1,
                _ => next,
            };
            if self.kind(after) != Some(SqlTokenKind::Sign(b',')) {
                return;
            }
            at = after + 1;
        }
    }

    fn is_index_or_trigger(&self) -> bool {
        self.word(0) == "create"
            && (1..7).any(|at| matches!(&*self.word(at), "index" | "trigger" | "policy" | "rule"))
    }
}
