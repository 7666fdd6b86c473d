"""What the Python reference, of the installed release, makes of one conversation folder, as JSON.

    reference.py describe DIR... [--secret-key KEY]
    reference.py continue DIR --message TEXT [--answer TEXT] [--secret-key KEY]
    reference.py serve

`describe` reads a copy and leaves DIR as it is; given several folders it prints an array. `continue` opens DIR in place,
sends one user message and runs until the agent stops; the model is a scripted one that always gives the same text, no
network is used. DIR must be named with the 32 hexadecimal digits of the conversation's id.

`serve` answers one request per line of standard input, `{"command": "describe", "folder": …, "secret_key": …}`,
`{"command": "continue", "folder": …, "message": …, "answer": …, "secret_key": …}`,
`{"command": "views", "folder": …}` (`views.py`) or, for a folder that stays open,
`{"command": "held", "do": "open" | "say" | "close", "folder": …}`, with one line, `{"result": …}` or
`{"error": "…"}`: starting the reference takes seconds, a request takes milliseconds.

Every answer comes from the reference's own classes: nothing here knows a rule of the view, of the message format or of
the event tree. Standard output carries JSON alone; everything the reference prints goes to standard error.
README.md beside this file documents the shape.
"""

import argparse
import atexit
import contextlib
import gc
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

# The document owns standard output, so the reference must not see it, not even while it is being imported.
DOCUMENT = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

# What is imported stays: looking through it for garbage as often as usual takes a sixth of the start.
gc.set_threshold(100_000, 50, 100)

# The reference reads profiles, skills and memories below the home folder: an empty one keeps answers the same everywhere.
HOME = tempfile.mkdtemp(prefix="conv-interop-home-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ.update(
    HOME=HOME,
    OPENHANDS_SUPPRESS_BANNER="1",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    LOG_LEVEL=os.environ.get("LOG_LEVEL", "ERROR"),
)
for name in ("OH_SECRET_KEY", "OH_PERSISTENCE_DIR", "LMNR_PROJECT_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"):
    os.environ.pop(name, None)

from litellm.types.llms.openai import ResponsesAPIResponse  # noqa: E402
from litellm.types.utils import ModelResponse  # noqa: E402
from openhands.agent_server.models import StoredConversation  # noqa: E402
from openhands.sdk.agent.utils import prepare_llm_messages  # noqa: E402
from openhands.sdk.conversation.impl.local_conversation import LocalConversation  # noqa: E402
from openhands.sdk.conversation.state import ConversationState  # noqa: E402
from openhands.sdk.io import LocalFileStore  # noqa: E402
from openhands.sdk.llm import LLM  # noqa: E402
from openhands.sdk.llm import llm as llm_module  # noqa: E402
from openhands.sdk.utils.cipher import Cipher  # noqa: E402
from openhands.sdk.workspace import LocalWorkspace  # noqa: E402

from held_folders import HeldFolders  # noqa: E402

HELD = HeldFolders()

# A kind can be read, and a tool resumed, once the module that defines it has been imported.
TOOL_MODULES = (
    *("apply_patch", "browser_use", "delegate", "file_editor", "gemini", "glob", "grep", "planning_file_editor"),
    *("task", "task_tracker", "terminal", "workflow"),
)
for module in TOOL_MODULES:
    import_module(f"openhands.tools.{module}")

# One model for every folder, so that the form of the messages does not depend on the model the folder names.
FORMATTER = LLM(
    model="openai/gpt-4o",
    caching_prompt=False,
    disable_vision=True,
    native_tool_calling=True,
    force_string_serializer=False,
    inline_image_urls=False,
    usage_id="interop-formatter",
)


class ConversationError(Exception):
    """The folder is not one this program can work with."""


def main() -> None:
    options = parse_arguments()
    if options.command == "serve":
        serve()
    elif options.command == "describe":
        cipher = cipher_of(options.secret_key)
        described = [describe_copy(Path(folder), cipher) for folder in options.folder]
        print_document(described[0] if len(described) == 1 else described)
    else:
        cipher = cipher_of(options.secret_key)
        print_document(continue_folder(Path(options.folder), options.message, options.answer, cipher))


def print_document(document: Any) -> None:
    json.dump(document, DOCUMENT, ensure_ascii=False, indent=2)
    DOCUMENT.write("\n")
    DOCUMENT.flush()


def serve() -> None:
    for line in sys.stdin:
        try:
            reply = {"result": handle(json.loads(line))}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        DOCUMENT.write(json.dumps(reply, ensure_ascii=False) + "\n")
        DOCUMENT.flush()


def handle(request: dict[str, Any]) -> Any:
    cipher = cipher_of(request.get("secret_key"))
    match request["command"]:
        case "describe":
            return describe_copy(Path(request["folder"]), cipher)
        case "continue":
            return continue_folder(Path(request["folder"]), request["message"], request["answer"], cipher)
        case "held":
            return HELD.handle(request, cipher)
        case "views":
            return project_views(Path(request["folder"]))
        case unknown:
            raise ValueError(f"no command {unknown!r}")


def project_views(folder: Path) -> int:
    # `views` imports this program by its name: a second copy of it would redirect standard output once more
    sys.modules.setdefault("reference", sys.modules[__name__])
    return import_module("views").write_views(folder)


def cipher_of(secret_key: str | None) -> Cipher | None:
    return Cipher(secret_key) if secret_key else None


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer requests from standard input, one JSON document per line")
    describe_parser = commands.add_parser("describe", help="read folders without changing them")
    describe_parser.add_argument("folder", nargs="+")
    continue_parser = commands.add_parser("continue", help="send one message and run, in place")
    continue_parser.add_argument("folder")
    continue_parser.add_argument("--message", required=True)
    continue_parser.add_argument("--answer", default="Understood.")
    for each in (describe_parser, continue_parser):
        each.add_argument("--secret-key", help="the server's OH_SECRET_KEY; without it secrets read as absent")
    return parser.parse_args()


def describe_copy(folder: Path, cipher: Cipher | None) -> dict[str, Any]:
    require_conversation(folder)
    with tempfile.TemporaryDirectory(prefix="conv-interop-") as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder, copy)
        return describe(copy, cipher)


def describe(folder: Path, cipher: Cipher | None) -> dict[str, Any]:
    """What a process that opens the folder now would know; may write to the folder."""
    stored = json.loads((folder / "base_state.json").read_text(encoding="utf-8"))
    state = ConversationState.create(
        id=UUID(stored["id"]),
        agent=None,
        workspace=LocalWorkspace.model_validate(stored["workspace"]),
        file_store=LocalFileStore(str(folder)),
        max_iterations=stored.get("max_iterations", 500),
        cipher=cipher,
    )
    branch = state.active_branch()
    view = state.view
    messages = prepare_llm_messages(view, condenser=None)
    instructions, items = FORMATTER.format_messages_for_responses(messages)
    return {
        "id": str(state.id),
        "head": state._resolve_active_leaf(),
        "event_count": len(state.events),
        "branch": [event.id for event in branch],
        "pending": [action.id for action in ConversationState.get_unmatched_actions(branch)],
        "view": [event.id for event in view.events],
        "condensation_requested": view.unhandled_condensation_request,
        "flags": formatter_flags(),
        "messages": FORMATTER.format_messages_for_llm(messages),
        "responses": {"instructions": instructions, "input": items},
        "stats": totals(state),
        "execution_status": state.execution_status.value,
        "confirmation_policy": state.confirmation_policy.model_dump(mode="json"),
        "security_analyzer": dump_or_none(state.security_analyzer),
        "max_iterations": state.max_iterations,
        "last_user_message_id": state.last_user_message_id,
        "tags": dict(state.tags),
        "title": title(folder, cipher),
        "secrets": secrets(state),
    }


def formatter_flags() -> dict[str, Any]:
    features = FORMATTER._model_features()
    return {
        "model": FORMATTER.model,
        "cache_enabled": FORMATTER.is_caching_prompt_active(),
        "vision_enabled": FORMATTER.vision_is_active(),
        "function_calling_enabled": FORMATTER.native_tool_calling,
        "force_string_serializer": FORMATTER.force_string_serializer,
        "send_reasoning_content": features.send_reasoning_content,
        "inline_image_urls": FORMATTER.inline_image_urls,
        "is_subscription": FORMATTER.is_subscription,
        "condenser": None,
    }


def totals(state: ConversationState) -> dict[str, Any]:
    combined = state.stats.get_combined_metrics()
    usage = combined.accumulated_token_usage
    counts = {} if usage is None else usage.model_dump(exclude={"model", "response_id"})
    return {"accumulated_cost": combined.accumulated_cost, "accumulated_token_usage": counts}


def title(folder: Path, cipher: Cipher | None) -> str | None:
    """The server's title; null for a folder of the plain SDK, which has none."""
    meta = folder / "meta.json"
    if not meta.exists():
        return None
    context = {"cipher": cipher} if cipher else None
    return StoredConversation.model_validate_json(meta.read_text(encoding="utf-8"), context=context).title


def secrets(state: ConversationState) -> dict[str, Any]:
    """Which secrets can be read, by digest: enough to compare, and no value leaves this process."""
    api_key = getattr(getattr(state.agent, "llm", None), "api_key", None)
    registry = state.secret_registry.secret_sources
    return {
        "llm_api_key": digest(api_key.get_secret_value() if hasattr(api_key, "get_secret_value") else api_key),
        "registry": {name: digest(static_value(registry[name])) for name in sorted(registry)},
    }


def static_value(source: Any) -> str | None:
    """A StaticSecret's value; asking any other source might reach over the network."""
    value = getattr(source, "value", None)
    return value.get_secret_value() if hasattr(value, "get_secret_value") else value


def digest(value: str | None) -> str | None:
    return None if value is None else "sha256:" + hashlib.sha256(value.encode()).hexdigest()


def dump_or_none(value: Any) -> Any:
    return None if value is None else value.model_dump(mode="json")


def continue_folder(folder: Path, message: str, answer: str, cipher: Cipher | None) -> dict[str, Any]:
    identifier = require_conversation(folder)
    stored = json.loads((folder / "base_state.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="conv-interop-workspace-") as workspace, scripted_model(answer) as requests:
        conversation = LocalConversation(
            agent=None,
            workspace=workspace,
            persistence_dir=str(folder.parent),
            conversation_id=UUID(identifier),
            max_iteration_per_run=stored.get("max_iterations", 500),
            visualizer=None,
            cipher=cipher,
        )
        try:
            conversation.send_message(message)
            conversation.run()
        finally:
            conversation.close()
        if len(requests) != 1:
            raise ConversationError(f"{folder}: the reference asked the model {len(requests)} times instead of once")
        return {**describe_copy(folder, cipher), "sent": requests[0]}


@contextlib.contextmanager
def scripted_model(answer: str) -> Iterator[list[dict[str, Any]]]:
    """Answers at the reference's own transport; yields the requests as they would have left the process."""
    requests: list[dict[str, Any]] = []

    def chat(**request: Any) -> ModelResponse:
        requests.append({"api": "chat", "messages": request["messages"]})
        return ModelResponse.model_validate(
            {
                "id": f"chatcmpl-interop-{len(requests)}",
                "created": 0,
                "model": request["model"],
                "choices": [
                    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
            }
        )

    def responses(**request: Any) -> ResponsesAPIResponse:
        requests.append(
            {"api": "responses", "instructions": request.get("instructions"), "input": request["input"]}
        )
        text = {"type": "output_text", "text": answer, "annotations": []}
        item = {"type": "message", "id": "msg_interop", "role": "assistant", "status": "completed", "content": [text]}
        return ResponsesAPIResponse.model_validate(
            {
                "id": f"resp-interop-{len(requests)}",
                "created_at": 0,
                "model": request["model"],
                "output": [item],
                "usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
            }
        )

    real = (llm_module.litellm_completion, llm_module.litellm_responses)
    llm_module.litellm_completion, llm_module.litellm_responses = chat, responses
    try:
        yield requests
    finally:
        llm_module.litellm_completion, llm_module.litellm_responses = real


def require_conversation(folder: Path) -> str:
    if not (folder / "base_state.json").is_file():
        raise ConversationError(f"{folder}: no base_state.json, so this is not a conversation folder")
    stored = json.loads((folder / "base_state.json").read_text(encoding="utf-8"))
    identifier = UUID(stored["id"])
    if folder.name != identifier.hex:
        raise ConversationError(f"{folder}: the folder must be named {identifier.hex}, after the conversation inside")
    return identifier.hex


if __name__ == "__main__":
    try:
        main()
    except ConversationError as error:
        sys.exit(str(error))
