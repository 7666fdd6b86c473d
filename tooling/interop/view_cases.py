"""The logs of `views.py`: plain wire dictionaries, one list entry per rule."""

from typing import Any

Json = dict[str, Any]
_counter = 0


def _base(kind: str, source: str, **fields: Any) -> Json:
    """Ids are counted, so that a case reads the same in every run; `case` adds the times."""
    global _counter
    _counter += 1
    return {"kind": kind, "id": f"{_counter:08x}-0000-4000-8000-000000000000", "source": source, **fields}


def text(value: str) -> Json:
    return {"type": "text", "text": value}


def image(*urls: str) -> Json:
    return {"type": "image", "image_urls": list(urls)}


def system(dynamic: str | None = None) -> Json:
    extra = {} if dynamic is None else {"dynamic_context": text(dynamic)}
    return _base("SystemPromptEvent", "agent", system_prompt=text("You are an agent."), tools=[], **extra)


def user(*parts: str | Json, source: str = "user", **fields: Any) -> Json:
    content = [text(part) if isinstance(part, str) else part for part in parts]
    return _base("MessageEvent", source, llm_message={"role": "user", "content": content}, **fields)


def assistant(*parts: str, **message: Any) -> Json:
    content = [text(part) for part in parts]
    return _base("MessageEvent", "agent", llm_message={"role": "assistant", "content": content, **message})


def action(call: str, response: str, thought: str | None = None, thoughts: list[str] | None = None, **fields: Any) -> Json:
    item_id = fields.pop("responses_item_id", None)
    tool_call = {"id": call, "name": "think", "arguments": '{"thought": "t"}', "origin": "completion"}
    if item_id is not None:
        tool_call |= {"responses_item_id": item_id, "origin": "responses"}
    parts = thoughts if thoughts is not None else [] if thought is None else [thought]
    defaults = {"action": {"kind": "ThinkAction", "thought": "t"}}
    return _base(
        "ActionEvent", "agent", thought=[text(part) for part in parts], tool_name="think", tool_call_id=call,
        tool_call=tool_call, llm_response_id=response, **{**defaults, **fields},
    )


def invalid(call: str, response: str, **fields: Any) -> Json:
    event = action(call, response, **fields)
    del event["action"]
    return event


def result(of: Json, *parts: str | Json, observation: Json | None = None, **fields: Any) -> Json:
    content = [text(part) if isinstance(part, str) else part for part in parts or ("done",)]
    shown = observation or {"kind": "ThinkObservation", "content": content}
    return _base(
        "ObservationEvent", "environment", tool_name=of["tool_name"], tool_call_id=of["tool_call_id"],
        action_id=of["id"], observation=shown, **fields,
    )


def error(call: str, message: str = "it broke") -> Json:
    return _base("AgentErrorEvent", "agent", tool_name="think", tool_call_id=call, error=message)


def reject(of: Json, reason: str, source: str = "user") -> Json:
    return _base(
        "UserRejectObservation", "environment", tool_name=of["tool_name"], tool_call_id=of["tool_call_id"],
        action_id=of["id"], rejection_reason=reason, rejection_source=source,
    )


def condense(*forgotten: Json, summary: str | None = None, offset: int | None = None) -> Json:
    extra: Json = {} if summary is None else {"summary": summary}
    if offset is not None:
        extra["summary_offset"] = offset
    ids = [event["id"] for event in forgotten]
    return _base("Condensation", "environment", forgotten_event_ids=ids, llm_response_id="resp-condense", **extra)


def status(value: str) -> Json:
    return _base("ConversationStateUpdateEvent", "environment", key="execution_status", value=value)


def failure() -> Json:
    return _base("ConversationErrorEvent", "environment", code="LLMTimeoutError", detail="timeout")


def plain(kind: str, source: str = "environment") -> Json:
    return _base(kind, source)


CASES: list[Json] = []


def case(name: str, rule: str, events: list[Json], **options: Any) -> None:
    for position, event in enumerate(events):
        event["timestamp"] = f"2026-03-01T10:00:{position:02d}.000001"
    CASES.append({"name": name, "rule": rule, "events": events, **options})


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def _all() -> None:
    case("system-dynamic", "a dynamic context is a second part of the system message", [system("Today."), user("Hi")])
    case("user-merge", "consecutive plain user messages become one, whatever their source", [
        system(), user("a"), plain("PauseEvent", "user"), user("b", source="environment"), assistant("c"), user("d"),
    ])
    case("user-extended", "extended content follows the message's own parts", [
        system(), user("a", extended_content=[text("skill")]), assistant("b"),
    ])
    case("user-named", "a named user message is not merged", [
        system(), user("a"),
        _base("MessageEvent", "user", llm_message={"role": "user", "content": [text("b")], "name": "tool"}), user("c"),
    ])
    case("assistant-empty", "an assistant message without text has the content ''", [
        system(), user("a"), assistant(), user("b"), assistant(""), user("c"), assistant("x", "y"),
    ])
    first, second = action("call_1", "r1", "both"), action("call_2", "r1")
    case("parallel", "calls of one response are one assistant message", [
        system(), user("a"), first, second, result(first, "one"), result(second, "two"), assistant("end"),
    ])
    first, second = action("call_1", "r1"), action("call_2", "r1")
    case("parallel-out-of-order", "results keep the order of the log", [
        system(), user("a"), first, second, result(second, "two"), result(first, "one"),
    ])
    first, bad, third = action("call_1", "r1", "three"), invalid("call_2", "r1"), action("call_3", "r1")
    case("parallel-invalid", "an invalid call's error splits its response into two assistant messages", [
        system(), user("a"), first, bad, error("call_2", "bad arguments"), third, result(first), result(third),
    ])
    first, second = action("call_1", "r1", "one"), action("call_2", "r1", "two")
    case("parallel-second-thought", "a thought on a later call of a response cannot be formatted", [
        system(), user("a"), first, second, result(first), result(second),
    ])
    first, second = action("call_1", "r1"), action("call_2", "r2")
    case("adjacent-responses", "adjacent calls of different responses stay apart", [
        system(), user("a"), first, second, result(first), result(second),
    ])
    first = action("call_1", "r1", thoughts=["", "  ", "words", "\n"])
    case("thought-blank", "blank parts are left out beside calls", [system(), user("a"), first, result(first)])
    first, second = action("call_1", "r1"), action("call_2", "r1")
    case("pending-all", "open calls are left out of a rebuilt view only", [system(), user("a"), first, second])
    first, second = action("call_1", "r1", "x"), action("call_2", "r1")
    case("pending-some", "when one call of a response is open", [system(), user("a"), first, second, result(first)])
    first = action("call_1", "r1", "x")
    case("pending-then-user", "a message after an open call", [system(), user("a"), first, user("b")])
    bad = invalid("call_1", "r1")
    case("invalid-unanswered", "an invalid call without its error is not pending", [system(), user("a"), bad])
    first, second = action("call_1", "r1"), action("call_2", "r1")
    case("rejected", "rejections by a user and by a hook read the same", [
        system(), user("a"), first, second, reject(first, "not now"), reject(second, "denied", "hook"),
    ])
    first = action("call_1", "r1")
    case("duplicate-result", "the first result of a call counts in a rebuilt view", [
        system(), user("a"), first, error("call_1", "a restart happened"), result(first, "late"), assistant("end"),
    ])
    case("orphan-result", "a result without its call is dropped from a rebuilt view", [
        system(), user("a"), error("call_9"), assistant("end"),
    ])
    early = action("call_1", "r1")
    case("result-before-call", "pairs are matched by id, not by order", [
        system(), user("a"), error("call_1"), early, assistant("end"),
    ])
    first, again = action("call_1", "r1"), action("call_1", "r2")
    case("call-id-reused", "two responses with the same call id share the first result", [
        system(), user("a"), first, result(first, "one"), again, result(again, "two"), assistant("end"),
    ])
    _condensation()
    _loops()
    _trees()
    _observations()
    _responses()


def _condensation() -> None:
    a, b, c = user("a"), assistant("b"), user("c")
    case("condense-summary", "the summary stands at its offset", [
        system(), a, b, c, assistant("d"), condense(a, b, summary="sum", offset=1), user("e"),
    ])
    a, b = user("a"), assistant("b")
    case("condense-offset-beyond", "an offset beyond the end means the end", [
        system(), a, b, condense(b, summary="sum", offset=99), assistant("c"),
    ])
    a, b = user("a"), assistant("b")
    case("condense-without-offset", "a summary without an offset is not shown", [
        system(), a, b, condense(b, summary="sum"), user("c"),
    ])
    a, b = user("a"), assistant("b")
    case("condense-empty-summary", "an empty summary is a summary", [
        system(), a, b, condense(b, summary="", offset=1), user("c"),
    ])
    a, b = user("a"), assistant("b")
    one = condense(a, b, summary="first", offset=1)
    c, d = user("c"), assistant("d")
    summary = {"id": f"{one['id']}-summary"}
    case("condense-twice", "a later condensation forgets an earlier summary by its id", [
        system(), a, b, one, c, d, condense(summary, c, d, summary="second", offset=1), user("e"),
    ])
    a = user("a")
    case("condense-requested", "a request is open until a condensation", [system(), a, plain("CondensationRequest")])
    a = user("a")
    case("condense-request-answered", "a condensation answers the request", [
        system(), a, plain("CondensationRequest"), condense(a), user("b"),
    ])
    first, second = action("call_1", "r1", "x"), action("call_2", "r1")
    one, two = result(first), result(second)
    case("condense-half-batch", "half a batch forgotten means the whole batch", [
        system(), user("a"), first, second, one, two, assistant("b"), condense(second, two),
    ])
    first = action("call_1", "r1")
    one = result(first)
    case("condense-result-only", "a call whose result is forgotten goes too", [
        system(), user("a"), first, one, assistant("b"), condense(one),
    ])
    first = action("call_1", "r1")
    one = result(first)
    case("condense-call-only", "a result whose call is forgotten goes too", [
        system(), user("a"), first, one, assistant("b"), condense(first),
    ])


def _loops() -> None:
    first, second = action("call_1", "r1", thinking_blocks=[thinking("t1")]), action("call_2", "r2")
    one, two = result(first), result(second)
    case("loop-cut", "a loop that lost its last pair goes as a whole", [
        system(), user("a"), first, one, second, two, assistant("b"), condense(second, two),
    ])
    first, second = action("call_1", "r1", thinking_blocks=[thinking("t1")]), action("call_2", "r2")
    one, two = result(first), result(second)
    case("loop-state-between", "a state update off the branch does not end a loop", [
        system(), user("a"), first, one, status("running"), second, two, assistant("b"), condense(second, two),
    ])
    first, second = action("call_1", "r1", thinking_blocks=[thinking("t1")]), action("call_2", "r2")
    one, two = result(first), result(second)
    case("loop-state-between-legacy", "in a log without parents it is on the branch and ends the loop", [
        system(), user("a"), first, one, status("running"), second, two, assistant("b"), condense(second, two),
    ], legacy=True)
    first, second = action("call_1", "r1", thinking_blocks=[thinking("t1")]), action("call_2", "r2")
    one, two = result(first), result(second)
    case("loop-pause-between", "a pause ends a loop", [
        system(), user("a"), first, one, plain("PauseEvent", "user"), second, two, condense(second, two), user("b"),
    ])
    first = action("call_1", "r1", thinking_blocks=[thinking("t1")])
    second = action("call_2", "r2", thinking_blocks=[{"type": "redacted_thinking", "data": "ZGF0YQ=="}])
    one, two = result(first), result(second)
    case("loop-two", "the next call with thinking starts a loop of its own", [
        system(), user("a"), first, one, second, two, assistant("b"), condense(second, two), user("c"),
    ])
    first, second = action("call_1", "r1", thinking_blocks=[thinking("t1")]), action("call_2", "r2")
    case("loop-pending", "an open call at the end of a loop takes the loop out of a rebuilt view", [
        system(), user("a"), first, result(first), second,
    ])
    message = assistant("b", thinking_blocks=[thinking("m"), {"type": "thinking", "thinking": "n"}])
    case("thinking-message", "thinking blocks travel whole, the signature even when null", [system(), user("a"), message])


def _trees() -> None:
    root, a, b, c = system(), user("a"), assistant("b"), user("c")
    case("tree-branch", "events of a branch that was left are not seen", [root, a, b, c, assistant("d")],
         head_before_next={b["id"]: a["id"]})
    root, a, b = system(), user("a"), assistant("b")
    case("tree-navigated", "HEAD alone decides the branch", [root, a, b, user("c")], head=b["id"])
    root, a = system(), user("a")
    case("tree-empty-head", "an empty HEAD means an empty view", [root, a], head=None)
    root, a, b = system(), user("a"), system()
    case("tree-new-root", "after an empty HEAD the next event is a root", [root, a, b, user("c")],
         head_before_next={a["id"]: None})
    case("tree-legacy", "a log without parents is a chain", [system(), user("a"), assistant("b")], legacy=True)
    case("tree-legacy-tail", "state updates and errors at the end of such a log are not HEAD", [
        system(), user("a"), assistant("b"), status("finished"), failure(), status("error"),
    ], legacy=True)
    case("tree-error", "an error is on the branch and not in the view", [system(), user("a"), failure(), user("b")])


def _observations() -> None:
    def shown(observation: Json) -> list[Json]:
        call = action("call_1", "r1")
        return [system(), user("a"), call, result(call, observation=observation)]

    metadata = {"exit_code": 3, "working_dir": "/w", "py_interpreter_path": "/py", "prefix": "<", "suffix": ">"}
    terminal = {"kind": "TerminalObservation", "command": "ls", "content": [text("out"), text("more")]}
    case("terminal-full", "prefix, suffix, folder, interpreter and exit code", shown({**terminal, "metadata": metadata}))
    case("terminal-bare", "unknown things are not mentioned", shown({**terminal, "content": []}))
    case("terminal-error", "an error has its header as a part of its own",
         shown({**terminal, "is_error": True, "exit_code": 1, "metadata": {"exit_code": 1}}))
    long = "".join(f"line {number}\n" for number in range(4000))
    case("terminal-long", "30 000 characters, the middle cut", shown({**terminal, "content": [text(long)]}),
         variants=["plain"])
    mcp = {"kind": "MCPToolObservation", "tool_name": "m"}
    case("tool-long", "over 50 000 code points the middle of a part is cut",
         shown({**mcp, "content": [text("😀" + "x" * 49_999 + "😀")]}), variants=["plain"])
    case("tool-just-fits", "code points are counted, not UTF-16 units",
         shown({**mcp, "content": [text("😀😀😀" + "x" * 49_997)]}), variants=["plain"])
    case("file-editor-error", "the header is a part of its own",
         shown({"kind": "FileEditorObservation", "command": "view", "is_error": True, "content": [text("no file")]}))
    case("mcp", "content as the tool gave it",
         shown({"kind": "MCPToolObservation", "tool_name": "m", "content": [text("one"), image("data:image/png;base64,AA")]}))
    case("mcp-error", "and with the error header",
         shown({"kind": "MCPToolObservation", "tool_name": "m", "is_error": True, "content": [text("one")]}))
    case("browser", "a screenshot is an image",
         shown({"kind": "BrowserObservation", "content": [text("page")], "screenshot_data": "iVBORw0KGgo="}))
    case("task", "a sub-agent's result names it", shown({
        "kind": "TaskObservation", "task_id": "t1", "subagent": "s", "status": "completed", "content": [text("ok")],
    }))
    case("task-error", "the header follows the name", shown({
        "kind": "TaskObservation", "task_id": "t1", "subagent": "s", "status": "error", "is_error": True,
        "content": [text("ok")],
    }))
    case("observation-empty", "no content at all", shown({"kind": "FinishObservation", "content": []}))
    call = action("call_1", "r1")
    case("observation-extended", "extended content follows the result", [
        system(), user("a"), call, result(call, "one", extended_content=[text("rule")]),
    ])
    call = action("call_1", "r1")
    case("observation-image-only", "nothing is left of it without vision", [
        system(), user("a"), call, result(call, image("data:image/png;base64,AA", "https://example.test/b.png")),
    ])
    case("user-image", "several images in one part", [
        system(), user(image("data:image/png;base64,AA", "https://example.test/b.png"), "what is this"), assistant("b"),
        user(image("https://example.test/c.png")),
    ])


def _responses() -> None:
    reasoning = {"id": "rs_1", "summary": ["s1", "s2"], "content": ["c1"], "encrypted_content": "enc", "status": "completed"}
    first = action("call_1", "r1", "words", responses_item_id="fc_item", responses_reasoning_item=reasoning)
    second, third = action("fc_2", "r1"), action("call_3", "r1")
    case("responses-items", "reasoning, text, then calls; the item id as received", [
        system("dyn"), user("a"), first, second, third, result(first, "one", "two"), result(second), result(third),
    ])
    first = action("call_1", "r1", responses_reasoning_item={"summary": ["s"], "encrypted_content": "enc"})
    case("responses-reasoning-without-id", "a reasoning item without an id is left out", [
        system(), user("a"), first, result(first),
    ])
    first = action("call_1", "r1", responses_reasoning_item={"id": "rs_1", "summary": []})
    case("responses-reasoning-bare", "absent parts are absent", [system(), user("a"), first, result(first)])
    first = action("call_1", "r1", "words", reasoning_content="because")
    case("reasoning-content", "reasoning is replayed only to models that want it", [
        system(), user("a"), first, result(first), assistant("b", reasoning_content="so"), user("c"),
    ])
    case("system-twice", "system messages join", [system(" dyn "), user("a"), system()])


_all()
