// Calls of a JavaScript or TypeScript repository, by the TypeScript compiler: one line
// "caller<TAB>callee<TAB>form<TAB>line" for every call whose callee the repository declares, each
// end as `path#symbol`.
//
//   node calls.mjs <folder with node_modules/typescript> <root> < files.txt
//
// A callee is the declaration that the compiler finds for the called name: a function, a method, a
// member of an interface or a type, a variable of a module. `new` calls the constructor; a class
// without one of its own is called itself, besides the one that it inherits. Getters and setters that are read and written
// are listed with the form `read`. Variables
// of functions, parameters and computed names are no declarations of the repository, and what they
// hold does not count. A symbol is named by the named declarations around it; anonymous functions
// belong to what is around them. The form is the kind of the declaration.
import path from 'node:path';
import { eachProject, files, linked, print, root, ts } from './workspace.mjs';

const known = new Set(files);
const lines = new Map();
let checker;
eachProject({ findSources: true, checkJs: true, skipLibCheck: true }, (one, sources) => {
  checker = one;
  for (const source of sources) visit(source);
});
print([...lines.values()]);

function visit(node) {
  const called = calledNames(node);
  for (const name of called) {
    for (const declared of declarations(name, node)) {
      const form = ts.isPropertyAccessExpression(node) ? 'read' : ts.SyntaxKind[declared.kind];
      add(callerOf(node), symbolOf(declared), form, node);
    }
  }
  ts.forEachChild(node, visit);
}

function add(caller, callee, form, node) {
  if (!callee || caller === callee) return;
  const key = caller + '\t' + callee;
  const source = node.getSourceFile();
  const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  if (!lines.has(key)) lines.set(key, `${key}\t${form}\t${line}`);
}

// The names that a node calls.
function calledNames(node) {
  if (ts.isCallExpression(node)) return nameOf(node.expression);
  if (ts.isNewExpression(node)) return nameOf(node.expression);
  if (ts.isTaggedTemplateExpression(node)) return nameOf(node.tag);
  if (ts.isDecorator(node)) return ts.isCallExpression(node.expression) ? [] : nameOf(node.expression);
  if (ts.isJsxOpeningLikeElement(node)) return isIntrinsic(node.tagName) ? [] : nameOf(node.tagName);
  if (ts.isPropertyAccessExpression(node)) return isAccessor(node.name) ? [node.name] : [];
  return [];
}

// `<div>` is no function.
function isIntrinsic(name) {
  return ts.isIdentifier(name) && /^[a-z]/.test(name.text);
}

function isAccessor(name) {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & ts.SymbolFlags.Accessor;
}

function nameOf(value) {
  const inner = ts.skipOuterExpressions(value);
  if (ts.isIdentifier(inner)) return [inner];
  if (ts.isPropertyAccessExpression(inner)) return [inner.name];
  if (ts.isElementAccessExpression(inner) && ts.isStringLiteralLike(inner.argumentExpression)) return [inner.argumentExpression];
  if (inner.kind === ts.SyntaxKind.SuperKeyword) return [inner];
  return [];
}

// The declarations of a called name that are in the repository.
function declarations(name, node, depth = 0) {
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  let found = (symbol?.declarations ?? []).filter(isOurs);
  if (found.some(ts.isClassLike) && !ts.isJsxOpeningLikeElement(node)) return constructors(node, found);
  if (name.kind === ts.SyntaxKind.SuperKeyword) return constructors(node, found);
  if (ts.isPropertyAccessExpression(node)) {
    const writes = ts.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    return found.filter(writes ? ts.isSetAccessor : ts.isGetAccessor);
  }
  found = found.flatMap((one) => behind(one, node, depth));
  found = found.filter((one) => !ts.isInterfaceDeclaration(one) && !ts.isTypeAliasDeclaration(one) && !ts.isModuleDeclaration(one) && !ts.isEnumDeclaration(one));
  const bodies = found.filter((one) => ts.isFunctionLike(one) && one.body);
  // The signatures of an overloaded function are one symbol; of several files it is the one with a body.
  return found.some(ts.isFunctionDeclaration) && bodies.length > 0 ? bodies : found;
}

function constructors(node, found) {
  const declared = ts.isDecorator(node) ? undefined : checker.getResolvedSignature(node)?.declaration;
  // One that is inherited, and the class itself.
  const classes = found.filter((one) => ts.isClassLike(one) && !one.members.some(ts.isConstructorDeclaration));
  return declared && ts.isConstructorDeclaration(declared) && isOurs(declared) ? [declared, ...classes] : classes;
}

// What a member or variable stands for where it only names something else.
function behind(declared, node, depth) {
  if (depth > 4) return [];
  if (ts.isShorthandPropertyAssignment(declared)) {
    let symbol = checker.getShorthandAssignmentValueSymbol(declared);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    return (symbol?.declarations ?? []).filter(isOurs).flatMap((one) => behind(one, node, depth + 1));
  }
  if (ts.isPropertyAssignment(declared) && !isFunction(declared.initializer)) {
    return nameOf(declared.initializer).flatMap((name) => declarations(name, node, depth + 1));
  }
  const assigned = assignmentOf(declared);
  if (assigned && !isFunction(assigned.right)) {
    const inner = ts.isBinaryExpression(assigned.right) ? assigned.right.right : assigned.right;
    return isFunction(inner) ? [declared] : nameOf(assigned.right).flatMap((name) => declarations(name, node, depth + 1));
  }
  return [declared];
}

// `a.b = value`, where JavaScript declares `b`.
function assignmentOf(declared) {
  if (ts.isBinaryExpression(declared)) return declared;
  const above = declared.parent;
  const assigns = (ts.isPropertyAccessExpression(declared) || ts.isElementAccessExpression(declared)) && above && ts.isBinaryExpression(above);
  return assigns && above.left === declared ? above : undefined;
}

function isFunction(value) {
  const inner = value && ts.skipOuterExpressions(value);
  return !!inner && (ts.isArrowFunction(inner) || ts.isFunctionExpression(inner) || ts.isClassExpression(inner));
}

function isOurs(declared) {
  return known.has(path.relative(root, linked(declared.getSourceFile().fileName)));
}

function fileOf(node) {
  return path.relative(root, linked(node.getSourceFile().fileName));
}

// The symbol that a declaration is; undefined when it is none.
function symbolOf(declared) {
  const node = assignmentOf(declared) ?? declared;
  const own = ownName(node);
  if (own === undefined) return undefined;
  return `${fileOf(node)}#${[...namesOutside(node), ...receiverNames(node), own].join('.')}`;
}

function namesOutside(node) {
  return assignmentOf(node) && isRooted(node) ? [] : namesAround(node);
}

function callerOf(node) {
  let from = node;
  if (ts.isDecorator(node)) from = node.parent;
  const above = ts.findAncestor(node, (one) => ts.isHeritageClause(one) || ts.isDecorator(one) || ts.isFunctionLike(one) || ts.isClassLike(one));
  if (above && (ts.isHeritageClause(above) || ts.isDecorator(above))) from = above.parent;
  return `${fileOf(node)}#${namesAround(from).join('.')}`;
}

// The names of the declarations around a node, outermost first.
function namesAround(node) {
  const names = [];
  for (let at = node.parent, below = node; at; below = at, at = at.parent) {
    const own = ownName(at);
    if (own === undefined) continue;
    names.unshift(...receiverNames(at), own);
    if (assignmentOf(at) && isRooted(at)) break;
  }
  return names;
}

// The name of a declaration that is a symbol.
function ownName(node) {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name?.text ?? 'default';
  if (ts.isExportAssignment(node)) return isFunction(node.expression) ? 'default' : undefined;
  if (ts.isFunctionExpression(node) || ts.isClassExpression(node)) return isNamedByPlace(node) ? undefined : node.name?.text;
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node) || ts.isPropertyDeclaration(node)) return text(node.name);
  if (ts.isMethodSignature(node) || ts.isPropertySignature(node)) return isMember(node) ? text(node.name) : undefined;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) return node.name.text;
  if (ts.isModuleDeclaration(node)) return node.flags & ts.NodeFlags.GlobalAugmentation ? undefined : node.name.text;
  if (ts.isPropertyAssignment(node)) return isFunction(node.initializer) ? text(node.name) : undefined;
  if (ts.isVariableDeclaration(node)) return variableName(node);
  if (ts.isBindingElement(node)) return ts.isIdentifier(node.name) && isOfModule(node) ? node.name.text : undefined;
  if (ts.isBinaryExpression(node)) return assignedName(node);
  const assigned = assignmentOf(node);
  return assigned && isFunction(lastRight(assigned)) ? assignedName(assigned) : undefined;
}

function lastRight(assigned) {
  let right = assigned.right;
  while (ts.isBinaryExpression(right) && right.operatorToken.kind === ts.SyntaxKind.EqualsToken) right = right.right;
  return right;
}

function isNamedByPlace(node) {
  let above = node.parent;
  while (ts.isParenthesizedExpression(above) || ts.isAsExpression(above) || ts.isSatisfiesExpression(above)) above = above.parent;
  return ts.isVariableDeclaration(above) || ts.isPropertyAssignment(above) || ts.isPropertyDeclaration(above) ||
    ts.isBinaryExpression(above) && assignedName(above) !== undefined || ts.isExportAssignment(above);
}

function variableName(node) {
  if (!ts.isIdentifier(node.name)) return undefined;
  if (node.initializer && isFunction(node.initializer)) return node.name.text;
  const isImport = node.initializer && ts.isCallExpression(node.initializer) && ts.isIdentifier(node.initializer.expression) && node.initializer.expression.text === 'require';
  return isOfModule(node) && !isImport ? node.name.text : undefined;
}

// Whether a variable is declared at the top of a module or a namespace.
function isOfModule(node) {
  const list = ts.findAncestor(node, (one) => ts.isVariableDeclarationList(one) || ts.isFunctionLike(one));
  const above = list && ts.isVariableStatement(list.parent) ? list.parent.parent : undefined;
  return !!above && (ts.isSourceFile(above) || ts.isModuleBlock(above));
}

// Whether a signature is a member of a named type.
function isMember(node) {
  const isPart = (one) => ts.isTypeLiteralNode(one) || ts.isUnionTypeNode(one) || ts.isIntersectionTypeNode(one) || ts.isParenthesizedTypeNode(one);
  const named = ts.findAncestor(node.parent, (one) => !isPart(one));
  return !!named && (ts.isInterfaceDeclaration(named) || ts.isTypeAliasDeclaration(named));
}

// The name that an assigned function takes from where it goes.
function assignedName(node) {
  if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken || !isFunction(node.right)) return undefined;
  const left = node.left;
  if (ts.isIdentifier(left)) return left.text;
  if (!ts.isPropertyAccessExpression(left)) return undefined;
  const isModule = ts.isIdentifier(left.expression) && left.expression.text === 'module' && left.name.text === 'exports';
  return isModule ? 'exports' : left.name.text;
}

// The names of the object that an assigned function becomes a member of.
function receiverNames(node) {
  const object = receiverOf(node);
  const declared = object && declaredReceiver(object);
  return declared ? [...namesAround(declared), ownName(declared)] : [];
}

function receiverOf(node) {
  const assigned = assignmentOf(node);
  if (!assigned || !ts.isPropertyAccessExpression(assigned.left)) return undefined;
  const object = assigned.left.expression;
  return ts.isPropertyAccessExpression(object) && object.name.text === 'prototype' ? object.expression : object;
}

// A variable or function; one that an assignment declares is none.
function declaredReceiver(object) {
  if (!ts.isIdentifier(object)) return undefined;
  const declared = checker.getSymbolAtLocation(object)?.valueDeclaration;
  const isNamed = declared && isOurs(declared) && !assignmentOf(declared) && ownName(declared) !== undefined;
  const isInside = isNamed && !!ts.findAncestor(object, (one) => one === declared);
  return isNamed && !isInside ? declared : undefined;
}

// Whether the object of an assignment decides what the function is a member of.
function isRooted(node) {
  const object = receiverOf(node);
  if (!object) return false;
  const isExports = (one) => ts.isIdentifier(one) && (one.text === 'exports' || one.text === 'module') ||
    ts.isPropertyAccessExpression(one) && one.name.text === 'exports';
  return isExports(object) || !!declaredReceiver(object);
}

function text(name) {
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) ? name.text : name?.getText();
}
