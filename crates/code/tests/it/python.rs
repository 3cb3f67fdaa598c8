//! Calls in Python, construct by construct.

use crate::program::check_calls as check;

#[test]
fn async_with_enters_and_iterates() {
    check(
        r"//- client.py
from base import Transport
class Client:
    async def __aenter__(self):
        return self
    async def get(self):
        return Response()
class Response:
    def json(self): ...
    def __aiter__(self): return self
    async def __anext__(self): return Line()
class Line:
    def strip(self): ...
class Own(Transport):
    def send(self): ...
//- base.py
class Transport:
    async def __aenter__(self):
        return self
//- main.py
import client
async def main():
    async with client.Client() as one:
        response = await one.get()
        response.json()
    async with client.Own() as own:
        own.send()
//- local.py
class Rows:
    def __aiter__(self): return self
    async def __anext__(self): return Row()
class Row:
    def read(self): ...
async def rows():
    async for row in Rows():
        row.read()
",
        "
        client.py#Client.get calls client.py#Response
        client.py#Response.__anext__ calls client.py#Line
        local.py#Rows.__anext__ calls local.py#Row
        local.py#rows calls local.py#Rows
        local.py#rows calls? local.py#Row.read
        local.py#rows calls? local.py#Rows.__aiter__
        local.py#rows calls? local.py#Rows.__anext__
        main.py#main calls client.py#Client
        main.py#main calls client.py#Own
        main.py#main calls? base.py#Transport.__aenter__
        main.py#main calls? client.py#Client.__aenter__
        main.py#main calls? client.py#Client.get
        main.py#main calls? client.py#Own.send
        main.py#main calls? client.py#Response.json
        ",
    );
}

#[test]
fn a_decorated_definition_is_called_by_its_name() {
    check(
        r#"//- tools.py
import contextlib
import functools
from dataclasses import dataclass
from other import register
@contextlib.contextmanager
def opened():
    yield File()
class File:
    def read(self): ...
@dataclass
class Point:
    x: int
    def norm(self): ...
@functools.lru_cache(maxsize=None)
def cached(): ...
@register("name")
def registered(): ...
def run():
    with opened() as file:
        file.read()
    Point(1).norm()
    cached()
    registered()
//- other.py
from typing import cast
from functools import update_wrapper
def register(name):
    def decorator(f):
        def wrapper():
            return f()
        return cast("F", update_wrapper(wrapper, f))
    return decorator
//- main.py
import tools
with tools.opened() as file:
    file.read()
tools.registered()
"#,
        "
        main.py# calls tools.py#opened
        main.py# calls? other.py#register.decorator.wrapper
        main.py# calls? tools.py#File.read
        main.py# calls? tools.py#registered
        other.py#register.decorator.wrapper calls? tools.py#registered
        tools.py# calls other.py#register
        tools.py# calls? other.py#register.decorator
        tools.py#opened calls tools.py#File
        tools.py#run calls tools.py#Point
        tools.py#run calls tools.py#cached
        tools.py#run calls tools.py#opened
        tools.py#run calls tools.py#registered
        tools.py#run calls? other.py#register.decorator.wrapper
        tools.py#run calls? tools.py#File.read
        tools.py#run calls? tools.py#Point.norm
        ",
    );
}

#[test]
fn properties_and_descriptors_give_values() {
    check(
        r"//- model.py
import functools
class Headers:
    def update(self): ...
class Field:
    def __get__(self, obj, owner):
        return Headers()
class Client:
    field = Field()
    def __init__(self):
        self._headers = Headers()
    @property
    def headers(self):
        return self._headers
    @headers.setter
    def headers(self, value):
        self._headers = Headers()
    @functools.cached_property
    def cached(self) -> Headers: ...
    def run(self):
        self.headers.update()
        self.cached.update()
//- main.py
from model import Client
def main():
    Client().headers.update()
def field():
    client = Client()
    client.field.update()
//- own.py
class Value:
    def use(self): ...
class Lazy:
    def __get__(self, obj, owner):
        return Value()
class Holder:
    lazy = Lazy()
    def run(self):
        self.lazy.use()
",
        "
        main.py#field calls model.py#Client.__init__
        main.py#main calls model.py#Client.__init__
        main.py#main calls? model.py#Headers.update
        model.py#Client calls model.py#Field
        model.py#Client.__init__ calls model.py#Headers
        model.py#Client.headers~2de5 calls model.py#Headers
        model.py#Client.run calls? model.py#Client.cached
        model.py#Client.run calls? model.py#Client.headers
        model.py#Client.run calls model.py#Headers.update
        model.py#Field.__get__ calls model.py#Headers
        own.py#Holder calls own.py#Lazy
        own.py#Holder.run calls? own.py#Lazy.__get__
        own.py#Holder.run calls own.py#Value.use
        own.py#Lazy.__get__ calls own.py#Value
        ",
    );
}

#[test]
fn a_class_without_a_constructor_is_called_itself() {
    check(
        r"//- errors.py
class Problem(Exception): ...
class Base:
    def __init__(self): ...
    def tell(self): ...
class Inner(Base): ...
def fail():
    raise Problem
//- main.py
from errors import Base, Inner, Problem
class Outer(Base):
    def tell(self):
        super().tell()
def main():
    Inner()
    Outer().tell()
    raise Problem()
",
        "
        errors.py#fail calls errors.py#Problem
        main.py#Outer.tell calls errors.py#Base.tell
        main.py#main calls errors.py#Base.__init__
        main.py#main calls errors.py#Inner
        main.py#main calls errors.py#Problem
        main.py#main calls main.py#Outer
        main.py#main calls? main.py#Outer.tell
        ",
    );
}

#[test]
fn annotations_say_what_values_are() {
    check(
        r#"//- types.py
from typing import Callable, Generator, Generic, TypeVar, cast
T = TypeVar("T")
class Request:
    def send(self): ...
class Response:
    def read(self): ...
class Box(Generic[T]):
    def __init__(self): ...
def flow(request: Request) -> Generator[Request, Response, None]:
    response = yield request
    response.read()
def run(make: Callable[[], Request], of: type[Response]):
    make().send()
    of().read()
    cast(Request, unknown()).send()
    Box[int]()
    for request in flow(Request()):
        request.send()
"#,
        "
        types.py#flow calls? types.py#Response.read
        types.py#run calls types.py#Request
        types.py#run calls types.py#flow
        types.py#run calls? types.py#Box.__init__
        types.py#run calls? types.py#Request.send
        types.py#run calls? types.py#Response
        types.py#run calls? types.py#Response.read
        ",
    );
}

#[test]
fn a_name_may_be_a_module_or_come_from_getattr() {
    check(
        r"//- pkg/__init__.py
from .lazy import make
def __getattr__(name):
    from . import lazy
    return lazy.Late
//- pkg/cli.py
cli = object()
def load(): ...
//- pkg/lazy.py
class Late:
    def run(self): ...
def make(): ...
//- pkg/app.py
from . import cli
from .lazy import make
def run():
    cli.load()
    make()
//- main.py
import pkg
def main():
    pkg.Anything().run()
",
        "
        main.py#main calls pkg/lazy.py#Late
        main.py#main calls? pkg/lazy.py#Late.run
        pkg/app.py#run calls pkg/cli.py#load
        pkg/app.py#run calls pkg/lazy.py#make
        ",
    );
}

#[test]
fn a_protocol_says_what_a_call_gives() {
    check(
        r"//- types.py
from typing import Protocol
from client import Client
class Factory(Protocol):
    def __call__(self, app) -> Client: ...
//- client.py
class Client:
    def get(self): ...
//- test_it.py
from types import Factory
def test_get(factory: Factory):
    client = factory(1)
    client.get()
",
        "
        test_it.py#test_get calls? types.py#Factory.__call__
        test_it.py#test_get calls? client.py#Client.get
        ",
    );
}
