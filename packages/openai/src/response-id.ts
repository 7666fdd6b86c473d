import { ApiError } from './api-error.ts';

/** The place of a response: its conversation, and the event that it comes after. */
export interface ResponsePlace {
  readonly conversation: string;
  /** The message that is answered, or the last event before decisions that were sent. */
  readonly event: string;
}

const ID = /^resp_([0-9a-f]{32})_([0-9a-f]{32})$/;

/** Returns the id of a response. The log has everything else of it. */
export function responseId({ conversation, event }: ResponsePlace): string {
  return `resp_${conversation.replaceAll('-', '')}_${event.replaceAll('-', '')}`;
}

/** Returns the place of a response. Throws {@link ApiError} 404 for another id. */
export function placeOf(id: string, param: string | null = null): ResponsePlace {
  const [, conversation, event] = ID.exec(id) ?? [];
  if (conversation === undefined || event === undefined)
    throw new ApiError(param === null ? 404 : 400, `expected the id of a response, found ${JSON.stringify(id)}`, param);
  return { conversation: uuid(conversation), event: uuid(event) };
}

/** Returns the id of a call for chat completions, whose requests name no conversation. */
export function chatCallId(conversation: string, action: string): string {
  return `call_${conversation.replaceAll('-', '')}_${action}`;
}

/** Returns the conversation and the action of such an id; `undefined` for another id. */
export function chatCall(id: string): { readonly conversation: string; readonly action: string } | undefined {
  const [, conversation, action] = /^call_([0-9a-f]{32})_(.+)$/s.exec(id) ?? [];
  return conversation === undefined || action === undefined ? undefined : { conversation: uuid(conversation), action };
}

function uuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
