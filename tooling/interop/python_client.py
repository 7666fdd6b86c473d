"""Cases with OpenHands' Python client (openhands-sdk 1.43.1) on any agent server.

    python_client.py SERVER_URL MODEL_URL WORK_FOLDER      key in OH_SESSION_API_KEYS_0

Prints `{"ready": true}` when it can work. Answers one request per line of standard input, `{"case": "send-and-run"}`, with
one line, `{"ok": true}` or `{"ok": false, "detail": "…"}`. While a case runs it may ask `{"need": "restart"}` and goes on
with the next line of standard input. Everything else that is printed goes to standard error.
"""

import json
import os
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

# The answers own standard output, so the client must not see it, not even while it is being imported.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

import httpx  # noqa: E402
import openhands.tools.file_editor  # noqa: E402, F401
import openhands.tools.terminal  # noqa: E402, F401
from openhands.sdk import LLM, Agent, Conversation, LLMSummarizingCondenser, RemoteConversation, Tool  # noqa: E402
from openhands.sdk.conversation.exceptions import ConversationRunError  # noqa: E402
from openhands.sdk.conversation.response_utils import get_agent_final_response  # noqa: E402
from openhands.sdk.event import Event  # noqa: E402
from openhands.sdk.hooks.config import HookConfig, HookDefinition, HookMatcher  # noqa: E402
from openhands.sdk.security.confirmation_policy import AlwaysConfirm, ConfirmRisky, NeverConfirm  # noqa: E402
from openhands.sdk.security.llm_analyzer import LLMSecurityAnalyzer  # noqa: E402
from openhands.sdk.tool.client_tool import ClientToolSpec  # noqa: E402
from openhands.sdk.workspace import RemoteWorkspace  # noqa: E402
from pydantic import SecretStr  # noqa: E402

KEY = os.environ["OH_SESSION_API_KEYS_0"]
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


@case
def server(place: Place) -> None:
    assert place.workspace.alive
    info = place.workspace.get_server_info()
    equal(info["version"], "1.43.1")
    assert {"terminal", "file_editor"} <= set(info["usable_tools"]), info["usable_tools"]


@case
def wrong_key(place: Place) -> None:
    other = place.workspace_with("not-the-key")
    assert other.alive
    try:
        place.conversation(workspace=other)
    except httpx.HTTPStatusError as error:
        equal(error.response.status_code, 401)
    else:
        raise AssertionError("a conversation was made with a wrong key")
    result = other.client.post("/api/bash/execute_bash_command", json={"command": "echo in"})
    equal(result.status_code, 401)


@case
def create(place: Place) -> None:
    wanted = uuid.uuid4()
    conversation = place.conversation(conversation_id=wanted, max_iteration_per_run=7)
    equal(conversation.id, wanted)
    equal(conversation.state.execution_status.value, "idle")
    # Reading it takes the kind out of the client's own copy: a second time it cannot be read.
    agent = conversation.state.agent
    equal(agent.llm.model, "openai/scripted")
    equal([tool.name for tool in agent.tools], ["terminal", "file_editor"])
    equal(conversation.state.workspace["working_dir"], str(place.folder))
    info = place.get(f"/api/conversations/{wanted}")
    equal(info["max_iterations"], 7)
    assert MODEL_KEY not in json.dumps(info), "the key of the model was told"


@case
def send_and_run(place: Place) -> None:
    conversation = place.conversation()
    equal(run(conversation, steps(terminal("echo $((6*7)) > answer; cat answer"), {"say": "It is 42."})), "finished")
    expected = ["SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "MessageEvent"]
    equal(kinds(conversation), expected)
    equal([text.strip().splitlines()[0] for text in observed(conversation)], ["42"])
    equal((place.folder / "answer").read_text(), "42\n")


@case
def callbacks(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, steps(terminal("echo one"), terminal("echo two"), {"say": "Both."}))
    told = [event.id for event in place.seen if event.id in {other.id for other in log_of(conversation)}]
    # What was there before the socket is in the list alone.
    equal(told, [event.id for event in log_of(conversation)][-len(told) :])
    assert len(told) >= 6, told


@case
def events_equal_rest(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, steps(terminal("echo one"), terminal("false"), {"say": "Ünïcode 🙂"}))
    run(conversation, "And then?")
    same_as_rest(place, conversation)
    equal(place.get(f"/api/conversations/{conversation.id}/events/count"), len(log_of(conversation)))


@case
def attach(place: Place) -> None:
    first = place.conversation()
    run(first, steps(terminal("echo one")))
    second = place.conversation(conversation_id=first.id)
    equal([event.id for event in log_of(second)], [event.id for event in log_of(first)])
    equal(run(second, "From the second."), "finished")
    eventually("the second's events at the first", lambda: len(log_of(first)) == len(log_of(second)))
    same_as_rest(place, first)


@case
def confirm(place: Place) -> None:
    conversation = place.conversation()
    conversation.set_confirmation_policy(AlwaysConfirm())
    equal(run(conversation, steps(terminal("touch done"))), "waiting_for_confirmation")
    equal(kinds(conversation)[-1], "ActionEvent")
    assert not (place.folder / "done").exists(), "it was executed without being confirmed"
    equal(type(conversation.state.confirmation_policy).__name__, "AlwaysConfirm")
    equal(run(conversation), "finished")
    assert (place.folder / "done").exists(), "it was not executed"


@case
def reject(place: Place) -> None:
    conversation = place.conversation()
    conversation.set_confirmation_policy(AlwaysConfirm())
    equal(run(conversation, steps(terminal("touch done"))), "waiting_for_confirmation")
    conversation.reject_pending_actions("far too dangerous")
    equal(run(conversation), "finished")
    rejections = [event for event in log_of(conversation) if type(event).__name__ == "UserRejectObservation"]
    equal([event.rejection_reason for event in rejections], ["far too dangerous"])
    assert "far too dangerous" in get_agent_final_response(log_of(conversation)), "the model did not read the reason"
    assert not (place.folder / "done").exists(), "it was executed"


@case
def analyzer(place: Place) -> None:
    conversation = place.conversation()
    conversation.set_security_analyzer(LLMSecurityAnalyzer())
    conversation.set_confirmation_policy(ConfirmRisky())
    low, high = (terminal(f"touch {risk}", security_risk=risk) for risk in ("LOW", "HIGH"))
    equal(run(conversation, steps(low, high)), "waiting_for_confirmation")
    equal(type(conversation.state.security_analyzer).__name__, "LLMSecurityAnalyzer")
    assert (place.folder / "LOW").exists() and not (place.folder / "HIGH").exists()
    conversation.set_confirmation_policy(NeverConfirm())
    conversation.set_security_analyzer(None)
    equal(run(conversation), "finished")
    assert (place.folder / "HIGH").exists()


@case
def pause(place: Place) -> None:
    conversation = place.conversation()
    wait = "touch started; until [ -e go ]; do sleep 0.05; done"
    conversation.send_message(steps(terminal(wait), terminal("touch second"), {"say": "Both."}))
    conversation.run(blocking=False)
    eventually("the first command", lambda: (place.folder / "started").exists())
    pausing = threading.Thread(target=conversation.pause)
    pausing.start()
    pausing.join(1.0)
    assert not pausing.is_alive(), "pause waited for the command"
    (place.folder / "go").touch()
    eventually("paused", lambda: conversation.state.execution_status.value == "paused")
    eventually("the first result", lambda: len(observed(conversation)) == 1)
    assert not (place.folder / "second").exists(), "it went on"
    equal(run(conversation), "finished")
    assert (place.folder / "second").exists(), "it did not go on"
    same_as_rest(place, conversation)


@case
def interrupt(place: Place) -> None:
    conversation = place.conversation()
    conversation.send_message(steps(terminal("touch started; sleep 600")))
    conversation.run(blocking=False)
    eventually("the command", lambda: (place.folder / "started").exists())
    conversation.interrupt()
    eventually("paused", lambda: conversation.state.execution_status.value == "paused")
    eventually("its end in the log", lambda: place.stored(conversation)[-1]["kind"] == "InterruptEvent")
    equal(run(conversation, "Go on."), "finished")
    same_as_rest(place, conversation)
    calls = [event.tool_call_id for event in log_of(conversation) if type(event).__name__ == "ActionEvent"]
    answered = [getattr(event, "tool_call_id", None) for event in log_of(conversation)]
    assert all(answered.count(call) == 2 for call in calls), "a call has no result"


@case
def model_error(place: Place) -> None:
    conversation = place.conversation()
    try:
        run(conversation, steps({"fail": 400}))
    except ConversationRunError as error:
        assert "told to fail" in str(error), str(error)
    else:
        raise AssertionError("the run did not fail")
    equal(run(conversation, "And now?"), "finished")


@case
def fork(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    other = conversation.fork(title="Another", tags={"of": "fork"})
    place.open.append(other)
    assert other.id != conversation.id
    equal([event.id for event in log_of(other)], [event.id for event in log_of(conversation)])
    before = len(log_of(conversation))
    equal(run(other, "Two."), "finished")
    info = place.get(f"/api/conversations/{other.id}")
    equal((info["title"], info["tags"]["of"]), ("Another", "fork"))
    equal(len(place.stored(conversation)), before)
    same_as_rest(place, other)


@case
def fork_from_event(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    at = log_of(conversation)[-1].id
    run(conversation, "Two.")
    other = conversation.fork(from_event_id=at)
    place.open.append(other)
    equal(log_of(other)[-1].id, at)
    equal(run(other, "Three."), "finished")
    try:
        conversation.fork(from_event_id=str(uuid.uuid4()))
    except httpx.HTTPStatusError as error:
        equal(error.response.status_code, 404)
    else:
        raise AssertionError("forked at an event that is not there")


@case
def navigate(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    at = log_of(conversation)[-1].id
    run(conversation, "Two.")
    conversation.navigate_to(at)
    equal(place.get(f"/api/conversations/{conversation.id}")["leaf_event_id"], at)
    equal(run(conversation, "Three."), "finished")
    third = next(item for item in place.stored(conversation) if "Three." in json.dumps(item))
    equal(third["parent_id"], at)
    same_as_rest(place, conversation)


@case
def ask(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, steps(terminal("echo one")))
    before = place.stored(conversation)
    answer = conversation.ask_agent("What did you do, exactly?")
    assert "What did you do, exactly?" in answer, answer
    equal(place.stored(conversation), before)
    equal(conversation.state.execution_status.value, "finished")


@case
def ask_during_run(place: Place) -> None:
    conversation = place.conversation()
    conversation.send_message(steps(terminal("touch started; until [ -e go ]; do sleep 0.05; done")))
    conversation.run(blocking=False)
    eventually("the command", lambda: (place.folder / "started").exists())
    assert "still there?" in conversation.ask_agent("Are you still there?")
    assert not observed(conversation)
    (place.folder / "go").touch()
    eventually("the end", lambda: conversation.state.execution_status.value == "finished")


@case
def condense(place: Place) -> None:
    condenser = LLMSummarizingCondenser(llm=place.llm("condenser"), max_size=100, keep_first=1)
    conversation = place.conversation(place.agent(condenser=condenser))
    for number in range(4):
        run(conversation, f"Message {number}.")
    conversation.condense()
    eventually("a condensation", lambda: "Condensation" in [item["kind"] for item in place.stored(conversation)])
    equal(run(conversation, "And now?"), "finished")
    same_as_rest(place, conversation)


@case
def secrets(place: Place) -> None:
    conversation = place.conversation(secrets={"FIRST": SECRET})
    conversation.update_secrets({"SECOND": lambda: SECRET + "-2"})
    command = "echo $FIRST $SECOND; echo ${#FIRST} ${#SECOND}"
    equal(run(conversation, steps(terminal(command))), "finished")
    output = observed(conversation)[0]
    assert f"{len(SECRET)} {len(SECRET) + 2}" in output, f"the command had no values: {output}"
    everything = json.dumps([place.stored(conversation), place.get(f"/api/conversations/{conversation.id}")])
    everything += "".join(event.model_dump_json() for event in [*place.seen, *conversation.state.events])
    assert SECRET not in everything, "the value was told"
    assert MODEL_KEY not in everything, "the key of the model was told"


@case
def title(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "Tell me about the moon.")
    made = conversation.generate_title(max_length=30)
    assert 0 < len(made) <= 30, made


@case
def tags(place: Place) -> None:
    conversation = place.conversation(tags={"team": "blue"})
    equal(place.get(f"/api/conversations/{conversation.id}")["tags"], {"team": "blue"})
    found = place.get("/api/conversations", ids=[str(conversation.id)])
    equal(found[0]["tags"], {"team": "blue"})


@case
def stats(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    usage = conversation.conversation_stats.get_combined_metrics().accumulated_token_usage
    assert usage is not None and usage.prompt_tokens > 0 and usage.completion_tokens > 0, usage


@case
def final_response(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, steps({"tool": "finish", "arguments": {"message": "All of it is done."}}))
    equal(get_agent_final_response(log_of(conversation)), "All of it is done.")
    said = place.get(f"/api/conversations/{conversation.id}/agent_final_response")
    equal(said["response"], "All of it is done.")


@case
def client_tools(place: Place) -> None:
    schema = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
    spec = ClientToolSpec(name="paint", description="Paints the client.", parameters=schema)
    conversation = place.conversation(client_tools=[spec])
    equal(run(conversation, steps({"tool": "paint", "arguments": {"color": "blue"}})), "finished")
    painted = [event for event in place.seen if type(event).__name__ == "ActionEvent"]
    equal([(event.tool_name, event.action.color) for event in painted], [("paint", "blue")])
    other = place.conversation(conversation_id=conversation.id)
    equal([event.id for event in log_of(other)], [event.id for event in log_of(conversation)])


@case
def hooks(place: Place) -> None:
    hook = HookDefinition(command="echo 'not in this house' >&2; exit 2")
    config = HookConfig(pre_tool_use=[HookMatcher(matcher="terminal", hooks=[hook])])
    conversation = place.conversation(hook_config=config)
    equal(run(conversation, steps(terminal("touch done"))), "finished")
    assert not (place.folder / "done").exists(), "it was executed"
    assert "not in this house" in get_agent_final_response(log_of(conversation)), "the model did not read why"
    assert conversation.state.hook_config is not None
    same_as_rest(place, conversation)


@case
def file_editor(place: Place) -> None:
    conversation = place.conversation()
    path = str(place.folder / "poem")
    make = {"command": "create", "path": path, "file_text": "roses\n"}
    change = {"command": "str_replace", "path": path, "old_str": "roses", "new_str": "violets"}
    made = [{"tool": "file_editor", "arguments": arguments} for arguments in (make, change)]
    equal(run(conversation, steps(*made)), "finished")
    equal(Path(path).read_text(), "violets\n")
    same_as_rest(place, conversation)


@case
def files(place: Place) -> None:
    content = bytes(range(256)) * 1000
    source, target, back = (place.folder / name for name in ("source", "on server ü", "back"))
    source.write_bytes(content)
    assert place.workspace.file_upload(source, target).success
    equal(target.read_bytes(), content)
    assert place.workspace.file_download(target, back).success
    assert back.read_bytes() == content, "other bytes came back"
    assert not place.workspace.file_download(place.folder / "nothing", back).success


@case
def git(place: Place) -> None:
    identity = "-c user.name=a -c user.email=a@b.c"
    make = f"git init -q -b main . && echo one > file && git add . && git {identity} commit -q -m one"
    change = "echo two > file && echo new > other"
    equal(place.workspace.execute_command(f"{make} && {change}", cwd=place.folder).exit_code, 0)
    changes = {str(change.path): change.status.value for change in place.workspace.git_changes(place.folder)}
    equal(changes, {"file": "UPDATED", "other": "ADDED"})
    diff = place.workspace.git_diff(place.folder / "file")
    equal((diff.original, diff.modified), ("one\n", "two\n"))


@case
def bash(place: Place) -> None:
    result = place.workspace.execute_command("pwd; echo out; echo err >&2; exit 3", cwd=place.folder)
    equal((result.exit_code, result.stdout, result.stderr), (3, f"{place.folder}\nout\n", "err\n"))
    many = place.workspace.execute_command("seq 1 20000", cwd="/")
    equal(len(many.stdout.split()), 20000)
    late = place.workspace.execute_command("sleep 60", timeout=1.0)
    assert late.exit_code != 0, late


@case
def close(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    before = [event.id for event in log_of(conversation)]
    conversation.close()
    again = place.conversation(conversation_id=conversation.id)
    equal([event.id for event in log_of(again)], before)


@case
def delete(place: Place) -> None:
    conversation = place.conversation(delete_on_close=True)
    run(conversation, "One.")
    conversation.close()
    response = place.workspace.client.get(f"/api/conversations/{conversation.id}")
    equal(response.status_code, 404)


@case
def reconnect(place: Place) -> None:
    conversation = place.conversation()
    run(conversation, "One.")
    place.restart()
    equal(run(conversation, steps(terminal("echo back"))), "finished")
    eventually("all events", lambda: len(log_of(conversation)) == len(place.stored(conversation)))
    same_as_rest(place, conversation)
    told = [event.id for event in place.seen]
    eventually("a socket again", lambda: run(conversation, "Two.") and len(place.seen) > len(told))


@case
def killed_while_running(place: Place) -> None:
    conversation = place.conversation()
    conversation.send_message(steps(terminal("touch started; sleep 600")))
    conversation.run(blocking=False)
    eventually("the command", lambda: (place.folder / "started").exists())
    place.restart()
    other = place.conversation(conversation_id=conversation.id)
    assert other.state.execution_status.value != "running"
    equal(run(other, "Go on."), "finished")
    same_as_rest(place, other)
    calls = [event.tool_call_id for event in log_of(other) if type(event).__name__ == "ActionEvent"]
    answered = [getattr(event, "tool_call_id", None) for event in log_of(other)]
    assert all(answered.count(call) == 2 for call in calls), "a call has no result"


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), file=ANSWERS, flush=True)


def restart() -> None:
    say({"need": "restart"})
    sys.stdin.readline()


def attempt(name: str, server_url: str, model: str, folder: Path) -> dict[str, Any]:
    if name not in CASES:
        return {"ok": False, "detail": "there is no such case"}
    place = Place(server_url, model, folder / name, restart)
    try:
        CASES[name](place)
    except Exception as error:
        traceback.print_exc()
        return {"ok": False, "detail": f"{type(error).__name__}: {error}"}
    finally:
        place.close()
    return {"ok": True}


def main() -> None:
    server_url, model, folder = sys.argv[1:]
    say({"ready": True})
    while line := sys.stdin.readline():
        say(attempt(json.loads(line)["case"], server_url, model, Path(folder)))


if __name__ == "__main__":
    main()
