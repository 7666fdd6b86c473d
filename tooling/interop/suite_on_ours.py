"""A plugin of pytest: tests of OpenHands' Python client, from a checkout of OpenHands, meet our agent server.

    python -m pytest -p suite_checkout -p suite_on_ours FILE...

Those tests start OpenHands' server in their own process and replace `LLM.completion` there. Here the functions that start a server in their modules start
ours, as a process with the keys that the test asks for, and every `LLM` of a test gets the address of a bridge in the process of the test.
The bridge asks the replaced `LLM.completion` for each answer. A test that reaches into the server's process cannot run, and is skipped by name.
`CONV_SUITE_SERVER` has the command that starts our server, as JSON.
"""

import json
import os
import socket
import subprocess
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from openhands.sdk import LLM
from openhands.sdk.workspace import RemoteWorkspace

# how our server begins its question for the title of a conversation
TITLE = "Find a title for a conversation that begins with the message below"

INSIDE = "it reaches into the process of OpenHands' server"


class Inside:
    """Stands for what only the process of OpenHands' server has."""

    def __getattr__(self, name: str):
        pytest.skip(INSIDE)


class Bridge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if TITLE in json.dumps(asked):
            # the answers of a test are for its agent, and the title is the beginning of the message then
            return self.send("application/json", '{"error": {"message": "no titles here"}}', 400)
        try:
            answer, status = self.answer(asked), 200
        except Exception as error:  # noqa: BLE001 - the server is told what the test's model raised
            answer, status = {"error": {"message": str(error), "type": type(error).__name__}}, 400
        if status == 200 and asked.get("stream"):
            return self.send("text/event-stream", streamed(answer), status)
        self.send("application/json", json.dumps(answer), status)

    def answer(self, asked):
        llm = LLM(model=asked["model"], api_key="bridge", usage_id="bridge")
        response = llm.completion([], [])
        answer = response.raw_response.model_dump(mode="json")
        counted = llm.metrics.token_usages[-1:]
        tokens = [(each.prompt_tokens, each.completion_tokens) for each in counted] or [(1, 1)]
        prompt, completion = tokens[0]
        answer["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        return answer

    def send(self, kind, text, status):
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def streamed(answer):
    choice = answer["choices"][0]
    message = {name: value for name, value in choice["message"].items() if value is not None}
    for index, call in enumerate(message.get("tool_calls", [])):
        call["index"] = index
    kept = {name: answer.get(name) for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks = [
        {**kept, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**kept, "choices": [end]},
        {**kept, "choices": [], "usage": answer["usage"]},
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


bridge = ThreadingHTTPServer(("127.0.0.1", 0), Bridge)
threading.Thread(target=bridge.serve_forever, daemon=True).start()
begin = LLM.__init__


def with_bridge(self, **members):
    if members.get("usage_id") != "bridge":
        members.setdefault("base_url", f"http://127.0.0.1:{bridge.server_port}")
    begin(self, **members)


LLM.__init__ = with_bridge

# Our server has a key in any case: the clients of a test that names none have this one.
KEY = "suite-session-key"
send, reach = httpx.Client.send, RemoteWorkspace.__init__


def with_key(self, request, **options):
    request.headers.setdefault("x-session-api-key", KEY)
    return send(self, request, **options)


def reach_with_key(self, **members):
    if members.get("api_key") is None:
        members["api_key"] = KEY
    reach(self, **members)


httpx.Client.send = with_key
RemoteWorkspace.__init__ = reach_with_key


@contextmanager
def live_server_env(tmp_path, monkeypatch, import_modules=None, session_api_keys=None):
    """Starts our server where a test expects OpenHands' server."""
    if import_modules is not None:
        pytest.skip("it loads a Python module into the server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    workspace = tmp_path / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OH_", "SESSION_", "CONV_"))}
    keys = session_api_keys or [KEY]
    env |= {f"OH_SESSION_API_KEYS_{index}": key for index, key in enumerate(keys)}
    env |= {
        "HOME": str(tmp_path),
        # as OpenHands' server runs them: the hooks of a test lie outside of the folder of its conversation
        "CONV_SANDBOX": "off",
        "OH_SECRET_KEY": "suite-secret-key",
        "OH_CONVERSATIONS_PATH": str(tmp_path / "conversations"),
        # tests that store a profile of a model put it here
        "OH_PERSISTENCE_DIR": str(tmp_path),
        "OH_WORKSPACE_PATH": str(workspace),
    }
    command = [*json.loads(os.environ["CONV_SUITE_SERVER"]), "--port", str(port)]
    with open(tmp_path / "server.log", "wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=log, stderr=log)
    host = f"http://127.0.0.1:{port}"
    try:
        wait_for(host, server, tmp_path)
        yield {"host": host, "workspace_path": workspace, "app": Inside(), "conversation_service": Inside()}
    finally:
        server.terminate()
        server.wait(timeout=20)


def wait_for(host, server, tmp_path):
    for _ in range(1200):
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{host}/ready", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"our server did not start: {(tmp_path / 'server.log').read_text()[-2000:]}")


@pytest.fixture
def server_env_for_repro(tmp_path, monkeypatch):
    with live_server_env(tmp_path, monkeypatch) as env:
        yield env


# the functions that start a server in the modules of the tests, by their names there
STARTS = {"live_server_env": live_server_env, "server_env_for_repro": server_env_for_repro}


# tests that look into what the server of their own process has registered, past its routes
LOOK_INSIDE = {"test_subagent_definitions_forwarded_to_server"}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.name in LOOK_INSIDE:
            item.add_marker(pytest.mark.skip(reason=INSIDE))


def pytest_collectstart(collector):
    # before the module's own fixtures are read
    if isinstance(collector, pytest.Module):
        for name, start in STARTS.items():
            if hasattr(collector.obj, name):
                setattr(collector.obj, name, start)
