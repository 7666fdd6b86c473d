"""Writes `testing/fixtures/views/<case>.json`: small logs, and what the reference makes of each. `reference.py` runs it.

Every case is a log of events with a HEAD that exercises one rule of the view or of the message format. Logs are appended,
projected and formatted by the reference alone; this file only chooses them. `testing/fixtures/README.md` has the shape.
"""

import json
from pathlib import Path
from typing import Any

import reference
from reference import LLM, ConversationState, prepare_llm_messages

from openhands.sdk import Agent
from openhands.sdk.event import Event
from openhands.sdk.io import InMemoryFileStore
from openhands.sdk.workspace import LocalWorkspace

from view_cases import CASES

COMMON = {"native_tool_calling": True, "inline_image_urls": False, "usage_id": "views"}

# One model per switch of the format; the flags that result are written into every file.
FORMATTERS = {
    "plain": reference.FORMATTER,
    "string": LLM(
        model="openai/gpt-4o", caching_prompt=False, disable_vision=True, force_string_serializer=True, **COMMON
    ),
    "vision": LLM(
        model="openai/gpt-4o", caching_prompt=False, disable_vision=False, force_string_serializer=False, **COMMON
    ),
    "caching": LLM(
        model="anthropic/claude-sonnet-4-5", caching_prompt=True, disable_vision=True, force_string_serializer=False,
        **COMMON,
    ),
    "reasoning": LLM(
        model="moonshot/kimi-k2-thinking", caching_prompt=False, disable_vision=True, force_string_serializer=False,
        **COMMON,
    ),
}
SUBSCRIPTION = LLM(model="openai/gpt-5.2-codex", disable_vision=True, **COMMON)
SUBSCRIPTION.is_subscription = True


def write_views(folder: Path) -> int:
    """Writes a file for each case; returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.json"):
        stale.unlink()
    for case in CASES:
        document = project(case)
        text = json.dumps(document, ensure_ascii=False, indent=2)
        (folder / f"{case['name']}.json").write_text(text + "\n", encoding="utf-8")
    return len(CASES)


def project(case: dict[str, Any]) -> dict[str, Any]:
    state = new_state()
    for raw in case["events"]:
        event = Event.model_validate(raw)
        if case.get("legacy"):
            state.events.append(event)
        else:
            state.append_event(event)
        if "head_before_next" in case and event.id in case["head_before_next"]:
            move_head(state, case["head_before_next"][event.id])
        state.view  # what a running agent does: extend by the tail, without the repairs
    if "head" in case:
        move_head(state, case["head"])
    variants = case.get("variants", list(FORMATTERS))
    warm = describe(state, variants)
    state.rebuild_view()
    cold = describe(state, variants)
    branch = state.active_branch()
    return {
        "name": case["name"],
        "rule": case["rule"],
        "events": [wire(event) for event in state.events],
        "leaf_event_id": state.leaf_event_id,
        "head_is_empty": state.head_is_empty,
        "head": state._resolve_active_leaf(),
        "branch": [event.id for event in branch],
        "pending": [action.id for action in ConversationState.get_unmatched_actions(branch)],
        "flags": {name: flags(FORMATTERS[name]) for name in variants},
        "cold": cold,
        **({} if warm == cold else {"warm": warm}),
    }


def wire(event: Event) -> dict[str, Any]:
    written = json.loads(event.model_dump_json(exclude_none=True))
    if "forgotten_event_ids" in written:
        written["forgotten_event_ids"].sort()  # a set, whose order differs from run to run
    return written


def move_head(state: ConversationState, head: str | None) -> None:
    state.leaf_event_id = head
    state.head_is_empty = head is None


def describe(state: ConversationState, variants: list[str]) -> dict[str, Any]:
    view = state.view
    result: dict[str, Any] = {
        "view": [event.id for event in view.events],
        "condensation_requested": view.unhandled_condensation_request,
    }
    try:
        messages = prepare_llm_messages(view, condenser=None)
    except AssertionError as error:
        return {**result, "error": str(error)}
    result["chat"] = {name: chat(FORMATTERS[name], messages) for name in variants}
    result["responses"] = {name: responses(FORMATTERS[name], messages) for name in ("plain", "vision") if name in variants}
    if "reasoning" in variants:
        result["responses"]["subscription"] = responses(SUBSCRIPTION, messages)
    return result


def chat(llm: LLM, messages: list[Any]) -> Any:
    try:
        return llm.format_messages_for_llm(messages)
    except IndexError as error:
        return {"error": f"IndexError: {error}"}


def responses(llm: LLM, messages: list[Any]) -> dict[str, Any]:
    instructions, items = llm.format_messages_for_responses(messages)
    return {"instructions": instructions, "input": items}


def flags(llm: LLM) -> dict[str, Any]:
    return {
        "model": llm.model,
        "cache_enabled": llm.is_caching_prompt_active(),
        "vision_enabled": llm.vision_is_active(),
        "function_calling_enabled": llm.native_tool_calling,
        "force_string_serializer": llm.force_string_serializer,
        "send_reasoning_content": llm._model_features().send_reasoning_content,
    }


def new_state() -> ConversationState:
    return ConversationState.create(
        id=reference.UUID(int=1),
        agent=Agent(llm=reference.FORMATTER),
        workspace=LocalWorkspace(working_dir="/workspace"),
        file_store=InMemoryFileStore(),
    )
