"""Every port has small working adapters that say which port they are."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Protocol

import pytest
from langchain_core.language_models import BaseChatModel

import src.application.ports
import src.infrastructure.database
from src.application.ports import in_memory
from tests.fakes.scripted_model import ScriptedChatModel


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not module.ispkg:
            yield importlib.import_module(module.name)


def classes_of(module: ModuleType) -> list[type[Any]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]


PORTS = [
    port
    for module in modules_of(src.application.ports)
    for port in classes_of(module)
    if Protocol in port.__bases__
]


def test_the_ports_are_found() -> None:
    names = {port.__name__ for port in PORTS}

    assert names >= {"ActionLedger", "AnswerStore", "ConversationLock", "ReviewLog"}


@pytest.mark.parametrize("port", PORTS, ids=lambda port: str(port.__name__))
def test_a_port_has_an_adapter_in_memory_that_inherits_it(port: type[Any]) -> None:
    found = [c for module in modules_of(in_memory) for c in classes_of(module)]

    adapters = [adapter for adapter in found if port in adapter.__bases__]

    assert [adapter.__name__ for adapter in adapters] == [f"InMemory{port.__name__}"]


@pytest.mark.parametrize("port", PORTS, ids=lambda port: str(port.__name__))
def test_a_port_has_an_adapter_for_databases_that_inherits_it(port: type[Any]) -> None:
    found = [c for module in modules_of(src.infrastructure.database) for c in classes_of(module)]

    adapters = [adapter for adapter in found if port in adapter.__bases__]

    assert [adapter.__name__ for adapter in adapters] == [f"Database{port.__name__}"]


@pytest.mark.parametrize("port", PORTS, ids=lambda port: str(port.__name__))
def test_an_adapter_has_the_signatures_of_its_port(port: type[Any]) -> None:
    fake = getattr(in_memory, f"InMemory{port.__name__}")

    for name, method in inspect.getmembers(port, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted = inspect.signature(method).parameters
        assert list(inspect.signature(getattr(fake, name)).parameters) == list(wanted)


def test_the_scripted_model_is_a_chat_model() -> None:
    assert issubclass(ScriptedChatModel, BaseChatModel)
