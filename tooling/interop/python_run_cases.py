"""Cases of runs, and of what ends clients and servers."""

import json
import threading
import uuid

import httpx
from openhands.sdk.conversation.exceptions import ConversationRunError
from openhands.sdk.conversation.response_utils import get_agent_final_response
from openhands.sdk.security.confirmation_policy import AlwaysConfirm, ConfirmRisky, NeverConfirm
from openhands.sdk.security.llm_analyzer import LLMSecurityAnalyzer
from python_place import (
    MODEL_KEY,
    Place,
    case,
    equal,
    eventually,
    kinds,
    log_of,
    observed,
    run,
    same_as_rest,
    steps,
    terminal,
    VERSION,
)


@case
def server(place: Place) -> None:
    assert place.workspace.alive
    info = place.workspace.get_server_info()
    equal(info["version"], VERSION)
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
    # it ends by itself only if it waits for nothing
    pausing.join(20.0)
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
    run(conversation, steps(terminal("echo back")))
    # the client's socket may come back after the run has ended, and its state with it
    eventually("the end of the run", lambda: conversation.state.execution_status.value == "finished")
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
    # our server goes on with the run by itself
    eventually("the end of that run", lambda: other.state.execution_status.value != "running")
    equal(run(other, "Go on."), "finished")
    same_as_rest(place, other)
    calls = [event.tool_call_id for event in log_of(other) if type(event).__name__ == "ActionEvent"]
    answered = [getattr(event, "tool_call_id", None) for event in log_of(other)]
    assert all(answered.count(call) == 2 for call in calls), "a call has no result"
