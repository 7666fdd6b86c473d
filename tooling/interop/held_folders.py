"""Conversations that the Python reference keeps open while another program works in their folders."""

from pathlib import Path
from typing import Any
from uuid import UUID

from openhands.sdk.conversation.impl.local_conversation import LocalConversation
from openhands.sdk.utils.cipher import Cipher


class HeldFolders:
    """Opens folders as a process of the SDK does, and lets it add messages. Nothing runs."""

    def __init__(self) -> None:
        self._held: dict[str, LocalConversation] = {}

    def handle(self, request: dict[str, Any], cipher: Cipher | None) -> list[str]:
        """Does what a request asks for; answers with the ids of all events that the open conversation knows, in order."""
        folder = Path(request["folder"])
        match request["do"]:
            case "open":
                self._held[str(folder)] = LocalConversation(
                    agent=None,
                    workspace=request["workspace"],
                    persistence_dir=str(folder.parent),
                    conversation_id=UUID(folder.name),
                    visualizer=None,
                    cipher=cipher,
                )
            case "say":
                self._held[str(folder)].send_message(request["message"])
            case "close":
                conversation = self._held.pop(str(folder))
                ids = [event.id for event in conversation.state.events]
                conversation.close()
                return ids
            case unknown:
                raise ValueError(f"nothing to do for {unknown!r}")
        return [event.id for event in self._held[str(folder)].state.events]
