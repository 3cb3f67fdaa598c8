// Calls of a Go repository according to go/types: `calls ROOT < files`.
//
// Packages of the repository are type-checked from their source, those of the standard library
// too; any other package is empty, so what comes from it is unknown. Each line of the output is
// a caller and a callee, separated by a tab: `path#symbol`. Only what the compiler resolves
// statically and the repository declares is a callee; a method of an interface is one.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Systems for which every package is checked; files for none of them are checked at the end.
var systems = []string{"linux", "darwin", "windows"}

var unix = map[string]bool{"linux": true, "darwin": true, "freebsd": true, "netbsd": true,
	"openbsd": true, "solaris": true, "aix": true, "dragonfly": true, "illumos": true, "android": true}

var architectures = map[string]bool{"amd64": true, "arm64": true, "386": true, "arm": true,
	"wasm": true, "riscv64": true, "ppc64le": true, "s390x": true, "loong64": true, "mips": true}

type source struct {
	path   string // from the root
	name   string // of its package
	ast    *ast.File
	isTest bool
}

type checker struct {
	root    string
	fset    *token.FileSet
	folders map[string][]*source
	files   map[string]*source
	modules map[string]string // folder of a module to its path
	std     types.Importer
	known   map[string]*types.Package
	system  string
	// All declarations of a name: build constraints may make that several
	declared map[string][]string
	calls    map[string]bool
}

func main() {
	c := &checker{
		root: os.Args[1], fset: token.NewFileSet(), folders: map[string][]*source{},
		files:   map[string]*source{},
		modules: map[string]string{}, declared: map[string][]string{}, calls: map[string]bool{},
	}
	c.std = importer.ForCompiler(c.fset, "source", nil)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		c.read(lines.Text())
	}
	for _, system := range systems {
		c.system, c.known = system, map[string]*types.Package{}
		c.each(func(file *source) bool { return fits(file, system, "amd64", false) })
	}
	c.system, c.known = systems[0], map[string]*types.Package{}
	c.rest()
	all := make([]string, 0, len(c.calls))
	for call := range c.calls {
		all = append(all, call)
	}
	sort.Strings(all)
	for _, call := range all {
		fmt.Println(call)
	}
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

func (c *checker) read(name string) {
	full := filepath.Join(c.root, name)
	if path.Base(name) == "go.mod" {
		text, _ := os.ReadFile(full)
		if found := moduleLine.FindSubmatch(text); found != nil {
			c.modules[path.Dir(name)] = string(found[1])
		}
	}
	if !strings.HasSuffix(name, ".go") {
		return
	}
	file, err := parser.ParseFile(c.fset, full, nil, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || file.Name == nil {
		fmt.Fprintln(os.Stderr, "not read:", name, err)
		return
	}
	one := &source{path: name, name: file.Name.Name, ast: file, isTest: strings.HasSuffix(name, "_test.go")}
	folder := path.Dir(name)
	c.folders[folder] = append(c.folders[folder], one)
	c.files[name] = one
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			key := folder + " " + one.name + " " + symbol(function)
			c.declared[key] = append(c.declared[key], name)
		}
	}
}

// Whether a file is part of a build for a system, the project's own tags set or not.
func fits(file *source, system, architecture string, custom bool) bool {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(file.path), ".go"), "_test"), "_")
	for at := max(1, len(parts)-2); at < len(parts); at++ {
		part := parts[at]
		isSystem := unix[part] || part == "windows" || part == "js" || part == "plan9" || part == "wasip1"
		if isSystem && part != system || architectures[part] && part != architecture {
			return false
		}
	}
	for _, group := range file.ast.Comments {
		if group.Pos() > file.ast.Package {
			break
		}
		for _, line := range group.List {
			if !constraint.IsGoBuild(line.Text) {
				continue
			}
			rule, err := constraint.Parse(line.Text)
			if err == nil && !rule.Eval(func(tag string) bool {
				isSystem := unix[tag] || tag == "windows" || tag == "js" || tag == "plan9" || tag == "unix"
				isOwn := custom && !isSystem && !architectures[tag] && tag != "ignore"
				return tag == system || tag == "unix" && unix[system] || tag == architecture ||
					tag == "gc" || tag == "cgo" || strings.HasPrefix(tag, "go1.") || isOwn
			}) {
				return false
			}
		}
	}
	return true
}

// Checks every package with its tests.
func (c *checker) each(wanted func(*source) bool) {
	for _, folder := range c.sorted() {
		names := map[string]bool{}
		for _, file := range c.folders[folder] {
			if wanted(file) {
				names[file.name] = true
			}
		}
		for name := range names {
			c.check(folder, name, func(file *source) bool { return file.name == name && wanted(file) })
		}
	}
}

// Checks what no system has, beside what the first has.
func (c *checker) rest() {
	for _, folder := range c.sorted() {
		for _, file := range c.folders[folder] {
			isLeft := true
			for _, system := range systems {
				isLeft = isLeft && !fits(file, system, "amd64", false)
			}
			if isLeft {
				c.check(folder, file.name, func(other *source) bool {
					return other == file || other.name == file.name && other.name != "main" && fits(other, systems[0], "amd64", true)
				})
			}
		}
	}
}

func (c *checker) sorted() []string {
	all := make([]string, 0, len(c.folders))
	for folder := range c.folders {
		all = append(all, folder)
	}
	sort.Strings(all)
	return all
}

func (c *checker) check(folder, name string, wanted func(*source) bool) {
	var files []*ast.File
	byFile := map[*ast.File]*source{}
	for _, file := range c.folders[folder] {
		if wanted(file) {
			files = append(files, file.ast)
			byFile[file.ast] = file
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	c.types(c.importPath(folder)+" checked", files, info)
	for _, file := range files {
		c.callsOf(byFile[file], info)
	}
}

func (c *checker) types(name string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: c, FakeImportC: true, Error: func(error) {}}
	found, _ := config.Check(name, c.fset, files, info)
	return found
}

// Import gives a package of the repository, of the standard library, or an empty one.
func (c *checker) Import(name string) (*types.Package, error) {
	if found, ok := c.known[name]; ok {
		return found, nil
	}
	if folder, ok := c.folder(name); ok {
		c.known[name] = empty(name)
		var files []*ast.File
		for _, file := range c.folders[folder] {
			if !file.isTest && fits(file, c.system, "amd64", false) {
				files = append(files, file.ast)
			}
		}
		if len(files) > 0 {
			if found := c.types(name, files, nil); found != nil {
				c.known[name] = found
			}
		}
		return c.known[name], nil
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		if found, err := c.std.Import(name); err == nil {
			c.known[name] = found
			return found, nil
		}
	}
	c.known[name] = empty(name)
	return c.known[name], nil
}

// The folder of a package, by the module with the longest path that fits.
func (c *checker) folder(name string) (string, bool) {
	best, found := "", ""
	for folder, module := range c.modules {
		rest, ok := strings.CutPrefix(name, module)
		if !ok || rest != "" && rest[0] != '/' || len(module) <= len(best) {
			continue
		}
		if inner := path.Join(folder, rest); len(c.folders[inner]) > 0 {
			best, found = module, inner
		}
	}
	return found, best != ""
}

func (c *checker) importPath(folder string) string {
	for at := folder; ; at = path.Dir(at) {
		if module, ok := c.modules[at]; ok {
			return path.Join(module, strings.TrimPrefix(folder, at))
		}
		if at == "." || at == "/" {
			return folder
		}
	}
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// A package of which only the name is guessed.
func empty(name string) *types.Package {
	parts := strings.Split(name, "/")
	last := parts[len(parts)-1]
	if version.MatchString(last) && len(parts) > 1 {
		last = parts[len(parts)-2]
	}
	last, _, _ = strings.Cut(last, ".")
	last = strings.TrimSuffix(strings.TrimPrefix(last, "go-"), "-go")
	made := types.NewPackage(name, strings.ReplaceAll(last, "-", "_"))
	made.MarkComplete()
	return made
}

func (c *checker) callsOf(file *source, info *types.Info) {
	for _, declaration := range file.ast.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			c.callsIn(declaration, file.path+"#"+symbol(declaration), info)
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					c.callsIn(values, file.path+"#"+values.Names[0].Name, info)
				}
			}
		}
	}
}

func (c *checker) callsIn(node ast.Node, from string, info *types.Info) {
	ast.Inspect(node, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if function := callee(call.Fun, info); function != nil {
				for _, to := range c.places(function) {
					if to != from && c.together(from, to) {
						c.calls[from+"\t"+to] = true
					}
				}
			}
		}
		return true
	})
}

// Whether the files of two symbols are part of one build.
func (c *checker) together(from, to string) bool {
	one, other := c.files[file(from)], c.files[file(to)]
	for _, system := range systems {
		for architecture := range architectures {
			for _, custom := range []bool{false, true} {
				if fits(one, system, architecture, custom) && fits(other, system, architecture, custom) {
					return true
				}
			}
		}
	}
	return one == other
}

func file(symbol string) string {
	path, _, _ := strings.Cut(symbol, "#")
	return path
}

// The function that a call surely names.
func callee(expr ast.Expr, info *types.Info) *types.Func {
	var name *ast.Ident
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return callee(expr.X, info)
	case *ast.IndexExpr:
		return callee(expr.X, info)
	case *ast.IndexListExpr:
		return callee(expr.X, info)
	case *ast.Ident:
		name = expr
	case *ast.SelectorExpr:
		name = expr.Sel
	default:
		return nil
	}
	function, _ := info.Uses[name].(*types.Func)
	if function != nil {
		function = function.Origin()
	}
	return function
}

// Where a function is declared in the repository: for each build that declares it.
func (c *checker) places(function *types.Func) []string {
	if !function.Pos().IsValid() {
		return nil
	}
	file, err := filepath.Rel(c.root, c.fset.Position(function.Pos()).Filename)
	if err != nil || strings.HasPrefix(file, "..") {
		return nil
	}
	file = filepath.ToSlash(file)
	name, isInterface := function.Name(), false
	if receiver := function.Type().(*types.Signature).Recv(); receiver != nil {
		of := receiver.Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		named, ok := of.(*types.Named)
		if !ok {
			return nil // a method of an interface without a name
		}
		_, isInterface = named.Underlying().(*types.Interface)
		name = named.Obj().Name() + "." + name
		if isInterface && named.Obj().Parent() != nil && named.Obj().Parent() != named.Obj().Pkg().Scope() {
			return nil // a type of a function
		}
	}
	if isInterface {
		return []string{file + "#" + name}
	}
	var all []string
	for _, source := range c.folders[path.Dir(file)] {
		if source.path == file {
			for _, other := range c.declared[path.Dir(file)+" "+source.name+" "+name] {
				all = append(all, other+"#"+name)
			}
		}
	}
	return all
}

// The name of a declared function, after its receiver's type.
func symbol(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		return function.Name.Name
	}
	of := function.Recv.List[0].Type
	for {
		switch inner := of.(type) {
		case *ast.StarExpr:
			of = inner.X
		case *ast.ParenExpr:
			of = inner.X
		case *ast.IndexExpr:
			of = inner.X
		case *ast.IndexListExpr:
			of = inner.X
		case *ast.Ident:
			return inner.Name + "." + function.Name.Name
		default:
			return function.Name.Name
		}
	}
}
