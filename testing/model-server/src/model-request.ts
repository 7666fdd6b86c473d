import type { JsonObject } from './json.ts';

/** Endpoint of a request: Chat Completions, Responses, or Anthropic's Messages. */
export type Api = 'chat' | 'responses' | 'messages';

/** Outcome of a request: the turn was sent whole, the client left before, or this server cut it. */
export type RequestOutcome = 'answered' | 'client-gone' | 'dropped';

/** A tool call in the history the client sent. */
export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as sent: a string holding JSON. */
  readonly arguments: string;
}

/** A message of the history, in the same shape for every endpoint. */
export interface ModelMessage {
  /** `developer` is reported as `system`. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Its text parts, joined. */
  readonly text: string;
  /** The client's content, for scripts that look at images and files. */
  readonly content: unknown;
  readonly reasoning?: string;
  /** The calls of an assistant message, in order; empty for others. */
  readonly toolCalls: readonly RequestedCall[];
  /** The call a tool message answers. */
  readonly toolCallId?: string;
}

/** A tool offered to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments. */
  readonly parameters: JsonObject;
}

/** A request that broke no rule. */
export interface ModelRequest {
  /** 0 for the first one this server accepted; -1 for a request for a title, which is not counted. */
  readonly index: number;
  readonly api: Api;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent. */
  readonly body: JsonObject;
  /** Resolves when the request is over; never rejects. */
  readonly outcome: Promise<RequestOutcome>;
}

/** A tool result in the history, with the call it answers. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  /** The arguments of the call, as sent. */
  readonly arguments: string;
  readonly text: string;
}

/** The tool results of the history, oldest first; on demand only those after the last user message. */
export function toolResults(
  request: Pick<ModelRequest, 'messages'>,
  which: 'all' | 'since-last-user-message' = 'all',
): ToolResult[] {
  const { messages } = request;
  const start = which === 'all' ? 0 : messages.findLastIndex((message) => message.role === 'user') + 1;
  const callsById = new Map(messages.flatMap((message) => message.toolCalls).map((made) => [made.id, made]));
  return messages.slice(start).flatMap((message) => {
    const made = message.toolCallId === undefined ? undefined : callsById.get(message.toolCallId);
    return made === undefined ? [] : [{ ...made, text: message.text }];
  });
}

/** The text of the last user message, or an empty string. */
export function lastUserText(request: Pick<ModelRequest, 'messages'>): string {
  return request.messages.findLast((message) => message.role === 'user')?.text ?? '';
}
