"""What releases of OpenHands offer to others, as JSON, so that two releases can be compared.

    describe_release.py FOLDER...

Each folder holds the packages of one release, unpacked; `<folder>.json` is written. Described are routes with the members and headers of their
requests, the members of their answers, schemas, kinds of events, actions and observations with their fields, files of a conversation folder, and settings. All of it
comes from the release's own classes. What releases depend on is imported once, from the environment of this Python: each release is
described in a process that is forked after that. A release that does not run with them gets no file, and its failure is printed.
"""

import json
import os
import re
import sys
import tempfile
import traceback
from importlib import import_module, util
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.update(HOME=tempfile.mkdtemp(), OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True")
os.environ.update(OH_ENABLE_VSCODE="0", OH_PRELOAD_TOOLS="0", LOG_LEVEL="ERROR")

TOOL_MODULES = (
    *("apply_patch", "ask_oracle", "browser_use", "child_conversation", "delegate", "file_editor", "gemini", "glob"),
    *("grep", "planning_file_editor", "task", "task_tracker", "terminal", "workflow"),
)
PLACES = ("query", "header", "cookie")
FOLDER_MODULES = (
    "openhands.sdk.conversation.persistence_const",
    "openhands.sdk.conversation.event_store",
    "openhands.agent_server.conversation_lease",
)


def main(folders: list[str]) -> None:
    import_release()
    for name in [name for name in sys.modules if name == "openhands" or name.startswith("openhands.")]:
        del sys.modules[name]
    for folder in folders:
        child = os.fork()
        if child == 0:
            describe_and_exit(folder)
        os.waitpid(child, 0)


def describe_and_exit(folder: str) -> None:
    try:
        sys.path.insert(0, folder)
        described = describe()
        with open(f"{folder}.json", "w", encoding="utf-8") as file:
            json.dump(described, file, ensure_ascii=False, indent=1, sort_keys=True)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def import_release() -> None:
    import_module("openhands.agent_server.api")
    for module in TOOL_MODULES:
        if util.find_spec(f"openhands.tools.{module}"):
            import_module(f"openhands.tools.{module}")


def describe() -> dict[str, Any]:
    import_release()
    from openhands import agent_server
    from openhands.agent_server.api import api
    from openhands.agent_server.config import Config
    from openhands.agent_server.models import StoredConversation
    from openhands.agent_server.persistence.models import PersistedSettings
    from openhands.sdk.conversation.state import ConversationState
    from openhands.sdk.event import Event
    from openhands.sdk.tool import Action, Observation

    document = api.openapi()
    return {
        "version": version("openhands-agent-server"),
        "routes": dict(sorted(routes(document).items())),
        "sockets": sockets(Path(agent_server.__file__).parent),
        "schemas": {name: members(document, schema) for name, schema in document["components"]["schemas"].items()},
        "events": kinds(Event),
        "actions": kinds(Action),
        "observations": kinds(Observation),
        "folder": {
            "names": sorted({name for module in FOLDER_MODULES for name in names(module)}),
            "base_state.json": sorted(ConversationState.model_fields),
            "meta.json": sorted(StoredConversation.model_fields),
        },
        "settings": {
            "OH_*": sorted(Config.model_fields),
            "settings.json": sorted(PersistedSettings.model_fields),
        },
    }


def routes(document: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method not in ("get", "post", "put", "patch", "delete"):
                continue
            body = operation.get("requestBody", {}).get("content", {})
            answer = next((r for s, r in sorted(operation["responses"].items()) if s.startswith("2")), {})
            parameters = [*operation.get("parameters", []), *credentials(document, operation)]
            found[f"{method.upper()} {path}"] = {
                **{place: sorted(p["name"] for p in parameters if p["in"] == place) for place in PLACES},
                "body": content_members(document, body),
                "answer": content_members(document, answer.get("content", {})),
            }
    return found


def credentials(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, str]]:
    """Where a request to a route may carry a key, as parameters."""
    schemes = document["components"].get("securitySchemes", {})
    named = {name for each in operation.get("security", []) for name in each}
    bearer = {"in": "header", "name": "Authorization"}
    return [bearer if schemes[name]["type"] == "http" else schemes[name] for name in sorted(named)]


def content_members(document: dict[str, Any], content: dict[str, Any]) -> list[str]:
    return sorted({name for each in content.values() for name in members(document, each.get("schema", {}))})


def members(document: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> list[str]:
    """The names of the members of an object, or of all objects that a union allows."""
    if depth > 4:
        return []
    if "$ref" in schema:
        return members(document, document["components"]["schemas"][schema["$ref"].split("/")[-1]], depth + 1)
    found = set(schema.get("properties", {}))
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        found.update(members(document, part, depth + 1))
    return sorted(found)


def sockets(folder: Path) -> list[str]:
    """The paths of sockets, which no OpenAPI document has, from the sources of the server."""
    found = set()
    for file in folder.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        prefix = re.search(r'APIRouter\(prefix="([^"]+)"', text)
        for path in re.findall(r'\.websocket\(\s*"([^"]+)"', text):
            found.add((prefix.group(1) if prefix else "") + path)
    return sorted(found)


def kinds(base: type) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    waiting = [base]
    while waiting:
        each = waiting.pop()
        waiting.extend(each.__subclasses__())
        if each.__module__.startswith("openhands.") and not getattr(each, "__abstractmethods__", None):
            found[each.__name__] = sorted(each.model_fields)
    return dict(sorted(found.items()))


def names(module: str) -> list[str]:
    """The texts and patterns that a module names in capitals: file names of a folder."""
    if not util.find_spec(module):
        return []
    values = vars(import_module(module))
    texts = [value.pattern if isinstance(value, re.Pattern) else value for key, value in values.items() if key.isupper()]
    return [text for text in texts if isinstance(text, str) and re.search(r"[./]|events", text)]


if __name__ == "__main__":
    main(sys.argv[1:])
