import { isText, joinedText, type ContentPart } from '@conv/core/events';
import type { CallItem, CondensationItem, MessageItem } from '@conv/turns';

/** A chunk of the UI message stream: the fields of `UIMessageChunk` of the AI SDK. */
export interface UiChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A chunk, with the cursor of a client that has taken it. */
export interface NumberedChunk {
  readonly chunk: UiChunk;
  readonly cursor: number;
}

/** Returns the images in content as `useChat` shows them, in a stream and in a message. */
export function filesIn(content: readonly ContentPart[]): readonly UiChunk[] {
  return content.flatMap((part) => (isText(part) ? [] : part.image_urls.map(fileOf)));
}

/** Only a data URL tells the type of its file. */
function fileOf(url: string): UiChunk {
  return { type: 'file', url, mediaType: /^data:([^;,]+)/.exec(url)?.[1] ?? 'image/*' };
}

/** Returns a condensation, or a message that no user wrote, as `useChat` shows it, in a stream and in a message. */
export function dataOf(item: CondensationItem | MessageItem): UiChunk {
  if (item.kind === 'condensation')
    return { type: 'data-condensation', id: item.id, data: { hidden: item.hidden, summary: item.summary } };
  return { type: 'data-notice', id: item.id, data: { sender: item.sender, text: joinedText(item.content) } };
}

/** Returns who decided on a call as `useChat` shows it, in a stream and in a message; nothing if that is not known. */
export function decisionOf({ actionId, decidedBy }: CallItem): readonly UiChunk[] {
  if (decidedBy === undefined) return [];
  return [{ type: 'data-decision', id: `${actionId}:decision`, data: { toolCallId: actionId, by: decidedBy } }];
}
