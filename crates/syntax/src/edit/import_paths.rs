//! How an import has to be written after the importing or the imported file moved.

use base::{RepoPath, Span};

use super::TextSplice;
use crate::descriptor::ImportResolver;
use crate::model::{Import, ImportKind, ImportedName};
use crate::{Language, LanguageSemantics};

/// An importing and an imported file, before and after a move of one of them.
#[derive(Debug, Clone, Copy)]
pub struct MovedImport<'a> {
    /// The importing file before
    pub old_importer: &'a RepoPath,
    /// The importing file afterwards
    pub importer: &'a RepoPath,
    /// The imported file before
    pub old_target: &'a RepoPath,
    /// The imported file afterwards
    pub target: &'a RepoPath,
}

/// Why an import cannot be rewritten.
pub type ImportRefusal = &'static str;

/// The change of an import statement after a move; `None` if it stays as it is.
pub fn relocate_import(
    language: Language,
    text: &str,
    import: &Import,
    moved: MovedImport<'_>,
) -> Result<Option<TextSplice>, ImportRefusal> {
    let new = match language.semantics().imports {
        ImportResolver::JavaScript => javascript_specifier(&import.specifier, moved)?,
        ImportResolver::Python => python_specifier(import, moved)?,
        _ => return Err("imports of this language are not rewritten"),
    };
    let old = written_specifier(import);
    if new == old {
        return Ok(None);
    }
    let statement = text.get(import.span.range()).ok_or("its statement was not found")?;
    let at = statement.find(old.as_str()).ok_or("its statement was not found")?;
    let start = import.span.start + u32::try_from(at).unwrap_or_default();
    let span = Span::new(start, start + u32::try_from(old.len()).unwrap_or_default());
    Ok(Some(TextSplice { span, text: new }))
}

/// The specifier with the dots that Python writes before it.
fn written_specifier(import: &Import) -> String {
    format!("{}{}", ".".repeat(usize::from(import.level)), import.specifier)
}

/// The statement that imports a name from another file, as the language writes it; `None` where
/// that is not known.
pub fn import_statement(
    language: Language,
    name: &str,
    is_type: bool,
    importer: &RepoPath,
    target: &RepoPath,
) -> Option<String> {
    match language.semantics().imports {
        ImportResolver::JavaScript => {
            let keyword = if is_type { "import type" } else { "import" };
            let specifier = with_leading_dot(&relative_path(importer, &without_extension(target)));
            Some(format!("{keyword} {{ {name} }} from '{specifier}';"))
        }
        ImportResolver::Python => {
            let from = relative_module(&package_of(importer), &module_names(target))?;
            Some(format!("from {from} import {name}"))
        }
        _ => None,
    }
}

/// The same import of one name, from another file: with its alias, as a type, or as a re-export.
pub fn import_like(
    language: Language,
    import: &Import,
    taken: &ImportedName,
    importer: &RepoPath,
    target: &RepoPath,
) -> Option<String> {
    let statement = import_statement(language, &taken.name, false, importer, target)?;
    let alias = taken.alias.as_deref().filter(|alias| *alias != taken.name);
    let named =
        alias.map_or_else(|| taken.name.clone(), |alias| format!("{} as {alias}", taken.name));
    if language.semantics().imports == ImportResolver::Python {
        let (head, _) = statement.rsplit_once(' ')?;
        return Some(format!("{head} {named}"));
    }
    let (_, from) = statement.split_once(" from ")?;
    let keyword = if import.kind == ImportKind::ReExport { "export" } else { "import" };
    let is_type = if import.is_type_only || taken.is_type { " type" } else { "" };
    Some(format!("{keyword}{is_type} {{ {named} }} from {from}"))
}

/// A name that an import binds in its file.
#[derive(Debug, Clone, Copy)]
pub struct LocalImport<'i> {
    /// The name
    pub local: &'i str,
    /// What it names in the imported module; `None` for a module under its own name
    pub taken: Option<&'i ImportedName>,
}

/// The names that an import binds in its file.
pub fn local_imports(language: Language, import: &Import) -> Vec<LocalImport<'_>> {
    let is_python = language.semantics().imports == ImportResolver::Python;
    if is_python && import.names.is_empty() && import.kind == ImportKind::Import {
        let local = import.specifier.split('.').next().unwrap_or_default();
        return vec![LocalImport { local, taken: None }];
    }
    import
        .names
        .iter()
        .map(|taken| LocalImport {
            local: taken.alias.as_deref().unwrap_or(&taken.name),
            taken: Some(taken),
        })
        .collect()
}

/// The statement by which another file binds the same name to the same thing.
pub fn copied_import(
    language: Language,
    import: &Import,
    local: LocalImport<'_>,
    old_importer: &RepoPath,
    importer: &RepoPath,
) -> Result<String, ImportRefusal> {
    match language.semantics().imports {
        ImportResolver::JavaScript => {
            if !matches!(import.kind, ImportKind::Import) {
                return Err("it is not imported by a statement");
            }
            let specifier = match import.specifier.starts_with('.') {
                true => moved_relative_path(&import.specifier, old_importer, importer)?,
                false => import.specifier.clone(),
            };
            let taken = local.taken.ok_or("its form is not known")?;
            let what = match taken.name.as_str() {
                "default" => local.local.to_owned(),
                "*" => format!("* as {}", local.local),
                name if name == local.local => format!("{{ {name} }}"),
                name => format!("{{ {name} as {} }}", local.local),
            };
            let is_type = if import.is_type_only || taken.is_type { " type" } else { "" };
            Ok(format!("import{is_type} {what} from '{specifier}';"))
        }
        ImportResolver::Python => {
            let specifier = copied_python_module(import, old_importer, importer)?;
            match local.taken {
                None => Ok(format!("import {specifier}")),
                Some(taken) if import.kind == ImportKind::From => {
                    let alias = taken.alias.as_deref().filter(|alias| *alias != taken.name);
                    let alias = alias.map(|alias| format!(" as {alias}")).unwrap_or_default();
                    Ok(format!("from {specifier} import {}{alias}", taken.name))
                }
                Some(_) => Ok(format!("import {specifier} as {}", local.local)),
            }
        }
        _ => Err("imports of this language are not rewritten"),
    }
}

/// A relative specifier as another file writes it.
fn moved_relative_path(
    specifier: &str,
    old_importer: &RepoPath,
    importer: &RepoPath,
) -> Result<String, ImportRefusal> {
    let mut names = folder_names(old_importer);
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                names.pop().ok_or("it leads out of the repository")?;
            }
            name => names.push(name.to_owned()),
        }
    }
    Ok(with_leading_dot(&relative_path(importer, &names.join("/"))))
}

fn copied_python_module(
    import: &Import,
    old_importer: &RepoPath,
    importer: &RepoPath,
) -> Result<String, ImportRefusal> {
    if import.level == 0 {
        return Ok(import.specifier.clone());
    }
    let mut module = package_of(old_importer);
    module.truncate(module.len().saturating_sub(usize::from(import.level) - 1));
    let names = import.specifier.split('.').filter(|name| !name.is_empty());
    module.extend(names.map(str::to_owned));
    relative_module(&package_of(importer), &module).ok_or("the new place is in no common package")
}

/// A declaration that other files can import: with the keyword that its language needs for that.
pub fn exported_declaration(language: Language, text: &str) -> String {
    if language.semantics().imports != ImportResolver::JavaScript {
        return text.to_owned();
    }
    let facts = crate::extract(Some(language), text.as_bytes());
    let Some(symbol) = facts.symbols.first() else { return text.to_owned() };
    let line_start = text[..symbol.declaration.start as usize].rfind('\n').map_or(0, |at| at + 1);
    format!("{}export {}", &text[..line_start], &text[line_start..])
}

impl LanguageSemantics {
    /// Whether a file has to export what others import from it.
    pub const fn needs_export(&self) -> bool {
        matches!(self.imports, ImportResolver::JavaScript)
    }

    /// Whether imports can be rewritten after a move.
    pub const fn rewrites_imports(&self) -> bool {
        matches!(self.imports, ImportResolver::JavaScript | ImportResolver::Python)
    }
}

fn names_of(path: &str) -> Vec<String> {
    path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn folder_names(path: &RepoPath) -> Vec<String> {
    let mut names = names_of(&path.to_string());
    names.pop();
    names
}

/// The endings of script files, longest first.
const SCRIPT_ENDINGS: [&str; 9] =
    [".d.ts", ".tsx", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".ts", ".js"];

fn script_ending(path: &str) -> &'static str {
    SCRIPT_ENDINGS.into_iter().find(|ending| path.ends_with(ending)).unwrap_or_default()
}

fn without_extension(path: &RepoPath) -> String {
    let path = path.to_string();
    path[..path.len() - script_ending(&path).len()].to_owned()
}

/// The path from a file's folder to another path.
fn relative_path(from: &RepoPath, to: &str) -> String {
    let (from, to) = (folder_names(from), names_of(to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    let down = to[common..].iter().map(String::as_str);
    up.chain(down).collect::<Vec<_>>().join("/")
}

fn with_leading_dot(path: &str) -> String {
    match path {
        "" => ".".into(),
        path if path.starts_with("..") => path.into(),
        path => format!("./{path}"),
    }
}

/// How a specifier names a script file.
enum SpecifierForm {
    /// With the file's own ending, or the one it has after compilation
    WithEnding(&'static str),
    WithoutEnding,
    /// The folder of an index file
    Folder,
}

fn javascript_specifier(old: &str, moved: MovedImport<'_>) -> Result<String, ImportRefusal> {
    let old_path = without_extension(moved.old_target);
    let new_path = without_extension(moved.target);
    let (bare, ending) = {
        let ending = script_ending(old);
        (old[..old.len() - ending.len()].to_owned(), ending)
    };
    let form_of = |named: &str, whole: &str| {
        let folder = whole.strip_suffix("/index").or_else(|| whole.strip_suffix("index"));
        match named {
            named if named == whole && !ending.is_empty() => {
                Some(SpecifierForm::WithEnding(ending))
            }
            named if named == whole => Some(SpecifierForm::WithoutEnding),
            named if Some(named.trim_end_matches('/')) == folder => Some(SpecifierForm::Folder),
            _ => None,
        }
    };
    let write = |path: String, form: &SpecifierForm| match form {
        SpecifierForm::WithEnding(ending) => format!("{path}{ending}"),
        SpecifierForm::WithoutEnding => path,
        SpecifierForm::Folder => match path.strip_suffix("/index") {
            Some(folder) => folder.to_owned(),
            None => path,
        },
    };
    if old.starts_with('.') {
        let was = with_leading_dot(&relative_path(moved.old_importer, &old_path));
        let named = with_leading_dot(bare.trim_start_matches("./"));
        let form = form_of(&named, &was).ok_or("its form is not known")?;
        let path = with_leading_dot(&relative_path(moved.importer, &new_path));
        return Ok(write(path, &form));
    }
    // An alias such as `@/pay`: what it stands for is the part of the path that it leaves out.
    let (alias, path) = (names_of(&bare), names_of(&old_path));
    let common = alias.iter().rev().zip(path.iter().rev()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return Err("it names a package or an alias that says nothing about the path");
    }
    let base = path[..path.len() - common].join("/");
    let rest = match base.as_str() {
        "" => Some(new_path.as_str()),
        base => new_path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')),
    };
    let rest = rest.ok_or("its alias does not reach the new place")?;
    let prefix = alias[..alias.len() - common].join("/");
    let whole = if prefix.is_empty() { rest.to_owned() } else { format!("{prefix}/{rest}") };
    Ok(format!("{whole}{ending}"))
}

/// The names of the module that a Python file is.
fn module_names(path: &RepoPath) -> Vec<String> {
    let path = path.to_string();
    let mut names = names_of(path.strip_suffix(".py").unwrap_or(&path));
    if names.last().is_some_and(|last| last == "__init__") {
        names.pop();
    }
    names
}

/// The names of the package that a Python file is in.
fn package_of(path: &RepoPath) -> Vec<String> {
    folder_names(path)
}

/// A module as a file of a package names it: `.a`, `..b.c`.
fn relative_module(package: &[String], module: &[String]) -> Option<String> {
    let common = package.iter().zip(module).take_while(|(a, b)| a == b).count();
    (common > 0).then(|| {
        let dots = ".".repeat(package.len() - common + 1);
        format!("{dots}{}", module[common..].join("."))
    })
}

fn python_specifier(import: &Import, moved: MovedImport<'_>) -> Result<String, ImportRefusal> {
    let names: Vec<String> =
        import.specifier.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let (was, is) = (module_names(moved.old_target), module_names(moved.target));
    if import.kind != ImportKind::From {
        return Err("the module is used by its own name");
    }
    if import.level > 0 {
        let mut package = package_of(moved.old_importer);
        let up = usize::from(import.level) - 1;
        package.truncate(package.len().saturating_sub(up));
        let named: Vec<String> = package.into_iter().chain(names).collect();
        if named != was {
            return Err("the module is imported as a name of its package");
        }
        let package = package_of(moved.importer);
        return relative_module(&package, &is).ok_or("the new place is in no common package");
    }
    if !was.ends_with(&names) {
        return Err("the module is imported as a name of its package");
    }
    let base = &was[..was.len() - names.len()];
    match is.strip_prefix(base) {
        Some(rest) if !rest.is_empty() => Ok(rest.join(".")),
        _ => Err("the new place is outside the package"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    /// The first import of a text after a move of what it imports, or of itself.
    fn relocated(language: &str, text: &str, moves: [&str; 4]) -> Result<String, ImportRefusal> {
        let language = Language::from_name(language).unwrap();
        let import = extract(Some(language), text.as_bytes()).imports.remove(0);
        let [old_importer, importer, old_target, target] = moves.map(path);
        let moved = MovedImport {
            old_importer: &old_importer,
            importer: &importer,
            old_target: &old_target,
            target: &target,
        };
        let splice = relocate_import(language, text, &import, moved)?;
        Ok(splice.map_or_else(|| text.to_owned(), |splice| splice.apply(text)))
    }

    #[test]
    fn script_imports_keep_their_form() {
        let moved = ["src/a.ts", "src/a.ts", "src/pay/gate.ts", "src/net/way.ts"];
        let cases = [
            ("import { x } from './pay/gate';", "import { x } from './net/way';"),
            ("import { x } from \"./pay/gate.js\";", "import { x } from \"./net/way.js\";"),
            ("export * from './pay/gate.ts';", "export * from './net/way.ts';"),
            ("import { x } from '@/pay/gate';", "import { x } from '@/net/way';"),
        ];
        for (text, expected) in cases {
            assert_eq!(relocated("TypeScript", text, moved).as_deref(), Ok(expected));
        }
        let index = ["a.ts", "a.ts", "pay/index.ts", "net/way.ts"];
        let found = relocated("TypeScript", "import { x } from './pay';", index);
        assert_eq!(found.as_deref(), Ok("import { x } from './net/way';"));
        assert!(relocated("TypeScript", "import { x } from '@shop/pay';", moved).is_err());
    }

    #[test]
    fn the_imports_of_a_moved_file_are_relative_to_its_new_place() {
        let moved = ["src/a.ts", "src/far/b.ts", "src/pay/gate.ts", "src/pay/gate.ts"];
        let found = relocated("TypeScript", "import { x } from './pay/gate';", moved);
        assert_eq!(found.as_deref(), Ok("import { x } from '../pay/gate';"));
    }

    #[test]
    fn python_imports_are_absolute_or_relative_as_before() {
        let moved = ["src/shop/a.py", "src/shop/a.py", "src/shop/pay/gate.py", "src/shop/net.py"];
        let cases = [
            ("from shop.pay.gate import x", Ok("from shop.net import x")),
            ("from .pay.gate import x", Ok("from .net import x")),
            ("import shop.pay.gate", Err("the module is used by its own name")),
            ("from .pay import gate", Err("the module is imported as a name of its package")),
        ];
        for (text, expected) in cases {
            assert_eq!(relocated("Python", text, moved).as_deref(), expected.as_deref(), "{text}");
        }
        let own = ["src/shop/a.py", "src/shop/deep/b.py", "src/shop/pay.py", "src/shop/pay.py"];
        let found = relocated("Python", "from .pay import x", own);
        assert_eq!(found.as_deref(), Ok("from ..pay import x"));
    }

    #[test]
    fn imports_are_copied_to_another_folder() {
        let copied = |language: &str, text: &str, from: &str, to: &str| -> Vec<String> {
            let language = Language::from_name(language).unwrap();
            let import = extract(Some(language), text.as_bytes()).imports.remove(0);
            let names = local_imports(language, &import);
            let copy = |local| copied_import(language, &import, local, &path(from), &path(to));
            names.into_iter().map(|local| copy(local).unwrap()).collect()
        };
        let script = "import base, { x as y, type T } from './pay/gate';";
        assert_eq!(
            copied("TypeScript", script, "src/a.ts", "src/far/b.ts"),
            [
                "import base from '../pay/gate';",
                "import { x as y } from '../pay/gate';",
                "import type { T } from '../pay/gate';",
            ]
        );
        let cases = [
            ("import os.path", "import os.path"),
            ("import numpy as np", "import numpy as np"),
            ("from .pay import x as y", "from ..pay import x as y"),
        ];
        for (text, expected) in cases {
            assert_eq!(copied("Python", text, "shop/a.py", "shop/deep/b.py"), [expected]);
        }
    }

    #[test]
    fn a_declaration_is_exported_below_its_comment() {
        let text = "/** Pays. */\nfunction pay() {}";
        let script = Language::from_name("TypeScript").unwrap();
        assert_eq!(exported_declaration(script, text), "/** Pays. */\nexport function pay() {}");
        let python = Language::from_name("Python").unwrap();
        assert_eq!(exported_declaration(python, "def pay():\n    pass"), "def pay():\n    pass");
    }

    #[test]
    fn a_name_is_imported_as_the_language_writes_it() {
        let statement = |language: &str, from: &str, to: &str| {
            let language = Language::from_name(language).unwrap();
            import_statement(language, "charge", false, &path(from), &path(to))
        };
        let script = statement("TypeScript", "src/a.ts", "src/pay/gate.ts");
        assert_eq!(script.as_deref(), Some("import { charge } from './pay/gate';"));
        let python = statement("Python", "shop/a.py", "shop/pay/gate.py");
        assert_eq!(python.as_deref(), Some("from .pay.gate import charge"));
        assert_eq!(statement("Go", "a/a.go", "b/b.go"), None);
    }
}
