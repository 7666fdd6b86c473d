"""Cases of what conversations and workspaces can do besides running."""

import inspect
import json
import re
import uuid
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
from openhands.sdk import Agent, LLMSummarizingCondenser, Tool
from openhands.sdk.conversation.impl import remote_conversation
from openhands.sdk.conversation.response_utils import get_agent_final_response
from openhands.sdk.event import Event
from openhands.sdk.hooks.config import HookConfig, HookDefinition, HookMatcher
from openhands.sdk.tool.client_tool import ClientToolSpec
from pydantic import TypeAdapter
from python_place import (
    KEY,
    MODEL_KEY,
    PATIENCE,
    SECRET,
    Place,
    case,
    equal,
    eventually,
    log_of,
    observed,
    run,
    same_as_rest,
    steps,
    terminal,
)
from websockets.sync.client import connect


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
def text_calls(place: Place) -> None:
    llm = place.llm().model_copy(update={"native_tool_calling": False})
    conversation = place.conversation(Agent(llm=llm, tools=[Tool(name="terminal")]))
    equal(run(conversation, steps(terminal("echo one", security_risk="LOW"), terminal("echo two"))), "finished")
    equal([text.strip().split("\n")[0] for text in observed(conversation)], ["one", "two"])
    same_as_rest(place, conversation)


@case
def session_socket(place: Place) -> None:
    # fails when their client begins to open this socket: then play it here
    equal(set(re.findall(r"/sockets/(\w+)/", inspect.getsource(remote_conversation))), {"events"})
    if find_spec("openhands.agent_server.session_protocol") is None:
        return
    from openhands.agent_server.session_protocol import SessionFrame

    reader = TypeAdapter(SessionFrame)
    frames: list[Any] = []
    conversation = place.conversation()
    run(conversation, steps(terminal("echo one")))
    before = len(place.stored(conversation))
    url = f"{place.server.replace('http', 'ws', 1)}/sockets/session/{conversation.id}?after_seq=-1"
    with connect(url, additional_headers={"X-Session-API-Key": KEY}, proxy=None) as socket:
        run(conversation, "Two.")
        stored = place.stored(conversation)
        while not frames or getattr(frames[-1], "seq", None) != len(stored) - 1:
            text = socket.recv(timeout=PATIENCE)
            # a frame of our own, which their models refuse
            if json.loads(text)["type"] != "tool_output":
                frames.append(reader.validate_json(text))
    equal((frames[0].type, frames[0].from_seq, frames[0].through_seq), ("sync", -1, before - 1))
    numbered = [frame for frame in frames if frame.type == "durable"]
    equal([frame.seq for frame in numbered], list(range(len(stored))))
    for frame, item in zip(numbered, stored, strict=True):
        equal(frame.event.model_dump(mode="json"), Event.model_validate(item).model_dump(mode="json"))
