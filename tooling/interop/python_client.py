"""Cases with OpenHands' Python client (of the installed openhands-sdk) on any agent server.

    python_client.py SERVER_URL MODEL_URL WORK_FOLDER      key in OH_SESSION_API_KEYS_0

Prints `{"ready": true}` when it can work. Answers one request per line of standard input, `{"case": "send-and-run"}`, with
one line, `{"ok": true}` or `{"ok": false, "detail": "…"}`. While a case runs it may ask `{"need": "restart"}` and goes on
with the next line of standard input. Everything else that is printed goes to standard error.
"""

import gc
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

# The answers own standard output, so the client must not see it, not even while it is being imported.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

# as in `reference.py`
gc.set_threshold(100_000, 50, 100)

import python_feature_cases  # noqa: E402, F401
import python_run_cases  # noqa: E402, F401
from python_place import CASES, Place  # noqa: E402


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
