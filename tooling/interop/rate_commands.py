"""Writes into the corpora of the security analyzer how OpenHands' own analyzer rates each command.

python rate_commands.py FILE...   with the packages of requirements.txt
"""

import json
import sys
from pathlib import Path

from openhands.sdk.event import ActionEvent
from openhands.sdk.llm import MessageToolCall, TextContent
from openhands.sdk.security.defense_in_depth.pattern import PatternSecurityAnalyzer

ANALYZER = PatternSecurityAnalyzer()


def rating(command: str) -> str:
    call = MessageToolCall(
        id="call_1", name="terminal", arguments=json.dumps({"command": command}), origin="completion"
    )
    action = ActionEvent(
        thought=[TextContent(text="")],
        tool_name="terminal",
        tool_call_id="call_1",
        tool_call=call,
        llm_response_id="response_1",
    )
    return ANALYZER.security_risk(action).value


def rated(line: str) -> str:
    if line.startswith("#"):
        return line
    label, _, reason, command = line.split("\t")
    return "\t".join([label, rating(command.replace("␤", "\n")), reason, command])


for name in sys.argv[1:]:
    path = Path(name)
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    path.write_text("\n".join(rated(line) for line in lines) + "\n", encoding="utf-8")
