//! Relations that frameworks add to code: a registry, and one extractor as an example.
//!
//! An extractor sees the facts of one file and says what relates to what by the names the file
//! uses; what these names mean is resolved with all other names.

use crate::model::{
    Expr, FileFacts, LiteralItem, Param, ParamKind, Symbol, SymbolKind, SymbolOwner, TypeRef,
};

/// Finds relations of its own in the facts of a file.
pub trait FrameworkRelationExtractor: Sync {
    /// What it is called, for settings and reports.
    fn name(&self) -> &'static str;

    /// The relations that a file states.
    fn extract(&self, facts: &FileFacts) -> Vec<FrameworkRelation>;
}

/// Every extractor. Adding one is a line here.
pub const EXTRACTORS: &[&dyn FrameworkRelationExtractor] = &[&DependencyInjection];

/// One relation, from a symbol of the file to something it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameworkRelation {
    /// `injects` or `provides`
    pub kind: &'static str,
    /// The symbol that it is about
    pub source: SymbolOwner,
    /// What it names
    pub target: FrameworkRelationTarget,
    /// The line that says so, from 1
    pub line: u32,
}

/// What a relation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameworkRelationTarget {
    /// A written type
    Type(TypeRef),
    /// A value
    Value(Expr),
}

/// Dependency injection by decorators and annotations (Nest, Angular, Spring, Guice).
#[derive(Debug, Clone, Copy)]
pub struct DependencyInjection;

/// Marks of classes whose constructor is filled in by a container.
const CONTAINER_MANAGED_DECORATORS: [&str; 9] = [
    "Injectable",
    "Controller",
    "Component",
    "Directive",
    "Pipe",
    "Service",
    "Repository",
    "Resolver",
    "RestController",
];

/// Decorators of members that a dependency-injection container sets.
const INJECTED_MEMBER_DECORATORS: [&str; 3] = ["Inject", "Autowired", "Resource"];

impl FrameworkRelationExtractor for DependencyInjection {
    fn name(&self) -> &'static str {
        "injection"
    }

    fn extract(&self, facts: &FileFacts) -> Vec<FrameworkRelation> {
        let mut found = Vec::new();
        for (at, symbol) in (0..).zip(&facts.symbols) {
            match symbol.kind {
                SymbolKind::Constructor => constructor_injections(facts, at, symbol, &mut found),
                SymbolKind::Field | SymbolKind::Property
                    if has_decorator(symbol, &INJECTED_MEMBER_DECORATORS) =>
                {
                    found.extend(
                        symbol
                            .ty
                            .clone()
                            .map(|ty| injects_relation(symbol.parent, ty, symbol.line)),
                    );
                }
                SymbolKind::Method if has_decorator(symbol, &["Bean", "Provides"]) => {
                    let target = symbol.ty.clone().map(FrameworkRelationTarget::Type);
                    found.extend(
                        target.map(|target| provides_relation(Some(at), target, symbol.line)),
                    );
                }
                SymbolKind::Class => module_providers(facts, at, symbol, &mut found),
                _ => {}
            }
        }
        found
    }
}

fn has_decorator(symbol: &Symbol, names: &[&str]) -> bool {
    symbol.decorators.iter().any(|one| {
        let last = one.name.rsplit('.').next().unwrap_or_default();
        names.contains(&last)
    })
}

fn injects_relation(source: SymbolOwner, target: TypeRef, line: u32) -> FrameworkRelation {
    FrameworkRelation {
        kind: "injects",
        source,
        target: FrameworkRelationTarget::Type(target),
        line,
    }
}

const fn provides_relation(
    source: SymbolOwner,
    target: FrameworkRelationTarget,
    line: u32,
) -> FrameworkRelation {
    FrameworkRelation { kind: "provides", source, target, line }
}

/// What the constructor of a managed class asks for.
fn constructor_injections(
    facts: &FileFacts,
    at: u32,
    symbol: &Symbol,
    found: &mut Vec<FrameworkRelation>,
) {
    let class = symbol.parent.map(|class| &facts.symbols[class as usize]);
    let is_managed = class.is_some_and(|class| has_decorator(class, &CONTAINER_MANAGED_DECORATORS))
        || has_decorator(symbol, &INJECTED_MEMBER_DECORATORS);
    let is_asked = |param: &&Param| param.function == at && param.kind != ParamKind::Receiver;
    for param in facts.flow.params.iter().filter(is_asked).filter(|_| is_managed) {
        found.extend(param.ty.clone().map(|ty| injects_relation(symbol.parent, ty, symbol.line)));
    }
}

/// `@Module({ providers: [A, B] })`.
fn module_providers(
    facts: &FileFacts,
    at: u32,
    symbol: &Symbol,
    found: &mut Vec<FrameworkRelation>,
) {
    for decorator in &symbol.decorators {
        let Expr::Call(call) = decorator.value else { continue };
        let Some(call) = facts.flow.calls.get(call as usize) else { continue };
        let options = call.args.iter().flat_map(|arg| literal_items(&arg.value));
        let is_list = |item: &&LiteralItem| item.key == Some(Expr::Text("providers".into()));
        for provider in options.filter(is_list).flat_map(|item| literal_items(&item.value)) {
            let target = FrameworkRelationTarget::Value(provider.value.clone());
            found.push(provides_relation(Some(at), target, call.line));
        }
    }
}

fn literal_items(value: &Expr) -> &[LiteralItem] {
    if let Expr::Items(_, items) = value { items } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, extract};

    #[test]
    fn decorators_say_what_is_injected_and_provided() {
        let text = "@Module({ providers: [Store] }) class App {}\n\
                    @Injectable() class Store { constructor(private repo: Repo, n: Clock) {} }\n\
                    class Plain { constructor(a: B) {} }";
        let facts = extract(Some(Language::TypeScript), text.as_bytes());
        let found = EXTRACTORS.iter().flat_map(|one| one.extract(&facts));
        let shown: Vec<_> = found
            .map(|one| {
                let source = &facts.symbols[one.source.unwrap() as usize].path;
                let target = match one.target {
                    FrameworkRelationTarget::Type(TypeRef::Named { path, .. }) => path,
                    FrameworkRelationTarget::Value(Expr::Local(local)) => {
                        facts.flow.bindings[local as usize].name.clone()
                    }
                    other => format!("{other:?}"),
                };
                format!("{source} {} {target} :{}", one.kind, one.line)
            })
            .collect();
        assert_eq!(
            shown,
            ["App provides Store :1", "Store injects Repo :2", "Store injects Clock :2"]
        );
    }
}
