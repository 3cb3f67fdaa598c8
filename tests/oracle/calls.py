"""Who calls whom in a Python repository, by pyright's language server.

Usage: calls.py PYRIGHT_LANGSERVER ROOT < FILES. Python's own parser finds the calls, and the server tells where
each called name is defined. Writes `caller<TAB>callee<TAB>form` lines. The form is `call`, `class` for a class
without a constructor of its own, `inherited` for the constructor that such a class inherits, or `read` for a property.
"""

import ast
import json
import pathlib
import subprocess
import sys
import threading

SERVER, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
READ_DECORATORS = ("property", "cached_property", "setter", "getter", "deleter")


class Server:
    """The language server. Requests are written at once; answers are collected by their id."""

    def __init__(self):
        self.process = subprocess.Popen(
            [SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.count = 0
        self.answers = {}
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def write(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def listen(self):
        while True:
            length = 0
            while line := self.process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return
            message = json.loads(self.process.stdout.read(length))
            if "method" in message and "id" in message:
                self.reply(message)
            elif "id" in message:
                with self.changed:
                    self.answers[message["id"]] = message.get("result")
                    self.changed.notify()

    def reply(self, message):
        items = message.get("params", {}).get("items", [])
        settings = {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "off"}
        self.write({"id": message["id"], "result": [settings for _ in items] or None})

    def ask(self, method, params):
        self.count += 1
        self.write({"id": self.count, "method": method, "params": params})
        return self.count

    def answer(self, id):
        with self.changed:
            self.changed.wait_for(lambda: id in self.answers)
            return self.answers.pop(id)


class Names(ast.NodeVisitor):
    """The functions and classes of a file by the place of their name, and the calls in it."""

    def __init__(self, path, text):
        self.path, self.lines = path, text.splitlines()
        self.defined, self.classes, self.calls, self.reads = {}, {}, [], []
        self.scope = []
        self.visit(ast.parse(text))

    def name(self):
        return ".".join(self.scope)

    def definition(self, node, is_class):
        for decorator in node.decorator_list:
            self.decorator(decorator)
        if not is_class:
            self.visit(node.args)
            if node.returns:
                self.visit(node.returns)
        else:
            for base in [*node.bases, *node.keywords]:
                self.visit(base)
        self.scope.append(node.name)
        is_read = any(self.last_name(one) in READ_DECORATORS for one in node.decorator_list)
        self.defined[self.name_place(node)] = (self.name(), is_class, is_read)
        if is_class:
            self.classes[self.name()] = [self.end(base) for base in node.bases if self.end(base)]
        for statement in node.body:
            self.visit(statement)
        self.scope.pop()

    def name_place(self, node):
        line = node.lineno - 1
        return line, self.lines[line].index(node.name, node.col_offset)

    def last_name(self, node):
        node = node.func if isinstance(node, ast.Call) else node
        return getattr(node, "attr", getattr(node, "id", None))

    def decorator(self, node):
        if not isinstance(node, ast.Call):
            self.called(node)
        self.visit(node)

    def end(self, node):
        """The place of the last name of an expression, in UTF-16 units."""
        if isinstance(node, ast.Subscript):
            return self.end(node.value)
        if isinstance(node, ast.Name):
            line, column = node.lineno - 1, node.col_offset
        elif isinstance(node, ast.Attribute):
            line, column = node.end_lineno - 1, node.end_col_offset - 1
        else:
            return None
        before = self.lines[line].encode()[:column].decode(errors="replace")
        return line, len(before.encode("utf-16-le")) // 2

    def called(self, node):
        if place := self.end(node):
            self.calls.append((self.name(), place))

    def visit_FunctionDef(self, node):
        self.definition(node, False)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.definition(node, True)

    def visit_Call(self, node):
        self.called(node.func)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        self.reads.append((self.name(), self.end(node)))
        self.generic_visit(node)

    def visit_Raise(self, node):
        if isinstance(node.exc, (ast.Name, ast.Attribute)):
            self.called(node.exc)
        self.generic_visit(node)


def main():
    files = {}
    for path in sys.stdin.read().split("\n"):
        if path.endswith(".py"):
            try:
                files[path] = Names(path, (ROOT / path).read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                pass
    server = Server()
    uri = ROOT.as_uri()
    folders = [{"uri": uri, "name": "root"}]
    capabilities = {"workspace": {"configuration": True, "workspaceFolders": True}}
    start = {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": capabilities}
    server.answer(server.ask("initialize", start))
    server.write({"method": "initialized", "params": {}})

    def definitions(path, places):
        """The functions and classes that are defined where the server leads, for each place."""
        document = {"uri": f"{uri}/{path}"}
        text = (ROOT / path).read_text(encoding="utf-8")
        opened = {"textDocument": {**document, "languageId": "python", "version": 1, "text": text}}
        server.write({"method": "textDocument/didOpen", "params": opened})
        for start in range(0, len(places), 200):
            asked = []
            for line, character in places[start : start + 200]:
                where = {"textDocument": document, "position": {"line": line, "character": character}}
                asked.append(server.ask("textDocument/definition", where))
            for id in asked:
                yield [found for one in server.answer(id) or [] if (found := located(one))]
        server.write({"method": "textDocument/didClose", "params": {"textDocument": document}})

    def located(one):
        target, range = one.get("uri") or one.get("targetUri"), one.get("range") or one.get("targetSelectionRange")
        if not target.startswith(uri + "/") or (file := target[len(uri) + 1 :]) not in files:
            return None
        at = range["start"]["line"], range["start"]["character"]
        found = files[file].defined.get(at)
        return found and (file, *found)

    parents = {}
    for path, names in files.items():
        places = [(name, place) for name, places in names.classes.items() for place in places]
        for (name, _), found in zip(places, definitions(path, [place for _, place in places])):
            parents.setdefault((path, name), []).extend((file, of) for file, of, is_class, _ in found if is_class)

    def has_constructor(file, name):
        return any(of == f"{name}.__init__" for of, _, _ in files[file].defined.values())

    def inherited(file, name, depth=0):
        for parent in parents.get((file, name), []) if depth < 12 else []:
            found = parent if has_constructor(*parent) else inherited(*parent, depth + 1)
            if found:
                return found
        return None

    lines = set()
    for path, names in files.items():
        sites = [(*call, True) for call in names.calls] + [(*read, False) for read in names.reads]
        for (caller, _, is_call), found in zip(sites, definitions(path, [place for _, place, _ in sites])):
            for file, name, is_class, is_read in found:
                if not is_call and not is_read:
                    continue
                form = "read" if is_read else "call"
                if is_class and has_constructor(file, name):
                    name = f"{name}.__init__"
                elif is_class:
                    form = "class"
                    if parent := inherited(file, name):
                        lines.add(f"{path}#{caller}\t{parent[0]}#{parent[1]}.__init__\tinherited")
                lines.add(f"{path}#{caller}\t{file}#{name}\t{form}")
    sys.stdout.write("".join(f"{line}\n" for line in sorted(lines)))
    server.process.kill()


main()
