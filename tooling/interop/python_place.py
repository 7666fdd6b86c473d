"""A server, and a folder there that belongs to one case; what cases have in common."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openhands.tools.file_editor  # noqa: F401
import openhands.tools.terminal  # noqa: F401
from openhands.sdk import LLM, Agent, Conversation, RemoteConversation, Tool
from openhands.sdk.event import Event
from openhands.sdk.workspace import RemoteWorkspace
from pydantic import SecretStr

KEY = os.environ["OH_SESSION_API_KEYS_0"]
VERSION = os.environ["INTEROP_SERVER_VERSION"]
MODEL_KEY = "sk-interop-model-key-0123456789"
SECRET = "correct-horse-battery"
# What a case waits for comes within milliseconds; busy machines take their time.
PATIENCE = 60.0

CASES: dict[str, Callable[["Place"], None]] = {}


def case(function: Callable[["Place"], None]) -> Callable[["Place"], None]:
    CASES[function.__name__.replace("_", "-")] = function
    return function


class Place:
    """The server, and a folder there that belongs to one case."""

    def __init__(self, server: str, model: str, folder: Path, restart: Callable[[], None]) -> None:
        self.server, self.model, self.folder, self.restart = server, model, folder, restart
        folder.mkdir(parents=True)
        self.workspace = self.workspace_with(KEY)
        self.open: list[RemoteConversation] = []
        self.seen: list[Event] = []

    def workspace_with(self, key: str) -> RemoteWorkspace:
        return RemoteWorkspace(host=self.server, api_key=key, working_dir=str(self.folder))

    def llm(self, usage: str = "agent") -> LLM:
        key = SecretStr(MODEL_KEY)
        return LLM(model="openai/scripted", base_url=self.model, api_key=key, usage_id=usage, num_retries=0)

    def agent(self, **more: Any) -> Agent:
        return Agent(llm=self.llm(), tools=[Tool(name="terminal"), Tool(name="file_editor")], **more)

    def conversation(self, agent: Agent | None = None, **more: Any) -> RemoteConversation:
        """One that stays on the server when it is closed; its callbacks fill `seen`."""
        more.setdefault("delete_on_close", False)
        made = Conversation(
            agent=agent or self.agent(),
            workspace=more.pop("workspace", self.workspace),
            callbacks=[more.pop("callback", self.seen.append)],
            visualizer=None,
            **more,
        )
        assert isinstance(made, RemoteConversation)
        self.open.append(made)
        return made

    def get(self, path: str, **parameters: Any) -> Any:
        response = self.workspace.client.get(path, params=parameters)
        response.raise_for_status()
        return response.json()

    def stored(self, conversation: RemoteConversation) -> list[dict[str, Any]]:
        """The events of REST, in small pages."""
        items: list[dict[str, Any]] = []
        page: str | None = None
        while True:
            more = {"page_id": page} if page else {}
            body = self.get(f"/api/conversations/{conversation.id}/events/search", limit=3, **more)
            items += body["items"]
            page = body["next_page_id"]
            if not page:
                return items

    def close(self) -> None:
        """In the background: a client waits up to 5 seconds for the next frame of its socket."""
        for conversation in self.open:
            threading.Thread(target=conversation.close, daemon=True).start()


def steps(*of: dict[str, Any]) -> str:
    return "Steps: " + json.dumps(list(of))


def terminal(command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "terminal", "arguments": {"command": command, **more}}


def run(conversation: RemoteConversation, text: str | None = None) -> str:
    """Sends, runs to the end of the run; how that ended."""
    if text is not None:
        conversation.send_message(text)
    conversation.run(poll_interval=0.2, timeout=PATIENCE)
    return str(conversation.state.execution_status.value)


def eventually(what: str, true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.02)


def log_of(conversation: RemoteConversation) -> list[Event]:
    """The client's events without those that only sockets carry."""
    transient = ("ConversationStateUpdateEvent", "StreamingDeltaEvent")
    return [event for event in conversation.state.events if type(event).__name__ not in transient]


def kinds(conversation: RemoteConversation) -> list[str]:
    return [type(event).__name__ for event in log_of(conversation)]


def observed(conversation: RemoteConversation) -> list[str]:
    return [event.observation.text for event in log_of(conversation) if type(event).__name__ == "ObservationEvent"]


def equal(found: Any, expected: Any) -> None:
    assert found == expected, f"expected {expected!r}, found {found!r}"


def same_as_rest(place: Place, conversation: RemoteConversation) -> None:
    stored = place.stored(conversation)
    equal([event.id for event in log_of(conversation)], [item["id"] for item in stored])
    for event, item in zip(log_of(conversation), stored, strict=True):
        equal(event.model_dump(mode="json"), Event.model_validate(item).model_dump(mode="json"))
