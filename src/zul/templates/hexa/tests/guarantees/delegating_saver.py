from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from typing_extensions import override

from src.application.errors import StoreError
from src.infrastructure.AI.memory.threaded_saver import ThreadedSaver
from src.infrastructure.database.column_types import from_storable, to_storable

# Inside the class ``list`` is the method.
_Specs = list[Any]


class DelegatingSaver(ThreadedSaver):
    """Keeps the conversations of one agent apart in a database that several agents share.

    Callers see their own thread ids; the database sees them behind the scope's name. A failure of
    the driver leaves as ``StoreError``.
    """

    def __init__(
        self,
        saver: BaseCheckpointSaver[Any],
        scope: str,
        driver_errors: tuple[type[Exception], ...],
    ) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._scope = scope
        self._prefix = f"{to_storable(scope)}:"
        self._driver_errors = driver_errors

    @property
    @override
    def config_specs(self) -> _Specs:
        return self._saver.config_specs

    @override
    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> "DelegatingSaver":
        saver = self._saver.with_allowlist(extra_allowlist)
        if saver is self._saver:
            return self
        return DelegatingSaver(saver, self._scope, self._driver_errors)

    @override
    def get_next_version(self, current: str | None, channel: None) -> str:
        return self._saver.get_next_version(current, channel)

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._store_errors():
            found = self._saver.get_tuple(self._stored(config))
        return None if found is None else self._shown_tuple(found)

    @override
    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        stored_before = None if before is None else self._stored(before)
        with self._store_errors():
            found = self._saver.list(
                None if config is None else self._stored(config),
                filter=filter,
                before=stored_before,
                limit=None if config is None else limit,
            )
            # A saver may hold its lock until its answer is read to the end.
            read = tuple(islice((each for each in found if self._is_mine(each)), limit))
        yield from map(self._shown_tuple, read)

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with self._store_errors():
            return self._shown(
                self._saver.put(self._stored(config), checkpoint, metadata, new_versions)
            )

    @override
    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        with self._store_errors():
            self._saver.put_writes(self._stored(config), writes, task_id, task_path)

    @override
    def delete_thread(self, thread_id: str) -> None:
        with self._store_errors():
            self._saver.delete_thread(self._stored_id(thread_id))

    @override
    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        with self._store_errors():
            self._saver.delete_for_runs(run_ids)

    @override
    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        with self._store_errors():
            self._saver.copy_thread(
                self._stored_id(source_thread_id), self._stored_id(target_thread_id)
            )

    @override
    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        with self._store_errors():
            self._saver.prune([self._stored_id(each) for each in thread_ids], strategy=strategy)

    @override
    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        with self._store_errors():
            return self._saver.get_delta_channel_history(
                config=self._stored(config), channels=channels
            )

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except self._driver_errors as error:
            raise StoreError from error

    def _stored_id(self, thread_id: str) -> str:
        return f"{self._prefix}{to_storable(str(thread_id))}"

    def _stored(self, config: RunnableConfig) -> RunnableConfig:
        return self._with_thread_id(config, self._stored_id)

    def _shown(self, config: RunnableConfig) -> RunnableConfig:
        return self._with_thread_id(
            config, lambda stored: from_storable(stored.removeprefix(self._prefix))
        )

    def _with_thread_id(
        self, config: RunnableConfig, change: Callable[[str], str]
    ) -> RunnableConfig:
        configurable = dict(config.get("configurable", {}))
        if "thread_id" in configurable:
            configurable["thread_id"] = change(configurable["thread_id"])
        return {**config, "configurable": configurable}

    def _shown_tuple(self, found: CheckpointTuple) -> CheckpointTuple:
        parent = found.parent_config
        return found._replace(
            config=self._shown(found.config),
            parent_config=None if parent is None else self._shown(parent),
        )

    def _is_mine(self, found: CheckpointTuple) -> bool:
        stored: str = found.config["configurable"]["thread_id"]
        return stored.startswith(self._prefix)
