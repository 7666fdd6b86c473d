import type { Message, ResumeEntry, RunAgentInput, UserMessage } from '@ag-ui/core';
import type { MessagePart } from '@conv/core';
import { imageContent } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { checkMessage } from '@conv/turns';

import { malformed } from './refusal.ts';

/** A message of the user that a request ends with. */
export interface NewMessage {
  /** The id of its event. */
  readonly id: string;
  readonly content: readonly MessagePart[];
  /** The message as the client has it. */
  readonly message: UserMessage;
}

/** A request for a run, read. */
export interface RunRequest {
  readonly input: RunAgentInput;
  /** The messages of the user behind everything else, which may be new; in their order. */
  readonly messages: readonly NewMessage[];
  /** The ids that the client gave to what the log has, by the id here. */
  readonly names: ReadonlyMap<string, string>;
}

/** Returns the request for a run in a body. Rejects `INVALID_INPUT` that names what is wrong. */
export async function runRequest(request: Request): Promise<RunRequest> {
  const body: unknown = await request.json().catch(() => undefined);
  if (!isObject(body)) throw malformed('expected a RunAgentInput as JSON');
  const { threadId, runId, messages, tools = [], context = [], resume = [] } = body;
  for (const [name, value] of Object.entries({ threadId, runId }))
    if (typeof value !== 'string' || value === '') throw malformed(`${name}: expected an id, found ${found(value)}`);
  for (const [name, value] of Object.entries({ messages, tools, context, resume }))
    if (!Array.isArray(value) || !value.every(isObject))
      throw malformed(`${name}: expected a list of objects, found ${found(value)}`);
  const input = { ...body, tools, context, resume } as unknown as RunAgentInput;
  for (const [at, { id, role }] of input.messages.entries())
    if (typeof id !== 'string' || typeof role !== 'string')
      throw malformed(`messages[${at}]: expected an id and a role`);
  const names = new Map<string, string>();
  const told: NewMessage[] = [];
  for (const [at, message] of input.messages.entries()) {
    if (message.role === 'tool') names.set(resultId(message.toolCallId), message.id);
    // what comes before an answer is in the log
    if (ANSWERS.has(message.role)) told.length = 0;
    if (message.role !== 'user') continue;
    const id = await eventIdOf(input.threadId, message.id);
    names.set(id, message.id);
    told.push({ id, message, content: contentOf(message, `messages[${at}]`) });
  }
  for (const { content } of told) checkMessage(content);
  return { input, messages: told, names };
}

/** Returns the id of the message that holds the result of a call. */
export function resultId(actionId: string): string {
  return `${actionId}:result`;
}

/** Returns the answers to interrupts. Throws `INVALID_INPUT` for a list that has none. */
export function resumeEntries({ resume = [] }: RunAgentInput): readonly ResumeEntry[] {
  for (const [at, { interruptId, status }] of resume.entries())
    if (typeof interruptId !== 'string' || (status !== 'resolved' && status !== 'cancelled'))
      throw malformed(`resume[${at}]: expected an interruptId and the status resolved or cancelled`);
  return resume;
}

const ANSWERS: ReadonlySet<Message['role']> = new Set(['assistant', 'tool']);

function contentOf({ content }: UserMessage, place: string): readonly MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw malformed(`${place}.content: expected a text or a list of parts`);
  return content.map((part: (typeof content)[number], at): MessagePart => {
    const where = `${place}.content[${at}]`;
    if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text };
    if (part.type !== 'image') throw malformed(`${where}: expected a text or an image, found ${found(part.type)}`);
    const { type, value } = Object(part.source) as (typeof part)['source'];
    if (type === 'url') return imageContent(value);
    if (type === 'data') return imageContent(`data:${(part.source as { mimeType: string }).mimeType};base64,${value}`);
    throw malformed(`${where}.source: expected data or a url, found ${found(type)}`);
  });
}

function found(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}

/** Resolves with the id of an event for the id of a message: the same one if it is a UUID, else a UUID that follows from it. */
async function eventIdOf(threadId: string, id: string): Promise<string> {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  const given = new TextEncoder().encode(JSON.stringify([threadId, id]));
  const hash = Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', given)).slice(0, 16));
  const hex = hash.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
