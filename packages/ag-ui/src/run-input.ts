import type { ResumeEntry, RunAgentInput, UserMessage } from '@ag-ui/core';
import type { MessagePart } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { checkMessage, imageAt, messageEventId } from '@conv/turns';

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
  const told: (Omit<NewMessage, 'content'> & { readonly place: string })[] = [];
  for (const [at, message] of input.messages.entries()) {
    const place = `messages[${at}].content`;
    if (message.role === 'tool') partsOf(message.content, place);
    if (message.role === 'tool') names.set(resultId(message.toolCallId), message.id);
    // what comes before an answer is in the log
    if (message.role === 'assistant' || message.role === 'tool') told.length = 0;
    if (message.role !== 'user') continue;
    const id = await messageEventId(input.threadId, message.id);
    names.set(id, message.id);
    told.push({ id, message, place });
  }
  const sent = told.map(({ place, ...rest }) => ({ ...rest, content: contentOf(rest.message, place) }));
  for (const { content } of sent) checkMessage(content);
  return { input, messages: sent, names };
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

function contentOf({ content }: UserMessage, place: string): readonly MessagePart[] {
  const parts = partsOf(content, place).map((part, at) => partOf(part, `${place}[${at}]`));
  if (parts.some((part) => !('text' in part) || part.text.trim() !== '')) return parts;
  throw malformed(`${place}: expected a text or an image, found none`);
}

/** Returns content as parts. Throws `INVALID_INPUT` for what is neither a text nor a list of parts. */
function partsOf(content: unknown, place: string): readonly Readonly<Record<string, unknown>>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every(isObject)) return content;
  throw malformed(`${place}: expected a text or a list of parts, found ${found(content)}`);
}

function partOf(
  { type, text, source }: Readonly<Record<string, unknown>>,
  place: string,
): Exclude<MessagePart, string> {
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type !== 'image') throw malformed(`${place}: expected a text or an image, found ${found(type)}`);
  const { type: kind, value, mimeType } = Object(source) as Readonly<Record<string, unknown>>;
  const url = kind === 'data' ? `data:${String(mimeType)};base64,${String(value)}` : value;
  const isOther = mimeType !== undefined && !(typeof mimeType === 'string' && mimeType.startsWith('image/'));
  const isNamed = typeof value === 'string' && (kind === 'data' || kind === 'url');
  const image = isNamed && !isOther ? imageAt(url) : undefined;
  if (image) return image;
  throw malformed(`${place}.source: expected data with its mimeType, or a url, of an image, found ${found(source)}`);
}

function found(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
