import { agUiDoor } from './door/ag-ui-door.ts';
import { chatDoor, publishedChatDoor } from './door/chat-door.ts';
import type { Door } from './door/door.ts';
import { completionDoor } from './door/completion-door.ts';
import { editorDoor, loadingEditorDoor } from './door/editor-door.ts';
import { pollDoor } from './door/poll-door.ts';
import { responseDoor } from './door/response-door.ts';
import { sessionDoor } from './door/session-door.ts';
import { streamDoor, streamWithoutCursorDoor } from './door/stream-door.ts';
import { taskDoor } from './door/task-door.ts';
import { toolDoor } from './door/tool-door.ts';

/** All doors. A client that changes its door goes on to the next one of the list. */
export const DOORS: readonly Door[] = [
  sessionDoor,
  streamDoor,
  streamWithoutCursorDoor,
  pollDoor,
  chatDoor,
  publishedChatDoor,
  editorDoor,
  loadingEditorDoor,
  agUiDoor,
  responseDoor,
  completionDoor,
  taskDoor,
  toolDoor,
];
