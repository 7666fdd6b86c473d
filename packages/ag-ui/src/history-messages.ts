import type { AssistantMessage, ContentPart as AgUiPart, Message, ToolMessage } from '@ag-ui/core';
import type { ConversationView } from '@conv/core';
import { isText, joinedText, type ContentPart } from '@conv/core/events';
import { imageData, isFinish, waitsForPerson, type CallItem, type TurnItem } from '@conv/turns';

import { resultId } from './run-input.ts';

/** A message that only shows something. */
export interface Activity {
  readonly id: string;
  readonly activityType: 'condensation' | 'images' | 'notice';
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Returns items as messages, as a client has them after every event of the items.
 * @param names the ids that the client gave to messages
 */
export function historyMessages(
  items: readonly TurnItem[],
  state: Pick<ConversationView, 'calls' | 'pendingActions' | 'executionStatus'>,
  names: ReadonlyMap<string, string>,
): readonly Message[] {
  const messages: Message[] = [];
  const assistants = new Map<string, AssistantMessage>();
  const assistant = (id: string, more: Partial<AssistantMessage>): void => {
    const known = assistants.get(id);
    if (known) return void Object.assign(known, more);
    const message: AssistantMessage = { id, role: 'assistant', ...more };
    assistants.set(id, message);
    messages.push(message);
  };
  for (const item of items) {
    if (item.kind === 'message' && item.from === 'user')
      messages.push({ id: names.get(item.id) ?? item.id, role: 'user', content: shownContent(item.content) });
    if (item.kind === 'answer') {
      if (item.reasoning !== '')
        messages.push({ id: reasoningId(item.id), role: 'reasoning', content: item.reasoning });
      if (item.text !== '') assistant(item.id, { content: item.text });
    }
    if (item.kind === 'call' && !(isFinish(item) && !waitsForPerson(item, state))) {
      const { actionId: id, tool: name, input } = item;
      assistant(id, { toolCalls: [{ id, type: 'function', function: { name, arguments: input } }] });
      if (item.result) messages.push(resultMessage(item, names) as ToolMessage);
    }
    for (const activity of activitiesOf(item)) messages.push({ ...activity, role: 'activity' });
  }
  return messages;
}

/** Returns the result of a call as a message; `undefined` without one. */
export function resultMessage(
  { actionId, result, decidedBy }: CallItem,
  names: ReadonlyMap<string, string>,
): (ToolMessage & { readonly role: 'tool' }) | undefined {
  if (!result) return undefined;
  const { content, outcome } = result;
  const id = resultId(actionId);
  const told = outcome === 'output' ? {} : { 'conv/outcome': outcome };
  const metadata = decidedBy === undefined ? told : { ...told, 'conv/decidedBy': decidedBy };
  return {
    id: names.get(id) ?? id,
    role: 'tool',
    toolCallId: actionId,
    content: shownContent(content),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** Returns the id of the message with the reasoning of an answer. */
export function reasoningId(answerId: string): string {
  return `${answerId}:reasoning`;
}

/** Returns what an item shows beside messages. */
export function activitiesOf(item: TurnItem): readonly Activity[] {
  const { id } = item;
  if (item.kind === 'condensation')
    return [{ id, activityType: 'condensation', content: { hidden: item.hidden, summary: item.summary } }];
  if (item.kind === 'message' && item.from !== 'user')
    return [{ id, activityType: 'notice', content: { sender: item.sender, text: joinedText(item.content) } }];
  if (item.kind !== 'answer') return [];
  const images = item.content.flatMap((part) => (isText(part) ? [] : part.image_urls));
  return images.length > 0 ? [{ id: `${id}:images`, activityType: 'images', content: { images } }] : [];
}

/** Returns the text in the content of a message, whose other parts models do not read. */
export function contentText(content: string | readonly AgUiPart[]): string {
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function shownContent(content: readonly ContentPart[]): string | AgUiPart[] {
  if (content.every(isText)) return joinedText(content);
  return content.flatMap((part): AgUiPart[] =>
    isText(part) ? [{ type: 'text', text: part.text }] : part.image_urls.map(imagePart),
  );
}

function imagePart(url: string): AgUiPart {
  const image = imageData(url);
  const source = image
    ? ({ type: 'data', value: image.data, mimeType: image.mimeType } as const)
    : ({ type: 'url', value: url } as const);
  return { type: 'image', source };
}
