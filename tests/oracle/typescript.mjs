// Who imports whom, by the TypeScript compiler: one line "importer<TAB>file" for every module that
// an import resolves to and every file that declares an imported name. Paths from the root.
//
//   node typescript.mjs <folder with node_modules/typescript> <root> < files.txt
import path from 'node:path';
import { eachProject, files, host, linked, print, root, ts } from './workspace.mjs';

const known = new Set(files);
const pairs = new Set();
const add = (from, to) => {
  const inner = (file) => path.relative(root, linked(file));
  if (known.has(inner(to)) && inner(from) !== inner(to)) pairs.add(inner(from) + '\t' + inner(to));
};
eachProject({ noLib: true }, (checker, sources, compilerOptions) => {
  for (const source of sources) visit(source, source, checker, compilerOptions);
});
print(pairs);

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
