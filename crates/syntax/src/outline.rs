//! Facts as compact text, for tests.

use std::fmt::Write;

use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Expr, FileFacts, FlowAction, LiteralItem, ParamKind,
    SymbolFlags, SymbolOwner, TypeRef, Visibility,
};
use crate::{Language, extract};

/// Compares the declarations of a text with what is expected.
#[track_caller]
pub(crate) fn check(language: Language, text: &str, expected: &str) {
    compare(&declared(&extract(Some(language), text.as_bytes())), expected);
}

/// Compares the calls and values of a text with what is expected.
#[track_caller]
pub(crate) fn check_flow(language: Language, text: &str, expected: &str) {
    compare(&flow(&extract(Some(language), text.as_bytes())), expected);
}

#[track_caller]
fn compare(actual: &str, expected: &str) {
    let clean = |text: &str| {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let lines: Vec<_> =
            text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let shared = lines.iter().map(|line| indent(line)).min().unwrap_or(0);
        lines.iter().map(|line| &line[shared..]).collect::<Vec<_>>().join("\n")
    };
    let (actual, expected) = (clean(actual), clean(expected));
    assert!(actual == expected, "--- actual\n{actual}\n--- expected\n{expected}\n");
}

/// Symbols, imports, exports, heritage, doc links and errors, one per line.
pub(crate) fn declared(facts: &FileFacts) -> String {
    let mut out = String::new();
    if let Some(doc) = &facts.doc {
        let _ = writeln!(out, "module \"{}\"", doc.text.replace('\n', "\\n"));
    }
    if let Some(namespace) = &facts.namespace {
        let _ = writeln!(out, "in {namespace}");
    }
    for symbol in &facts.symbols {
        let _ = write!(out, "{} {}", symbol.kind.name(), symbol.path);
        match &symbol.visibility {
            Visibility::Public => out.push_str(" pub"),
            Visibility::Restricted(text) => {
                let _ = write!(out, " {text}");
            }
            Visibility::Private => {}
        }
        for (word, yes) in [
            ("exported", symbol.exported),
            ("test", symbol.is_test),
            ("async", symbol.flags.contains(SymbolFlags::ASYNC)),
            ("static", symbol.flags.contains(SymbolFlags::STATIC)),
            ("abstract", symbol.flags.contains(SymbolFlags::ABSTRACT)),
            ("generator", symbol.flags.contains(SymbolFlags::GENERATOR)),
        ] {
            if yes {
                let _ = write!(out, " {word}");
            }
        }
        for decorator in &symbol.decorators {
            let _ = write!(out, " @{}", decorator.name);
        }
        let _ = write!(out, " :{} `{}`", symbol.line, symbol.signature);
        if let Some(doc) = &symbol.doc {
            let _ = write!(out, " \"{}\"", doc.text.replace('\n', "\\n"));
        }
        out.push('\n');
    }
    modules(facts, &mut out);
    for error in &facts.errors {
        let _ = writeln!(out, "error {}:{} {}", error.line, error.column, error.message);
    }
    out
}

fn modules(facts: &FileFacts, out: &mut String) {
    for import in &facts.imports {
        let kind = format!("{:?}", import.kind).to_lowercase();
        let dots = ".".repeat(import.level.into());
        let _ = write!(out, "{kind} {dots}{}", import.specifier);
        for name in &import.names {
            let ty = if name.is_type { "type " } else { "" };
            let _ = write!(out, " {ty}{}", name.name);
            if let Some(alias) = &name.alias {
                let _ = write!(out, "={alias}");
            }
        }
        if import.owner.is_some() {
            let _ = write!(out, " in {}", owner(facts, import.owner));
        }
        out.push('\n');
    }
    for export in &facts.exports {
        let kind = format!("{:?}", export.kind).to_lowercase();
        let ty = if export.is_type { " type" } else { "" };
        let _ = write!(out, "export {kind}{ty} {}", export.name);
        if let Some(local) = export.local.as_ref().filter(|local| **local != export.name) {
            let _ = write!(out, "={local}");
        }
        if let Some(symbol) = export.symbol {
            let _ = write!(out, " is {}", facts.symbols[symbol as usize].path);
        }
        if let Some(from) = export.from {
            let _ = write!(out, " from {}", facts.imports[from as usize].specifier);
        }
        out.push('\n');
    }
    for heritage in &facts.heritage {
        let symbol = &facts.symbols[heritage.symbol as usize].path;
        let kind = format!("{:?}", heritage.kind).to_lowercase();
        let _ = writeln!(out, "{symbol} {kind} {}", ty(facts, &heritage.target));
    }
    for link in &facts.doc_links {
        let tag = format!("{:?}", link.tag).to_lowercase();
        let _ =
            writeln!(out, "{tag} {} on {} :{}", link.target, owner(facts, link.owner), link.line);
    }
}

/// Parameters and steps, one per line.
pub(crate) fn flow(facts: &FileFacts) -> String {
    let mut out = String::new();
    for param in &facts.flow.params {
        let mark = match param.kind {
            ParamKind::Plain | ParamKind::Receiver => "",
            ParamKind::Keyword => "*,",
            ParamKind::Rest => "...",
            ParamKind::KeywordRest => "**",
        };
        let function = owner(facts, Some(param.function));
        let _ = write!(out, "param {function}#{} {mark}{}", param.position, param.name);
        if let Some(declared) = &param.ty {
            let _ = write!(out, ": {}", ty(facts, declared));
        }
        if let Some(default) = &param.default {
            let _ = write!(out, " = {}", expr(facts, default));
        }
        out.push('\n');
    }
    for step in &facts.flow.steps {
        let block = if step.block.is_some() { "?" } else { "" };
        let _ = write!(out, "{}{block}: ", owner(facts, step.owner));
        let text = match &step.action {
            FlowAction::Call(call) => {
                let site = &facts.flow.calls[*call as usize];
                let kind = match site.kind {
                    CallKind::Call => "",
                    CallKind::New => "new ",
                    CallKind::Decorator => "@",
                    CallKind::Template => "`",
                    CallKind::Macro => "!",
                    CallKind::Element => "<",
                };
                format!("#{call} {kind}{}({})", expr(facts, &site.callee), args(facts, &site.args))
            }
            FlowAction::Assign(to, value) => {
                format!("{} = {}", place(facts, to), expr(facts, value))
            }
            FlowAction::Return(value) => format!("return {}", expr(facts, value)),
            FlowAction::Yield(value) => format!("yield {}", expr(facts, value)),
            FlowAction::YieldFrom(value) => format!("yield* {}", expr(facts, value)),
        };
        let _ = writeln!(out, "{text}");
    }
    out
}

fn owner(facts: &FileFacts, owner: SymbolOwner) -> &str {
    owner.map_or("module", |symbol| &facts.symbols[symbol as usize].path)
}

fn args(facts: &FileFacts, args: &[Arg]) -> String {
    let shown = args.iter().map(|arg| {
        let spread = if arg.spread { "..." } else { "" };
        let name = arg.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        format!("{name}{spread}{}", expr(facts, &arg.value))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn place(facts: &FileFacts, place: &AssignTarget) -> String {
    match place {
        AssignTarget::Local(local) => self::local(facts, *local),
        AssignTarget::Name(name) => format!("~{name}"),
        AssignTarget::Member(object, name) => format!("{}.{name}", expr(facts, object)),
        AssignTarget::Index(object, key) => {
            format!("{}[{}]", expr(facts, object), expr(facts, key))
        }
    }
}

fn local(facts: &FileFacts, local: u32) -> String {
    let binding = &facts.flow.bindings[local as usize];
    let mark = match binding.kind {
        BindingKind::Import(..) => "^",
        BindingKind::Symbol(_) => "$",
        BindingKind::Param(_) => "%",
        BindingKind::Variable | BindingKind::Opaque => "",
    };
    let ty = binding.ty.as_ref().map(|declared| format!(":{}", ty(facts, declared)));
    let ty = ty.filter(|_| mark.is_empty()).unwrap_or_default();
    let name = if binding.name.is_empty() { format!("_{local}") } else { binding.name.clone() };
    format!("{mark}{name}{ty}")
}

fn expr(facts: &FileFacts, value: &Expr) -> String {
    let item = |item: &LiteralItem| {
        let spread = if item.spread { "..." } else { "" };
        let key = item.key.as_ref().map(|key| format!("{}: ", expr(facts, key)));
        format!("{}{spread}{}", key.unwrap_or_default(), expr(facts, &item.value))
    };
    let join = |values: &[Expr], with: &str| {
        values.iter().map(|value| expr(facts, value)).collect::<Vec<_>>().join(with)
    };
    match value {
        Expr::Unknown => "?".into(),
        Expr::Local(local) => self::local(facts, *local),
        Expr::Name(name) => format!("~{name}"),
        Expr::Path(parts) => format!("~{}", parts.join("::")),
        Expr::Member(object, name) => format!("{}.{name}", expr(facts, object)),
        Expr::Index(object, key) => format!("{}[{}]", expr(facts, object), expr(facts, key)),
        Expr::Call(call) => format!("#{call}"),
        Expr::Symbol(symbol) => format!("&{}", facts.symbols[*symbol as usize].path),
        Expr::Import(import) => format!("^{}", facts.imports[*import as usize].specifier),
        Expr::This => "this".into(),
        Expr::Super => "super".into(),
        Expr::Items(_, items) => {
            format!("{{{}}}", items.iter().map(item).collect::<Vec<_>>().join(", "))
        }
        Expr::Either(values) => format!("({})", join(values, " | ")),
        Expr::Each(many) => format!("each {}", expr(facts, many)),
        Expr::Text(text) => format!("{text:?}"),
        Expr::Number(number) => number.to_string(),
        Expr::Typed(value, declared) => format!("{}:{}", expr(facts, value), ty(facts, declared)),
    }
}

/// A type, roughly as it is written.
pub(crate) fn ty(facts: &FileFacts, declared: &TypeRef) -> String {
    let join = |parts: &[TypeRef], with: &str| {
        parts.iter().map(|part| ty(facts, part)).collect::<Vec<_>>().join(with)
    };
    match declared {
        TypeRef::Named { path, args, .. } if args.is_empty() => path.clone(),
        TypeRef::Named { path, args, .. } => format!("{path}<{}>", join(args, ", ")),
        TypeRef::List(element) => format!("[{}]", ty(facts, element)),
        TypeRef::Tuple(parts) => format!("({})", join(parts, ", ")),
        TypeRef::Union(parts) => join(parts, " | "),
        TypeRef::Intersection(parts) => join(parts, " & "),
        TypeRef::Function(params, result) if params.is_empty() => {
            format!("fn {}", ty(facts, result))
        }
        TypeRef::Function(params, result) => {
            format!("fn({}) {}", join(params, ", "), ty(facts, result))
        }
        TypeRef::This => "Self".into(),
        TypeRef::Of(value) => format!("typeof {}", expr(facts, value)),
        TypeRef::Unknown => "?".into(),
    }
}
