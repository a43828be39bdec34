"""Put the code of a mutant into the running program: functions stay the same objects, so every importer sees it."""

import functools
from importlib import import_module
from types import CodeType, FunctionType, ModuleType

from disjoin.jit.kernel import Kernel
from mutants.mutations import Mutant


def module_of(mutant: Mutant, package: str) -> ModuleType:
    """Import the module that a mutant changes."""
    parts = [package, *mutant.place.removesuffix(".py").split("/")]
    return import_module(".".join(part for part in parts if part and part != "__init__"))


def put_into(module: ModuleType, mutant: Mutant) -> None:
    """Change the function, and whatever was made from it."""
    code = _code_of(compile(mutant.tree(), str(mutant.file), "exec"), mutant.function)
    held: object = module
    for name in mutant.function.split("."):
        held = vars(held)[name]
    for function in _functions_in(held):
        function.__code__ = code


def _code_of(code: CodeType, function: str) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == function:
                return constant
            if function.startswith(f"{constant.co_qualname}."):
                return _code_of(constant, function)
    raise LookupError(function)


def _functions_in(held: object) -> list[FunctionType]:
    if isinstance(held, Kernel):
        plain = held._plain
        return [held.function, *([plain] if isinstance(plain, FunctionType) else [])]
    if isinstance(held, property):
        return _functions_in(held.fget)
    if isinstance(held, classmethod | staticmethod):
        return _functions_in(held.__func__)
    if isinstance(held, functools.cached_property):
        return _functions_in(held.func)
    if hasattr(held, "cache_clear"):
        held.cache_clear()
    if hasattr(held, "__wrapped__"):
        return _functions_in(held.__wrapped__)
    assert isinstance(held, FunctionType), held
    return [held]
