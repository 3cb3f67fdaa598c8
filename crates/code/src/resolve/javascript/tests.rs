//! Resolution of JavaScript and TypeScript imports.

use crate::resolve::tests::Fixture;

#[test]
fn relative_imports_find_their_files() {
    let fixture = Fixture::new(
        "//- src/main.ts
import './a'; import './a.js'; import './b'; import './c.js'; import './d'; import './e';
import '../x'; import 'react'; import './nothing'; import '../../above'; import './f.vue';
import './data.json'; import './w?worker'; import '.'; import './p';
//- src/a.ts
//- src/b/index.ts
//- src/c.js
//- src/d.tsx
//- src/e.d.ts
//- x.ts
//- src/f.vue
//- src/data.json
//- src/w.ts
//- src/index.ts
//- src/p/package.json
{\"main\": \"./lib/main\"}
//- src/p/lib/main.js
",
    );
    let expected = [
        "src/a.ts",
        "src/a.ts",
        "src/b/index.ts",
        "src/c.js",
        "src/d.tsx",
        "src/e.d.ts",
        "x.ts",
        "-",
        "-",
        "-",
        "src/f.vue",
        "src/data.json",
        "src/w.ts",
        "src/index.ts",
        "src/p/lib/main.js",
    ];
    assert_eq!(fixture.targets("src/main.ts"), expected);
}

#[test]
fn compiler_options_are_followed_as_far_as_they_are_here() {
    let fixture = Fixture::new(
        "//- tsconfig.base.json
{\"compilerOptions\": {\"baseUrl\": \"./src\", \"paths\": {\"@app/*\": [\"app/*\", \"lib/*\"], \"exact\": [\"one.ts\"]}}}
//- tsconfig.json
{\"extends\": [\"@not/installed\", \"./tsconfig.base\"]}
//- src/app/x.ts
//- src/lib/y.ts
//- src/one.ts
//- src/base.ts
//- src/main.ts
import '@app/x'; import '@app/y'; import 'exact'; import 'base'; import './one'; import '@app/none';
//- solution/tsconfig.json
{\"files\": [], \"references\": [{\"path\": \"./tsconfig.app.json\"}]}
//- solution/tsconfig.app.json
{\"compilerOptions\": {\"paths\": {\"~/*\": [\"./in/*\"]}}}
//- solution/in/z.ts
//- solution/main.ts
import '~/z';
//- roots/tsconfig.json
{\"compilerOptions\": {\"rootDirs\": [\"a\", \"b\"]}}
//- roots/a/m.ts
import './n';
//- roots/b/n.ts
",
    );
    let expected = ["src/app/x.ts", "src/lib/y.ts", "src/one.ts", "src/base.ts", "src/one.ts", "-"];
    assert_eq!(fixture.targets("src/main.ts"), expected);
    assert_eq!(fixture.targets("solution/main.ts"), ["solution/in/z.ts"]);
    assert_eq!(fixture.targets("roots/a/m.ts"), ["roots/b/n.ts"]);
}

#[test]
fn packages_of_the_workspace_are_found_by_what_they_export() {
    let fixture = Fixture::new(
        "//- package.json
{\"workspaces\": [\"packages/*\"]}
//- packages/core/package.json
{\"name\": \"@a/core\", \"exports\": {
  \".\": {\"types\": \"./dist/index.d.ts\", \"import\": \"./dist/index.js\"},
  \"./features/*\": \"./src/features/*.ts\", \"./secret\": null}, \"imports\": {\"#in/*\": \"./src/internal/*.ts\"}}
//- packages/core/src/index.ts
import '#in/z';
//- packages/core/src/features/f.ts
//- packages/core/src/internal/z.ts
//- packages/old/package.json
{\"name\": \"old\", \"main\": \"lib/index.js\"}
//- packages/old/src/index.ts
//- packages/old/src/deep/x.ts
//- packages/app/package.json
{\"name\": \"app\", \"dependencies\": {\"linked\": \"file:../../vendor/linked\"}}
//- packages/app/main.ts
import '@a/core'; import '@a/core/features/f'; import 'old'; import 'old/lib/deep/x'; import 'app/main';
import 'linked'; import 'stray'; import '@a/core/secret';
//- vendor/linked/package.json
{\"name\": \"linked\"}
//- vendor/linked/index.js
//- test/fixtures/stray/package.json
{\"name\": \"stray\", \"main\": \"i.js\"}
//- test/fixtures/stray/i.js
",
    );
    let expected = [
        "packages/core/src/index.ts",
        "packages/core/src/features/f.ts",
        "packages/old/src/index.ts",
        "packages/old/src/deep/x.ts",
        "packages/app/main.ts",
        "vendor/linked/index.js",
        "-",
        "-",
    ];
    assert_eq!(fixture.targets("packages/app/main.ts"), expected);
    assert_eq!(fixture.targets("packages/core/src/index.ts"), ["packages/core/src/internal/z.ts"]);
}

#[test]
fn names_are_followed_to_where_they_are_declared() {
    let fixture = Fixture::new(
        "//- use.ts
import { a, b as c, type T } from './barrel';
import def, * as all from './barrel';
const lazy = () => import('./leaf');
type Q = import('./leaf').T;
all.deep.x();
const { b } = require('./leaf');
export { a } from './barrel';
//- barrel.ts
import { b } from './leaf';
export * from './leaf';
export { b };
export * as deep from './deep';
export { default } from './leaf';
export * from './barrel';
//- leaf.ts
export const a = 1;
export const b = 2;
export interface T {}
export default class K {}
//- deep.ts
export function x() {}
",
    );
    let expected = [
        "1 leaf.ts#T through barrel.ts",
        "1 leaf.ts#a through barrel.ts",
        "1 leaf.ts#b through barrel.ts",
        "2 barrel.ts#*",
        "2 leaf.ts#K through barrel.ts",
        "3 leaf.ts#*",
        "4 leaf.ts#*",
        "5 deep.ts#* through barrel.ts",
        "6 leaf.ts#b",
        "7 leaf.ts#a through barrel.ts",
    ];
    assert_eq!(fixture.taken("use.ts"), expected);
}

#[test]
fn a_namespace_that_is_handed_on_is_taken_through_who_hands_it_on() {
    let fixture = Fixture::new(
        "//- a.ts\nimport { z } from './index';\n//- index.ts\nimport * as z from './all';\nexport { z };\n//- all.ts\nexport const x = 1;\n",
    );
    assert_eq!(fixture.targets("a.ts"), ["index.ts"]);
    assert_eq!(fixture.taken("a.ts"), ["1 all.ts#* through index.ts"]);
}
