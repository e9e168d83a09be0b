"""Kept functions: traced and compiled once for a layout, then kept between runs.

JAX keeps compiled code between processes, but to find it there it first traces and lowers every function anew, which
for the program of a scene takes longer than many scenes take to solve. So the lowered form is kept as well
(`jax.export`), under a name that stands for gambol's own source, the version of JAX, the layout and the arguments.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jax
import jax.export
import jax.numpy as jnp

from gambol.errors import BadInput
from gambol.files import whole_file
from gambol.synthesis.engine import cache_folder

Specs = Any
"""A tree of shapes and kinds of numbers, as arguments or results of a function."""


@cache
def _compilers() -> ThreadPoolExecutor:
    """Threads that compile: the functions of a program side by side."""
    return ThreadPoolExecutor(os.cpu_count() or 1, "compile")


SOURCES = ("angles", "banded", "engine", "groups", "kept", "layout", "moment", "program",
           "rotations", "spline", "sums", "surfaces", "tasks", "terms")
"""The modules of synthesis that programs are made of: those that `program` imports."""
SHAPES = ("solids",)
"""The same of geometry."""


@cache
def _source() -> str:
    """What the kept functions are made of: gambol's own text, JAX and the kind of machine."""
    found = hashlib.sha256(f"{jax.__version__} {jax.default_backend()}".encode())
    here = Path(__file__).parent
    for path in (*(here / name for name in SOURCES), *(here.parent / "geometry" / name for name in SHAPES)):
        found.update(path.with_suffix(".py").read_bytes())
    return found.hexdigest()


class Kept:
    """A function of trees of arrays, always of the same shapes. Compiled at the first call, or before by `prepare`."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        """`name` stands for all that the function depends on besides its arguments."""
        self.function, self.name = function, name
        self._compiled: Future[Callable[..., Any]] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None:
            self.prepare(*arguments)
        assert self._compiled is not None
        return self._compiled.result()(*arguments)

    def prepare(self, *arguments: Any) -> Specs:
        """Start to compile for arguments like these (arrays, or their specs); returns the specs of the result."""
        specs = jax.tree.map(lambda a: jax.ShapeDtypeStruct(jnp.shape(a), jnp.result_type(a)), arguments)
        lowered = jax.jit(self._traced(specs)).lower(*specs)
        self._compiled = _compilers().submit(lowered.compile)
        return jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), lowered.out_info)

    def _traced(self, specs: Specs) -> Callable[..., Any]:
        """The function, from the cache folder if it is there."""
        if find_spec("flatbuffers") is None:  # what jax.export writes with
            return self.function
        path = self._path(specs)
        try:
            return jax.export.deserialize(bytearray(path.read_bytes())).call
        except Exception:  # not there, cut short, written by another version: made anew
            exported = jax.export.export(jax.jit(self.function))(*specs)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as temporary:
                temporary.write_bytes(exported.serialize())
        except (OSError, BadInput):  # a folder that cannot be written costs time, not results
            pass
        return exported.call

    def _path(self, specs: Specs) -> Path:
        leaves, shape = jax.tree.flatten(specs)
        text = f"{_source()} {self.name} {shape} {[(leaf.shape, str(leaf.dtype)) for leaf in leaves]}"
        return cache_folder() / "traced" / f"{hashlib.sha256(text.encode()).hexdigest()}.bin"
