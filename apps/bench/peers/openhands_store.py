"""Conversations of OpenHands' SDK in folders, for programs that measure them through a socket.

    openhands_store.py SOCKET

Prints a line when everything is imported and the socket is there, and ends with its standard input. Each connection gets a process of
its own, forked from this one, because each import would take seconds of processor. It says `{"ready": BYTES}`, its memory, and answers
one request per line, `{"do": "append", …}`, with one line, `{"result": …}` or `{"error": "…"}`. Names go through the socket, not texts:
a text is its name and padding, on both sides. While a tool with effects runs, it asks `{"effect": number}` for each and goes on with the
next line. The end of its connection ends a process at once, as SIGKILL does.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self
from uuid import UUID

# Standard output says when this is ready, so the SDK must not see it, not even while it is being imported.
READY = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

os.environ.update(
    OPENHANDS_SUPPRESS_BANNER="1",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    LOG_LEVEL="ERROR",
)

from openhands.sdk import Agent  # noqa: E402
from openhands.sdk.conversation.impl.local_conversation import LocalConversation  # noqa: E402
from openhands.sdk.event import Event, MessageEvent  # noqa: E402
from openhands.sdk.llm import LLMResponse, Message, MessageToolCall, TextContent  # noqa: E402
from openhands.sdk.testing import TestLLM  # noqa: E402
from openhands.sdk.tool import Action, Observation, Tool, ToolDefinition, ToolExecutor, register_tool  # noqa: E402
from pydantic import PrivateAttr  # noqa: E402

EFFECTS = 5


class InstantLLM(TestLLM):
    """A model that takes no time: so many calls of a tool, and a message."""

    _turns: Iterator[Message] = PrivateAttr(default_factory=lambda: iter(()))

    def will(self, *, tool: str, calls: int) -> None:
        self._turns = iter([*(call_of(tool, number) for number in range(calls)), said("done")])

    def completion(self, *_: Any, **__: Any) -> LLMResponse:
        message = next(self._turns, said("done"))
        return LLMResponse(
            message=message, metrics=self._zero_metrics(), raw_response=self._create_model_response(message)
        )


def said(text: str) -> Message:
    return Message(role="assistant", content=[TextContent(text=text)])


def call_of(tool: str, number: int) -> Message:
    call = MessageToolCall(
        id=f"call_{number}", name=tool, arguments=json.dumps({"number": number}), origin="completion"
    )
    return Message(role="assistant", content=[TextContent(text="")], tool_calls=[call])


class NumberAction(Action):
    number: int


class DoneObservation(Observation):
    pass


class NoopExecutor(ToolExecutor):
    def __call__(self, _: NumberAction, conversation: Any = None) -> DoneObservation:
        return DoneObservation.from_text(text="done")


class NoopTool(ToolDefinition[NumberAction, DoneObservation]):
    @classmethod
    def create(cls, conv_state: Any = None, **_: Any) -> Sequence[Self]:
        return [tool_of(cls, NoopExecutor())]


class EffectsExecutor(ToolExecutor):
    def __call__(self, _: NumberAction, conversation: Any = None) -> DoneObservation:
        for number in range(1, EFFECTS + 1):
            say({"effect": number})
            hear()
        return DoneObservation.from_text(text="done")


class EffectsTool(ToolDefinition[NumberAction, DoneObservation]):
    @classmethod
    def create(cls, conv_state: Any = None, **_: Any) -> Sequence[Self]:
        return [tool_of(cls, EffectsExecutor())]


def tool_of(cls: Any, executor: ToolExecutor) -> Any:
    return cls(
        description="Does what the measurement wants.",
        action_type=NumberAction,
        observation_type=DoneObservation,
        executor=executor,
    )


register_tool("noop", NoopTool)
register_tool("effects", EffectsTool)

FOLDER: Path = Path()
OPEN: dict[str, LocalConversation] = {}
MODELS: dict[str, InstantLLM] = {}


def conversation_of(identifier: str) -> LocalConversation:
    if identifier not in OPEN:
        MODELS[identifier] = InstantLLM(model="test-model", usage_id="bench")
        OPEN[identifier] = LocalConversation(
            agent=Agent(llm=MODELS[identifier], tools=[Tool(name="noop"), Tool(name="effects")]),
            workspace=str(FOLDER / "work"),
            persistence_dir=str(FOLDER / "conversations"),
            conversation_id=UUID(identifier),
            visualizer=None,
            delete_on_close=False,
        )
    return OPEN[identifier]


def text_of(name: str) -> str:
    return f"{name} ".ljust(640, "x")


def names_of(events: Sequence[Event]) -> list[str]:
    users = [event for event in events if isinstance(event, MessageEvent) and event.source == "user"]
    return [part.text.split(" ", 1)[0] for event in users for part in event.llm_message.content[:1]]


def fill(identifier: str, names: list[str]) -> None:
    """Writes the files that the SDK would write, but flushes none: to fill is no measurement. The next request opens them."""
    conversation = conversation_of(identifier)
    conversation.send_message(text_of(names[0]))
    state = conversation.state
    folder = Path(state.persistence_dir or "") / "events"
    parent = state.events[-1].id
    for index, name in enumerate(names[1:], len(state.events)):
        message = Message(role="user", content=[TextContent(text=text_of(name))])
        event = MessageEvent(source="user", llm_message=message, parent_id=parent)
        (folder / f"event-{index:05d}-{event.id}.json").write_text(event.model_dump_json(exclude_none=True))
        parent = event.id
    for marker in folder.glob(".eventlog-len-*.marker"):
        marker.unlink()
    state.leaf_event_id = parent
    OPEN.pop(identifier).close()


def run(identifier: str, tool: str, calls: int) -> None:
    conversation = conversation_of(identifier)
    conversation.send_message("go on")
    MODELS[identifier].will(tool=tool, calls=calls)
    conversation.run()


def handle(request: dict[str, Any]) -> Any:
    global FOLDER
    identifier = request.get("id", "")
    match request["do"]:
        case "folder":
            FOLDER = Path(request["folder"])
            (FOLDER / "work").mkdir(exist_ok=True)
        case "fill":
            fill(identifier, request["names"])
        case "open":
            conversation_of(identifier)
        case "append":
            conversation_of(identifier).send_message(text_of(request["name"]))
        case "last":
            return names_of(conversation_of(identifier).state.events[-request["count"] :])
        case "all":
            return names_of(list(conversation_of(identifier).state.events))
        case "fork":
            conversation_of(identifier).fork(conversation_id=UUID(request["to"])).close()
        case "run":
            run(identifier, "noop", request["calls"])
        case "effects":
            run(identifier, "effects", 1)
        case "resume":
            conversation_of(identifier).run()
        case "resident":
            return resident()
        case "close":
            for conversation in OPEN.values():
                conversation.close()
            OPEN.clear()
        case unknown:
            raise ValueError(f"nothing to do for {unknown!r}")
    return None


def resident() -> int:
    """Bytes of memory, where the system tells them in a file."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


CONNECTION: dict[str, Any] = {}


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), file=CONNECTION["out"], flush=True)


def hear() -> dict[str, Any]:
    line = CONNECTION["in"].readline()
    if not line:
        os.kill(os.getpid(), signal.SIGKILL)
    return json.loads(line)


def serve(connection: socket.socket) -> None:
    CONNECTION["in"] = connection.makefile("r", encoding="utf-8")
    CONNECTION["out"] = connection.makefile("w", encoding="utf-8")
    say({"ready": resident()})
    while True:
        request = hear()
        try:
            say({"result": handle(request)})
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"[:300]})


def main() -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(16)
    # forks share what is imported as long as nobody touches it
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", file=READY, flush=True)
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [])
        if listener not in readable:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            serve(connection)
        connection.close()


if __name__ == "__main__":
    main()
