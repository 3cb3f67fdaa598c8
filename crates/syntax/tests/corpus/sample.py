#!/usr/bin/env python
"""Sessions of users.

@see spec::auth/session
"""
from __future__ import annotations
import os, a.b as c
from . import sibling
from ..pkg.mod import x as y, z
from lib import *

LIMIT: int = 10
_private = "@see spec::in/string"

@dec(1)
class User(Base, metaclass=Meta):
    """A user.

    @see spec::auth/user
    """
    count: int = 0

    def __init__(self, name: str, *args, key=None, **kw):
        self.name = name

    @property
    def age(self) -> int: return 1

    @staticmethod
    async def make(x): ...

    def _hidden(self): pass

def load(
    path,  # where
    *, force: bool = False,
) -> Optional[User]:
    """Loads. Implements REQ-001."""
    # @see spec::not/a-docstring
    import json
    def inner(): pass
    return lambda v: v

def test_load(): pass
