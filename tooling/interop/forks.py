"""Forks OpenHands' programs from one process that has imported what they share.

Each of these programs imports for ten seconds of processor, and most of that are packages of other authors. Those are imported
here, once. OpenHands' own modules are not: they read the environment and the home folder while they are imported, and each
program has its own.

Answers one request per line of standard input with `{"pid": …}`:

    {"module": NAME | "program": PATH, "args": […], "cwd": FOLDER, "env": {…}, "log": PATH, "socket": PATH | null}

Standard error of the program goes into the log. Standard input and output are the socket, or nothing and the log. When a program
has ended, prints `{"pid": …, "code": …}`; the code is negative after a signal. Kills all programs when standard input ends.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

# The answers own standard output, so imports must not see it.
ANSWERS = os.dup(1)
os.dup2(2, 1)

# as in `reference.py`
gc.set_threshold(100_000, 50, 100)

# What takes longest to import. A release that does without one of them has no use for it.
SHARED = (
    *("litellm", "litellm.responses.main", "litellm.cost_calculator", "acp.client.connection", "acp.transports"),
    *("fastmcp.client.auth.oauth", "fastmcp.client.oauth_callback", "fastmcp.mcp_config", "fastapi.staticfiles"),
    *("aiohttp", "cryptography.fernet", "jinja2.sandbox", "jsonschema", "libtmux", "rich.live", "rich.logging"),
    *("tree_sitter_bash", "uvicorn", "websockets"),
)
for name in SHARED:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
gc.freeze()


def main() -> None:
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([requests, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            report_ended(children)
        if requests not in ready:
            continue
        line = requests.readline()
        if not line:
            break
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for fd in (wake, woken, ANSWERS):
                os.close(fd)
            requests.close()
            become(json.loads(line))
            return
        children.add(pid)
        say({"pid": pid})
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def report_ended(children: set[int]) -> None:
    for pid in [*children]:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended == 0:
            continue
        children.remove(pid)
        say({"pid": pid, "code": os.waitstatus_to_exitcode(status)})


def say(answer: dict[str, Any]) -> None:
    os.write(ANSWERS, f"{json.dumps(answer)}\n".encode())


def become(request: dict[str, Any]) -> None:
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    log = os.open(request["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    if request["socket"] is None:
        source, target = os.open(os.devnull, os.O_RDONLY), log
    else:
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(request["socket"])
        source = target = peer.detach()
    os.dup2(source, 0)
    os.dup2(target, 1)
    os.dup2(log, 2)
    for fd in {source, target, log}:
        os.close(fd)
    if "module" in request:
        sys.path[0] = ""
        sys.argv = [request["module"], *request["args"]]
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(request["program"]).parent)
        sys.argv = [request["program"], *request["args"]]
        runpy.run_path(request["program"], run_name="__main__")


main()
