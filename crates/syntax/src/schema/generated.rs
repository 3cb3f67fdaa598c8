//! Names that generators give: generated files that say which schema they come from, and code that
//! imports generated modules.

use super::{GRAPHQL, PROTOBUF, UseCollector, file_key, key, sql_key};
use crate::model::{BindingKind, Expr, FileFacts, Import};

/// Gives the keys that a generated name may stand for.
type KeyMaker = fn(&str) -> Vec<String>;

/// Ends of the names of modules that generators for protobuf make.
const MESSAGE_MODULES: [&str; 6] =
    ["_pb2", "_pb2_grpc", "_pb", "_grpc_pb", "_connect", "_pb_service"];

/// How much of a file is searched for the note of its generator, in bytes.
const HEADER_BYTES: usize = 1_500;

/// What generators for services append to the name of a service or message.
const SERVICE_SUFFIXES: [&str; 10] = [
    "AsyncStub",
    "BlockingStub",
    "ServiceClient",
    "Client",
    "Server",
    "Servicer",
    "Stub",
    "ClientImpl",
    "Definition",
    "Schema",
];

/// What generators for clients of GraphQL append to the name of an operation or fragment.
const OPERATION_SUFFIXES: [&str; 12] = [
    "LazyQuery",
    "SuspenseQuery",
    "QueryVariables",
    "MutationVariables",
    "SubscriptionVariables",
    "FragmentDoc",
    "Document",
    "Fragment",
    "Query",
    "Mutation",
    "Subscription",
    "MutationFn",
];

/// Adds what generated names mean.
pub(super) fn collect(facts: &FileFacts, uses: &mut UseCollector<'_>) {
    collect_generated_file(facts, uses);
    for (at, import) in (0..).zip(&facts.imports) {
        collect_imported(facts, at, import, uses);
    }
}

/// The symbols of a file that names the schema it was made from.
fn collect_generated_file(facts: &FileFacts, uses: &mut UseCollector<'_>) {
    let end =
        (0..=HEADER_BYTES.min(uses.text.len())).rev().find(|at| uses.text.is_char_boundary(*at));
    let header = &uses.text[..end.unwrap_or(0)];
    let lower = header.to_lowercase();
    if !lower.contains("generated") {
        return;
    }
    let Some(source) = header.lines().find_map(schema_source) else { return };
    uses.add(None, 1, format!("file {}", source.file));
    for (at, symbol) in (0..).zip(&facts.symbols) {
        let is_member =
            symbol.parent.is_some_and(|parent| facts.symbols[parent as usize].kind.is_type());
        if symbol.is_anonymous()
            || symbol.parent.is_some() && !(is_member && source.kind == super::SQL)
        {
            continue;
        }
        for key in (source.keys)(&symbol.name) {
            uses.add(Some(at), symbol.line, key);
        }
    }
}

/// What a generated file was made from.
struct SchemaSource<'t> {
    file: &'t str,
    kind: &'static str,
    keys: KeyMaker,
}

/// The schema that a line names: `// source: shop/user.proto`,
/// `// @generated from file user.proto`.
fn schema_source(line: &str) -> Option<SchemaSource<'_>> {
    let line = line.trim();
    let rest = line.split_once("source: ").or_else(|| line.split_once("from file "))?.1;
    let path = rest.split_whitespace().next()?.trim_end_matches([',', ';', ')']);
    let file = path.rsplit('/').next()?;
    file_key(file)?;
    let (kind, keys): (_, KeyMaker) = match file.rsplit_once('.')?.1 {
        "proto" => (PROTOBUF, message_keys),
        "sql" => (super::SQL, |name| vec![sql_key(name)]),
        _ => (GRAPHQL, operation_keys),
    };
    Some(SchemaSource { file, kind, keys })
}

/// How the names of an imported module lead to a schema, if a generator makes such modules.
fn key_maker(specifier: &str) -> Option<KeyMaker> {
    let last = specifier.rsplit(['/', '.']).find(|part| !matches!(*part, "js" | "ts"))?;
    let is_message = MESSAGE_MODULES.iter().any(|end| last.ends_with(end));
    let is_protobuf = specifier.strip_suffix(".pb").is_some();
    if is_message || is_protobuf {
        return Some(message_keys);
    }
    let folder = specifier.to_lowercase();
    let is_operations = ["generated", "gql", "graphql"].iter().any(|part| folder.contains(part));
    is_operations.then_some(operation_keys)
}

/// The keys of a message, service or enum that a generated name stands for.
fn message_keys(name: &str) -> Vec<String> {
    let mut names = vec![name];
    let inner = name.strip_prefix("add_").and_then(|name| name.strip_suffix("Servicer_to_server"));
    names.extend(inner);
    let prefixes = ["New", "Register", "Unimplemented"];
    let bare = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    names.extend(SERVICE_SUFFIXES.iter().filter_map(|suffix| bare.strip_suffix(suffix)));
    // `Outer_Inner` is a message inside of another one.
    names.extend(name.rsplit_once('_').map(|(_, inner)| inner));
    let is_name =
        |name: &&str| name.starts_with(|c: char| c.is_ascii_uppercase()) && name.len() > 1;
    names.into_iter().filter(is_name).map(|name| key(PROTOBUF, name)).collect()
}

/// The keys of an operation or fragment that a generated name stands for: `useGetUserQuery`.
fn operation_keys(name: &str) -> Vec<String> {
    let bare = name.strip_prefix("use").unwrap_or(name);
    let names = OPERATION_SUFFIXES.iter().filter_map(|suffix| bare.strip_suffix(suffix));
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_uppercase());
    names.filter(is_name).map(|name| key(GRAPHQL, name)).collect()
}

/// Adds the uses of the names of an import.
fn collect_imported(facts: &FileFacts, at: u32, import: &Import, uses: &mut UseCollector<'_>) {
    let whole = key_maker(&import.specifier);
    // `from gen import user_pb2` imports a module.
    let of_name = |name: Option<u32>| {
        let name = name.and_then(|name| import.names.get(name as usize));
        name.filter(|name| MESSAGE_MODULES.iter().any(|end| name.name.ends_with(end)))
    };
    if whole.is_none() && !(0..).zip(&import.names).any(|(name, _)| of_name(Some(name)).is_some()) {
        return;
    }
    for used in &facts.flow.uses {
        let (keys, name) = match &used.target {
            Expr::Local(local) => match imported(facts, at, *local) {
                Some(ImportedPart { name: Some(name) }) => {
                    (whole, import.names.get(name as usize).map(|it| &it.name))
                }
                _ => continue,
            },
            Expr::Member(object, member) => match &**object {
                Expr::Local(local) => match imported(facts, at, *local) {
                    Some(part) if of_name(part.name).is_some() => {
                        (Some(message_keys as KeyMaker), Some(member))
                    }
                    Some(_) => (whole, Some(member)),
                    None => continue,
                },
                _ => continue,
            },
            _ => continue,
        };
        for key in keys.zip(name).into_iter().flat_map(|(keys, name)| keys(name)) {
            uses.add(used.owner, used.line, key);
        }
    }
    for key in
        import.names.iter().flat_map(|name| whole.map_or_else(Vec::new, |keys| keys(&name.name)))
    {
        uses.add(import.owner, import.line, key);
    }
}

/// What a binding takes from an import.
struct ImportedPart {
    /// The position of the name; `None` is the module itself
    name: Option<u32>,
}

/// What a binding takes from an import, if it is of that import.
fn imported(facts: &FileFacts, import: u32, binding: u32) -> Option<ImportedPart> {
    match facts.flow.bindings.get(binding as usize)?.kind {
        BindingKind::Import(from, name) if from == import => Some(ImportedPart { name }),
        _ => None,
    }
}
