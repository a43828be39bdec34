"""Dispatcher of numba for one loop, imported when the first loop is compiled. numba compiles again for 32-bit and
64-bit numbers, writable and read-only arrays, and the literal 0; ours has one type of whole numbers and one of
arrays."""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
from contextlib import suppress
from functools import cache
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import parse_bitcode
from numba.core import compiler, environment, serialize, types
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from disjoin.jit import cache as places
from disjoin.jit.decision import decision, loading
from disjoin.jit.fingerprint import fingerprint, only_borrows, reached
from disjoin.jit.kernel import Kernel, NotKept
from disjoin.progress import count

_VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag)
_NO_WAY_IN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def dispatcher_of(kernel: Kernel) -> Any:
    options = {"nopython": True, "nogil": True, "boundscheck": None, "_nrt": not only_borrows(kernel)}
    options |= {} if kernel.has_way_in else _NO_WAY_IN
    dispatcher = Dispatcher(kernel.function, targetoptions=options)
    dispatcher._cache = KernelCache(kernel)
    return dispatcher


class Dispatcher(CPUDispatcher):
    """numba's dispatcher with one type of whole numbers and one of arrays."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._known: dict[tuple[int, ...], Any] = {}  # types of arguments that numba finds by itself, by their codes

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        """Compile for new arguments, when numba requests it; return the function to call."""
        assert not named, "kernels are called with positional arguments"
        found = [self.typeof_pyval(argument) for argument in arguments]
        kinds = tuple(_plain_kind(kind) for kind in found)
        if not (decision.may_compile or kinds in self.overloads or self._cache.keeps(kinds, self.targetctx)):
            raise NotKept
        try:
            entry = self.compile(kinds)
            self._known[tuple(kind._code for kind in kinds)] = kinds
        finally:
            self._types_active_call.clear()
        codes = tuple(kind._code for kind in found)
        if codes not in self._known:  # inserted twice, it would be ambiguous, and every call would come here again
            self._known[codes] = found  # stored, because otherwise numba gives the same type another code next time
            self._insert(list(codes), entry, False)  # the next call finds it directly
        return entry

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Compile for the arguments of another loop: a number of 32 bits is converted to 64 bits when called."""
        return super().get_call_template(tuple(_plain_number(kind) for kind in arguments), named)


def _plain_number(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and kind.bitwidth < 64:
        return types.int64
    return kind


def _plain_kind(kind: Any) -> Any:
    """Return the common type for a type of arguments: of whole numbers and of arrays, alone or in a tuple."""
    if isinstance(kind, types.Array) and not kind.mutable:
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple) and kind.count:
        kinds = [_plain_kind(one) for one in kind.types]
        return types.BaseTuple.from_types(kinds, getattr(kind, "instance_class", None))
    return _plain_number(kind)


@cache
def _make_ready_to_run(context: Any) -> None:
    rtsys.initialize(context)


@cache
def _make_ready_to_compile(context: Any) -> None:
    """Load everything that numba knows about numpy: a sixth of a second."""
    with loading.lightly():
        context.refresh()


class _Unpickler(pickle.Unpickler):
    """Reads a compiled loop without importing the parts of numba that compiled it."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return _environment if found is environment._rebuild_env else found


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the constants that a compiled function stores for its run, because it looks up no names."""
    found = environment.lookup_environment(name)
    if found is None:
        found = environment.Environment({"__name__": module})
        found.consts[:] = constants
        found.env_name = name
        environment.Environment._memo[name] = found
    return found


class KeptLibrary(JITCodeLibrary):
    """Machine code from disk. Code that other loops link to is read on demand: half of the loading time."""

    def __init__(self, codegen: Any, name: str, machine_code: bytes, bitcode: bytes) -> None:
        super().__init__(codegen, name)
        self._bitcode = bitcode
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module


def _rebuilt(context: Any, kernel: Kernel, kept: tuple[Any, ...]) -> Any:
    """Return a loop ready to be called, from the output of numba's `_reduce`."""
    (name, _, codes), described, own, signature, in_object_mode, lifted, words, initialisers, environments = kept
    for initialise in initialisers:
        initialise()
    codegen = context.codegen()
    library = KeptLibrary(codegen, name, *codes)
    if kernel.has_way_in:
        codegen._engine._defined_symbols.add(described.llvm_cpython_wrapper_name)
    entry = context.get_executable(library, described, own)
    for one in environments:
        codegen.set_env(one.env_name, one)
    return compiler.compile_result(
        typing_context=context.typing_context,
        target_context=context,
        library=library,
        environment=own,
        entry_point=entry,
        fndesc=described,
        type_annotation=words,
        signature=signature,
        objectmode=in_object_mode,
        lifted=lifted,
        reload_init=initialisers,
        referenced_envs=environments,
    )


def _has_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_has_array, kind.types)))


class KernelCache:
    """Stores the compiled code of one loop, like numba's own cache, under a name with its fingerprint."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.cache_path = ""

    def keeps(self, kinds: Any, context: Any) -> bool:
        return places.is_kept(self._name(kinds, context.codegen()))

    def load_overload(self, kinds: Any, context: Any) -> Any:
        _make_ready_to_run(context)
        content = places.load(self._name(kinds, context.codegen()))
        if content is not None:
            with suppress(Exception):  # any error in a file from another program: compile again
                return _rebuilt(context, self.kernel, _Unpickler(io.BytesIO(content)).load())
        _make_ready_to_compile(context)
        count.begin(self.kernel, reached(self.kernel))
        return None

    def save_overload(self, kinds: Any, result: Any) -> None:
        count.end(self.kernel)
        lends = only_borrows(self.kernel) and _has_array(result.signature.return_type)
        assert not lends, f"{self.kernel.name} returns arrays of its caller, whose references are not counted"
        if result.library.has_dynamic_globals:
            return
        content = serialize.dumps(result._replace(type_annotation="")._reduce())
        if not places.keep(self._name(kinds, result.codegen), content):
            places.warn_homeless()

    def _name(self, kinds: Any, codegen: Any) -> str:
        made_for = repr((_VERSIONS, codegen.magic_tuple(), [_described(kind) for kind in kinds]))
        made_for = hashlib.sha256(made_for.encode()).hexdigest()[:16]
        name = ".".join(self.kernel.name.split(".")[-2:])
        return f"{name}.{made_for}.{fingerprint(self.kernel)}"


def _described(kind: Any) -> str:
    if isinstance(kind, types.BaseNamedTuple):
        made, kinds = kind.instance_class, [_described(one) for one in kind.types]
        return f"{made.__module__}.{made.__qualname__} {made._fields} {kinds}"
    return str(kind)
