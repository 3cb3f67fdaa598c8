// Who imports whom, by the TypeScript compiler: one line "importer<TAB>file" for every module that
// an import resolves to and every file that declares an imported name. Paths from the root.
//
//   node typescript.mjs <folder with node_modules/typescript> <root> < files.txt
//
// Packages of the workspace are looked up where a package manager would have linked them. Nothing is
// built, so the conditions by which the workspace finds its own sources hold in all of it.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [tools, root] = process.argv.slice(2).map((folder) => fs.realpathSync(folder));
const ts = createRequire(path.join(tools, 'x.js'))('typescript');
const files = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean);
const known = new Set(files);
const packages = new Map();
for (const file of files.filter((file) => path.basename(file) === 'package.json')) {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
    if (name && !packages.has(name)) packages.set(name, path.join(root, path.dirname(file)));
  } catch { /* no manifest */ }
}

// node_modules/<package of the workspace>/… is that package's folder.
const linked = (file) => {
  const at = file.lastIndexOf('/node_modules/');
  if (at < 0) return file;
  const rest = file.slice(at + '/node_modules/'.length).split('/');
  const name = rest[0].startsWith('@') ? rest.splice(0, 2).join('/') : rest.shift();
  const folder = packages.get(name);
  return folder ? path.join(folder, ...rest) : file;
};
const look = {
  fileExists: (file) => ts.sys.fileExists(linked(file)),
  readFile: (file) => ts.sys.readFile(linked(file)),
  directoryExists: (folder) =>
    ts.sys.directoryExists(linked(folder)) || folder.endsWith('/node_modules') ||
    [...packages.keys()].some((name) => folder.endsWith('/node_modules/' + name.split('/')[0])),
  realpath: (file) => linked(file),
};
const host = { ...ts.sys, ...look };

const optionsOf = new Map();
const options = (file) => {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!optionsOf.has(config)) {
    const read = config ? ts.readConfigFile(config, ts.sys.readFile).config ?? {} : {};
    const parsed = ts.parseJsonConfigFileContent(read, ts.sys, path.dirname(config ?? file));
    optionsOf.set(config, { ...parsed.options, allowJs: true, noLib: true, types: [], noEmit: true });
  }
  return [config, optionsOf.get(config)];
};

const groups = new Map();
for (const file of files.filter((file) => /\.[cm]?[jt]sx?$/.test(file))) {
  const absolute = path.join(root, file);
  const [config] = options(absolute);
  groups.set(config, [...(groups.get(config) ?? []), absolute]);
}

// Those by which a package of the workspace is found in its sources.
const conditions = [...new Set([...optionsOf.values()].flatMap((one) => one.customConditions ?? []))];
for (const one of optionsOf.values()) {
  const kind = ts.getEmitModuleResolutionKind(one);
  const takes = kind >= ts.ModuleResolutionKind.Node16 && kind <= ts.ModuleResolutionKind.Bundler;
  if (takes && conditions.length > 0) one.customConditions = conditions;
}

const pairs = new Set();
const add = (from, to) => {
  const inner = (file) => path.relative(root, linked(file));
  if (known.has(inner(to)) && inner(from) !== inner(to)) pairs.add(inner(from) + '\t' + inner(to));
};
for (const [, members] of groups) {
  const [, compilerOptions] = options(members[0]);
  const compilerHost = { ...ts.createCompilerHost(compilerOptions), ...look, getCurrentDirectory: () => root };
  const program = ts.createProgram(members, compilerOptions, compilerHost);
  const checker = program.getTypeChecker();
  for (const member of members) {
    const source = program.getSourceFile(member);
    if (source) visit(source, source, checker, compilerOptions);
  }
}

function visit(node, source, checker, compilerOptions) {
  const specifier = moduleOf(node);
  if (specifier) {
    const found = ts.resolveModuleName(specifier.text, source.fileName, compilerOptions, host);
    const to = found.resolvedModule?.resolvedFileName;
    if (to) add(source.fileName, to);
  }
  if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isImportClause(node)) {
    let symbol = node.name && checker.getSymbolAtLocation(node.name);
    if (symbol && ts.isExportSpecifier(node)) symbol = checker.getExportSpecifierLocalTargetSymbol(node) ?? symbol;
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const handedOn = ts.isExportSpecifier(node) && !node.parent.parent.moduleSpecifier;
    const declared = symbol?.declarations?.[0]?.getSourceFile().fileName;
    if (declared && !handedOn) add(source.fileName, declared);
  }
  if (ts.isPropertyAccessExpression(node) || ts.isQualifiedName(node)) {
    const [left, right] = ts.isQualifiedName(node) ? [node.left, node.right] : [node.expression, node.name];
    const around = ts.isIdentifier(left) && checker.getSymbolAtLocation(left)?.declarations?.[0];
    let symbol = around && ts.isNamespaceImport(around) && checker.getSymbolAtLocation(right);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const declared = symbol && symbol.declarations?.[0]?.getSourceFile().fileName;
    if (declared) add(source.fileName, declared);
  }
  ts.forEachChild(node, (child) => visit(child, source, checker, compilerOptions));
}

function moduleOf(node) {
  const text = (inner) => (inner && ts.isStringLiteralLike(inner) ? inner : undefined);
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return text(node.moduleSpecifier);
  if (ts.isImportTypeNode(node)) return text(node.argument.literal);
  if (ts.isExternalModuleReference(node)) return text(node.expression);
  if (ts.isCallExpression(node) && node.arguments.length === 1) {
    const dynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const required = ts.isIdentifier(node.expression) && node.expression.text === 'require';
    if (dynamic || required) return text(node.arguments[0]);
  }
  return undefined;
}

// A pipe takes as much as it can hold.
let rest = Buffer.from([...pairs].sort().join('\n') + '\n');
while (rest.length > 0) rest = rest.subarray(fs.writeSync(1, rest));
