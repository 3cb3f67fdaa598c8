//! TypeScript 5.9 through typescript-language-server, and TypeScript 7, which is its own server.

use serde_json::json;

use crate::place::Place;

const SHOP: &str = r#"//- tsconfig.json
{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true}, "include": ["src"]}
//- src/gateway.ts
export interface Gateway {
  charge(amount: number): boolean;
}
export class Stripe implements Gateway {
  charge(amount: number) {
    return amount > 0;
  }
}
export function pay(gateway: Gateway, amount: number) {
  return gateway.charge(amount);
}
//- src/app.ts
import { pay, Stripe } from './gateway';
export function main() {
  return pay(new Stripe(), 4);
}
//- tools/tsconfig.json
{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true}, "include": ["."]}
//- tools/run.ts
import { pay, Stripe } from '../src/gateway';
export const ran = pay(new Stripe(), 5);
"#;

fn answers(version: &str, server: &str) {
    let place = Place::new(SHOP, Some(version));
    let uses = place.places("code.references", "src/gateway.ts#pay");
    for expected in [
        "src/app.ts:3:10 in symbol:src/app.ts#main",
        "tools/run.ts:2:20 in symbol:tools/run.ts#ran",
    ] {
        assert!(uses.iter().any(|one| one == expected), "{expected}: {uses:?}");
    }
    let found = place.data("code.definition", json!({"target": "src/app.ts:3:10"}));
    assert!(found["by"]["name"].as_str().unwrap().starts_with(server), "{}", found["by"]);
    assert_eq!(found["places"][0]["node"], "symbol:src/gateway.ts#pay");
    assert_eq!(
        place.places("code.implementation", "src/gateway.ts#Gateway"),
        ["src/gateway.ts:4:14 in symbol:src/gateway.ts#Stripe"]
    );
    let hints = place.data("code.hints", json!({"path": "src/app.ts#main"}));
    assert!(hints["hints"].to_string().contains("boolean"), "{hints}");
    let types = place.data("code.zoom", json!({"path": "src/gateway.ts", "precise": true}));
    let resolved = types["files"][0]["symbols"].to_string();
    assert!(
        resolved.contains("function pay(gateway: Gateway, amount: number): boolean"),
        "{resolved}"
    );
    assert!(place.callers("src/gateway.ts#pay").contains(&"symbol:src/app.ts#main".to_owned()));

    place.repo.write(
        "src/late.ts",
        "import { pay, Stripe } from './gateway';\nexport const late = pay(new Stripe(), 'x');\n",
    );
    let uses = place.places("code.references", "src/gateway.ts#pay");
    assert!(uses.iter().any(|one| one.starts_with("src/late.ts:2")), "{uses:?}");
    let renamed = place.data(
        "code.rename",
        json!({"target": "src/gateway.ts#Gateway.charge", "new_name": "capture"}),
    );
    assert_eq!(renamed["result"]["places"], 3);
    assert_eq!(renamed["result"]["by"]["source"], "server");
    let text = place.repo.read("src/gateway.ts").unwrap();
    assert!(!text.contains("charge") && text.matches("capture").count() == 3, "{text}");
    let uses = place.places("code.references", "src/gateway.ts#Gateway.capture");
    assert!(uses.iter().any(|one| one.ends_with("in symbol:src/gateway.ts#pay")), "{uses:?}");
    let stopped = place.data("code.restart", json!({}));
    assert!(stopped["servers"][0].as_str().unwrap().starts_with(server), "{stopped}");
}

#[test]
fn typescript_5_answers_through_its_language_server() {
    answers("v5", "typescript-language-server");
}

#[test]
fn typescript_7_answers_by_itself() {
    answers("v7", "tsc 7");
}

/// With TypeScript 7 no linter is installed here, so the diagnostics come from the server.
#[test]
fn type_errors_come_from_the_server_where_there_is_no_linter() {
    let place = Place::new(SHOP, Some("v7"));
    place.repo.write("src/bad.ts", "export const bad: number = 'x';\n");
    let found = place.data("code.diagnostics", json!({"paths": ["src/bad.ts"]}));
    assert_eq!(found["diagnostics"][0]["rule"], "2322", "{found}");
    assert_eq!(found["errors"], 1);
}

#[test]
fn edits_are_formatted_and_linted_by_the_projects_tools() {
    let place = Place::new(SHOP, Some("v5"));
    place.repo.write(".prettierrc", "{\"singleQuote\": true}\n");
    let content = "export function main() {\n  debugger;\n  return   pay(new Stripe(),4)\n}";
    let args = json!({"target": "src/app.ts#main", "content": content});
    let edited = place.data("code.replace", args)["result"].clone();
    assert_eq!(edited["format"], "formatted by prettier");
    assert_eq!(edited["lint"], "linted by oxlint");
    assert_eq!(edited["diagnostics"][0]["line"], 3, "{edited}");
    let text = place.repo.read("src/app.ts").unwrap();
    assert!(text.contains("  return pay(new Stripe(), 4);\n"), "{text}");
    place.repo.write("src/app.ts", text.replace("import {", "import   {"));
    let args =
        json!({"target": "src/app.ts#main", "content": "export function main() { return 1 }"});
    let edited = place.data("code.replace", args)["result"].clone();
    assert_eq!(edited["format"], "not formatted: prettier would change more than was edited");
    let found = place.data("code.diagnostics", json!({}));
    assert_eq!(found["by"]["TypeScript"], "oxlint, types by typescript-language-server");
}
