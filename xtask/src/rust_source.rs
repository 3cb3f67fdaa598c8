//! Facts about Rust source files that laws and the house table are computed from.
//!
//! Files are parsed with `syn`, so comments, strings and macros cannot be mistaken for code. Types
//! that a macro of this workspace declares are found by the name of the macro.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Macros that declare a type, named by the first capitalised word of their input.
const TYPE_MACROS: [&str; 6] = ["number_type", "record", "row_id", "stages", "text_type", "words"];

/// The integer types.
const INTEGERS: [&str; 10] =
    ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];

/// Facts about one file, those of test modules left out.
#[derive(Debug, Default)]
pub(crate) struct RustFile {
    /// Structs, enums, unions, traits and type aliases
    pub(crate) types: Vec<TypeDeclaration>,
    /// Type aliases of tuples
    pub(crate) tuple_aliases: Vec<String>,
    /// Functions and methods, also those of traits without a body
    pub(crate) functions: Vec<FunctionFacts>,
    /// Fields and parameters called `id` or `…_id` whose type is a bare integer
    pub(crate) integer_ids: Vec<Mention>,
    /// Tests that do nothing unless a variable is set, because they are the code of a child process
    pub(crate) child_entries: Vec<Mention>,
    /// Paths that begin with `crate::`, as they are written
    pub(crate) crate_paths: Vec<Mention>,
    /// Lines of test modules, blank ones left out
    pub(crate) test_lines: usize,
    /// All other lines, blank ones left out
    pub(crate) code_lines: usize,
}

/// A name, and the line that it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) name: String,
    /// Counted from 1
    pub(crate) line: usize,
}

/// A type that a file declares.
#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) name: Mention,
    /// Whether it derives `Args`: the input of an operation, which is named after its verb
    pub(crate) is_operation_input: bool,
}

/// Facts about a function.
#[derive(Debug)]
pub(crate) struct FunctionFacts {
    pub(crate) name: Mention,
    /// From its first to its last line; `None` without a body
    pub(crate) lines: Option<usize>,
    /// Whether a parameter is a tuple, or a reference to one
    pub(crate) has_tuple_parameter: bool,
    /// The names of the parameters' types, also behind references
    pub(crate) parameter_types: Vec<String>,
}

/// Parses a text; `None` if it is not Rust, such as a fixture or a template.
pub(crate) fn parse(text: &str) -> Option<RustFile> {
    let file = syn::parse_file(text).ok()?;
    let mut collector = Collector { text, facts: RustFile::default() };
    collector.visit_file(&file);
    let all = text.lines().filter(|line| !line.trim().is_empty()).count();
    collector.facts.code_lines = all.saturating_sub(collector.facts.test_lines);
    Some(collector.facts)
}

/// Whether a file is part of the tests by its path: in a folder of tests, in a crate that supports
/// them, or a module of its own.
pub(crate) fn is_test_path(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folders = path.parent().into_iter().flat_map(Path::components);
    let folders = folders.map(|part| part.as_os_str().to_string_lossy().into_owned());
    let is_test_folder = |folder: String| folder.starts_with("test");
    name == "tests" || name.ends_with("_tests") || folders.into_iter().any(is_test_folder)
}

struct Collector<'t> {
    text: &'t str,
    facts: RustFile,
}

impl Collector<'_> {
    fn add_type(&mut self, name: &syn::Ident, attributes: &[syn::Attribute]) {
        let name = Mention { name: name.to_string(), line: name.span().start().line };
        let is_operation_input = attributes.iter().any(derives_args);
        self.facts.types.push(TypeDeclaration { name, is_operation_input });
    }

    fn add_function(&mut self, signature: &syn::Signature, lines: Option<usize>) {
        let parameters: Vec<&syn::PatType> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                syn::FnArg::Typed(parameter) => Some(parameter),
                syn::FnArg::Receiver(_) => None,
            })
            .collect();
        let has_tuple_parameter = parameters.iter().any(|parameter| is_tuple(&parameter.ty));
        let parameter_types =
            parameters.iter().filter_map(|parameter| type_name(&parameter.ty)).collect();
        let line = signature.ident.span().start().line;
        let name = Mention { name: signature.ident.to_string(), line };
        let facts = FunctionFacts { name, lines, has_tuple_parameter, parameter_types };
        self.facts.functions.push(facts);
        for parameter in parameters {
            if let syn::Pat::Ident(pattern) = &*parameter.pat {
                self.check_id(&pattern.ident, &parameter.ty);
            }
        }
    }

    fn check_id(&mut self, name: &syn::Ident, kind: &syn::Type) {
        let (text, line) = (name.to_string(), name.span().start().line);
        if (text == "id" || text.ends_with("_id")) && is_integer(kind) {
            self.facts.integer_ids.push(Mention { name: text, line });
        }
    }

    /// Whether a test begins with `let … = …env::var… else { return };`.
    fn needs_variable(&self, test: &syn::ItemFn) -> bool {
        let Some(syn::Stmt::Local(first)) = test.block.stmts.first() else { return false };
        let diverges = first.init.as_ref().and_then(|init| init.diverge.as_ref());
        let Some((_, otherwise)) = diverges else { return false };
        let syn::Expr::Block(otherwise) = &**otherwise else { return false };
        let returns = |statement: &syn::Stmt| {
            matches!(
                statement,
                syn::Stmt::Expr(syn::Expr::Return(syn::ExprReturn { expr: None, .. }), _)
            )
        };
        let (start, end) = (first.span().start().line, first.span().end().line);
        let mut lines = self.text.lines().skip(start - 1).take(end - start + 1);
        otherwise.block.stmts.len() == 1
            && otherwise.block.stmts.iter().all(returns)
            && lines.any(|line| line.contains("env::var"))
    }

    fn count_test_lines(&mut self, span: proc_macro2::Span) {
        let (start, end) = (span.start().line, span.end().line);
        let lines = self.text.lines().skip(start - 1).take(end - start + 1);
        self.facts.test_lines += lines.filter(|line| !line.trim().is_empty()).count();
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if attributes(item).iter().any(is_test_attribute) {
            if let syn::Item::Fn(test) = item
                && self.needs_variable(test)
            {
                let line = test.sig.ident.span().start().line;
                self.facts.child_entries.push(Mention { name: test.sig.ident.to_string(), line });
            }
            return self.count_test_lines(item.span());
        }
        match item {
            syn::Item::Struct(item) => self.add_type(&item.ident, &item.attrs),
            syn::Item::Enum(item) => self.add_type(&item.ident, &item.attrs),
            syn::Item::Union(item) => self.add_type(&item.ident, &item.attrs),
            syn::Item::Trait(item) => self.add_type(&item.ident, &item.attrs),
            syn::Item::Type(item) => {
                self.add_type(&item.ident, &item.attrs);
                if is_tuple(&item.ty) {
                    self.facts.tuple_aliases.push(item.ident.to_string());
                }
            }
            syn::Item::Fn(item) => self.add_function(&item.sig, Some(line_count(item))),
            syn::Item::Macro(item) => {
                let name = item.mac.path.segments.last().map(|part| part.ident.to_string());
                if name.is_some_and(|name| TYPE_MACROS.contains(&name.as_str()))
                    && let Some(name) = first_type_name(item.mac.tokens.clone())
                {
                    self.add_type(&name, &[]);
                }
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_function(&item.sig, Some(line_count(item)));
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let lines = item.default.as_ref().map(|_| line_count(item));
        self.add_function(&item.sig, lines);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.check_id(name, &field.ty);
        }
        visit::visit_field(self, field);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if let syn::UseTree::Path(root) = &item.tree
            && root.ident == "crate"
        {
            let line = root.ident.span().start().line;
            let names = first_names(&root.tree).into_iter();
            let paths = names.map(|name| Mention { name: format!("crate::{name}"), line });
            self.facts.crate_paths.extend(paths);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut parts = path.segments.iter().map(|part| &part.ident);
        if let (Some(root), Some(first)) = (parts.next(), parts.next())
            && root == "crate"
        {
            let line = root.span().start().line;
            self.facts.crate_paths.push(Mention { name: format!("crate::{first}"), line });
        }
        visit::visit_path(self, path);
    }
}

/// The first names below a root of a `use`: `a` and `b` of `use crate::{a::c, b}`.
fn first_names(tree: &syn::UseTree) -> Vec<String> {
    match tree {
        syn::UseTree::Path(path) => vec![path.ident.to_string()],
        syn::UseTree::Name(name) => vec![name.ident.to_string()],
        syn::UseTree::Rename(name) => vec![name.ident.to_string()],
        syn::UseTree::Glob(_) => Vec::new(),
        syn::UseTree::Group(group) => group.items.iter().flat_map(first_names).collect(),
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an attribute says that an item is only compiled in tests.
fn is_test_attribute(attribute: &syn::Attribute) -> bool {
    let text = match &attribute.meta {
        syn::Meta::Path(path) => {
            return path.segments.last().is_some_and(|part| part.ident == "test");
        }
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            list.tokens.to_string().replace(' ', "")
        }
        _ => return false,
    };
    text == "test" || text.starts_with("all(test")
}

fn derives_args(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("derive")
        && list.tokens.clone().into_iter().any(|token| token.to_string() == "Args")
}

/// The first capitalised word of a macro's input, attributes left out.
fn first_type_name(tokens: TokenStream) -> Option<syn::Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) if name.to_string().starts_with(char::is_uppercase) => Some(name),
        _ => None,
    })
}

fn line_count(item: &impl Spanned) -> usize {
    let span = item.span();
    span.end().line - span.start().line + 1
}

fn is_tuple(kind: &syn::Type) -> bool {
    match kind {
        syn::Type::Reference(reference) => is_tuple(&reference.elem),
        syn::Type::Paren(inner) => is_tuple(&inner.elem),
        syn::Type::Tuple(tuple) => tuple.elems.len() > 1,
        _ => false,
    }
}

/// The name of a type without its path and arguments, also behind references.
fn type_name(kind: &syn::Type) -> Option<String> {
    match kind {
        syn::Type::Reference(reference) => type_name(&reference.elem),
        syn::Type::Paren(inner) => type_name(&inner.elem),
        syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Whether a type is an integer, or a reference, option or list of integers.
fn is_integer(kind: &syn::Type) -> bool {
    match kind {
        syn::Type::Reference(reference) => is_integer(&reference.elem),
        syn::Type::Slice(slice) => is_integer(&slice.elem),
        syn::Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            if INTEGERS.iter().any(|integer| last.ident == integer) {
                return true;
            }
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return false;
            };
            let is_wrapper = last.ident == "Option" || last.ident == "Vec";
            is_wrapper
                && arguments.args.iter().any(
                    |argument| matches!(argument, syn::GenericArgument::Type(kind) if is_integer(kind)),
                )
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mentions: &[Mention]) -> Vec<&str> {
        mentions.iter().map(|mention| mention.name.as_str()).collect()
    }

    #[test]
    fn types_are_found_in_items_and_macros() {
        let text = "
            #[derive(Debug, clap::Args)] pub struct Show { path: u8 }
            pub(crate) enum Kind { A }
            type Alias = u8;
            impl Iterator for Kind { type Item = u8; }
            base::text_type!(
                /// A Name.
                BranchName, |_| Ok(()));
            #[cfg(test)] mod tests { struct Hidden; }";
        let file = parse(text).unwrap();
        let types: Vec<(&str, bool)> = file
            .types
            .iter()
            .map(|found| (found.name.name.as_str(), found.is_operation_input))
            .collect();
        let expected = [("Show", true), ("Kind", false), ("Alias", false), ("BranchName", false)];
        assert_eq!(types, expected);
        assert_eq!(file.types[1].name.line, 3);
    }

    #[test]
    fn tuple_parameters_are_found_also_behind_references() {
        let text = "
            fn plain(a: u8, b: &[(u8, u8)], c: ()) {}
            fn pair((a, b): (u8, u8)) {}
            impl X { fn borrowed(&self, pair: &mut (u8, u8)) {} }
            trait T { fn required(pair: (u8, u8)); }";
        let file = parse(text).unwrap();
        let with_tuple = file.functions.iter().filter(|function| function.has_tuple_parameter);
        let found: Vec<&str> = with_tuple.map(|function| function.name.name.as_str()).collect();
        assert_eq!(found, ["pair", "borrowed", "required"]);
    }

    #[test]
    fn ids_that_are_integers_are_found() {
        let text = "
            struct A { id: u64, task_id: Option<i64>, ids: u8, idle: u8, other_id: TaskId }
            fn f(id: &[u32], count: usize, node_id: String) {}";
        assert_eq!(names(&parse(text).unwrap().integer_ids), ["id", "task_id", "id"]);
    }

    #[test]
    fn tests_that_are_the_work_of_a_child_are_found() {
        let text = "
            #[test] fn child() { let Ok(root) = std::env::var(ROOT) else { return }; work(&root); }
            #[test] fn told() { let Some(a) = std::env::var_os(A) else { return not_run() }; }
            #[test] fn server() { let Some(team) = Team::start() else { return }; }
            #[test] fn both() { if let Ok(root) = std::env::var(ROOT) { return work(&root); } }";
        assert_eq!(names(&parse(text).unwrap().child_entries), ["child"]);
    }

    #[test]
    fn paths_of_the_crate_are_found_in_imports_and_code() {
        let text = "
            use crate::ops::ALL;
            use crate::{graph::A, ops};
            fn f() { crate::ops::find(); super::ops(); \"crate::ops\"; }";
        let file = parse(text).unwrap();
        let found = ["crate::ops", "crate::graph", "crate::ops", "crate::ops"];
        assert_eq!(names(&file.crate_paths), found);
    }

    #[test]
    fn lines_of_tests_are_counted_apart() {
        let text =
            "fn f() {\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n\n    #[test]\n    fn t() {}\n}\n";
        let file = parse(text).unwrap();
        assert_eq!((file.code_lines, file.test_lines), (3, 5));
        assert_eq!(file.functions.len(), 1);
        assert_eq!(file.functions[0].lines, Some(3));
        assert!(is_test_path(Path::new("crates/a/tests/it/main.rs")));
        assert!(is_test_path(Path::new("crates/a/src/b/tests.rs")));
        assert!(!is_test_path(Path::new("crates/a/src/attest.rs")));
    }
}
