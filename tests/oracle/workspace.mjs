// What the scripts of this folder share: the files of a repository, read by the TypeScript compiler
// as if its packages were linked to each other. Nothing is installed and nothing is built.
//
// Packages of the workspace are looked up where a package manager would have linked them, and the
// conditions by which the workspace finds its own sources hold in all of it.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [tools, folder] = process.argv.slice(2).map((one) => fs.realpathSync(one));
export const root = folder;
export const ts = createRequire(path.join(tools, 'x.js'))('typescript');
export const files = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean);
const packages = new Map();
for (const file of files.filter((file) => path.basename(file) === 'package.json')) {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
    if (name && !packages.has(name)) packages.set(name, path.join(root, path.dirname(file)));
  } catch { /* no manifest */ }
}

// node_modules/<package of the workspace>/… is that package's folder.
export const linked = (file) => {
  const at = file.lastIndexOf('/node_modules/');
  if (at < 0) return file;
  const [inside, rest] = packageOf(file.slice(at + '/node_modules/'.length));
  return inside ? path.join(inside, rest) : file;
};

// The folder of the package of the workspace that a specifier names, and what follows its name.
function packageOf(specifier) {
  const rest = specifier.split('/');
  const name = rest[0].startsWith('@') ? rest.splice(0, 2).join('/') : rest.shift();
  return [packages.get(name), rest.join('/')];
}

const look = {
  fileExists: (file) => ts.sys.fileExists(linked(file)),
  readFile: (file) => ts.sys.readFile(linked(file)),
  directoryExists: (folder) =>
    ts.sys.directoryExists(linked(folder)) || folder.endsWith('/node_modules') ||
    [...packages.keys()].some((name) => folder.endsWith('/node_modules/' + name.split('/')[0])),
  realpath: (file) => linked(file),
};
export const host = { ...ts.sys, ...look };

const optionsOf = new Map();
const options = (file, extra) => {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!optionsOf.has(config)) {
    const read = config ? ts.readConfigFile(config, ts.sys.readFile).config ?? {} : {};
    const parsed = ts.parseJsonConfigFileContent(read, ts.sys, path.dirname(config ?? file));
    optionsOf.set(config, { ...parsed.options, allowJs: true, types: [], noEmit: true, ...extra });
  }
  return config;
};

// A module of the workspace whose manifest names files that were not built, in its sources.
function inSources(specifier) {
  const [inside, rest] = packageOf(specifier);
  if (!inside) return undefined;
  const stems = rest ? [`src/${rest}`, rest, `${rest}/index`, `src/${rest}/index`] : ['src/index', 'index'];
  const tried = stems.flatMap((stem) => ['.ts', '.tsx', '.js', '.mts'].map((end) => path.join(inside, stem + end)));
  return tried.find((file) => ts.sys.fileExists(file));
}

// The file that runs, beside one that only declares its types, for a script that imports it.
function runBy(file, from) {
  if (!/\.[cm]?jsx?$/.test(from)) return undefined;
  const script = file.replace(/\.d\.([cm]?)ts$/, '.$1js');
  return script !== file && ts.sys.fileExists(linked(script)) ? linked(script) : undefined;
}

// Calls `see` with the checker and the files of each project of the repository.
export function eachProject(extra, see) {
  const groups = new Map();
  for (const file of files.filter((file) => /\.[cm]?[jt]sx?$/.test(file))) {
    const absolute = path.join(root, file);
    const config = options(absolute, extra);
    groups.set(config, [...(groups.get(config) ?? []), absolute]);
  }
  // Those by which a package of the workspace is found in its sources.
  const conditions = [...new Set([...optionsOf.values()].flatMap((one) => one.customConditions ?? []))];
  for (const one of optionsOf.values()) {
    const kind = ts.getEmitModuleResolutionKind(one);
    const takes = kind >= ts.ModuleResolutionKind.Node16 && kind <= ts.ModuleResolutionKind.Bundler;
    if (takes && conditions.length > 0) one.customConditions = conditions;
  }
  for (const [config, members] of groups) {
    const compilerOptions = optionsOf.get(config);
    const plain = ts.createCompilerHost(compilerOptions);
    const compilerHost = { ...plain, ...look, getCurrentDirectory: () => root };
    if (extra.findSources) {
      compilerHost.resolveModuleNameLiterals = (literals, from, _, used) => literals.map((literal) => {
        const found = ts.resolveModuleName(literal.text, from, used, compilerHost);
        const declared = found.resolvedModule?.resolvedFileName;
        const file = declared ? runBy(declared, from) : inSources(literal.text);
        return file ? { resolvedModule: { resolvedFileName: file, extension: path.extname(file) } } : found;
      });
    }
    const program = ts.createProgram(members, compilerOptions, compilerHost);
    const sources = members.map((member) => program.getSourceFile(member)).filter(Boolean);
    see(program.getTypeChecker(), sources, compilerOptions);
  }
}

// Prints lines, sorted. A pipe takes as much as it can hold.
export function print(lines) {
  let rest = Buffer.from([...lines].sort().join('\n') + '\n');
  while (rest.length > 0) rest = rest.subarray(fs.writeSync(1, rest));
}
