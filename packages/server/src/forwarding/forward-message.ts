import { ConversationError } from '@conv/core';
import type { LlmMessage } from '@conv/openhands/messages';
import { eventRoutes, IDEMPOTENCY_KEY_HEADER, STATUS_CODES } from '@conv/openhands/rest';

import type { Caller } from '../auth/principal.ts';
import { LimitReached } from '../usage/limit-reached.ts';
import { executeOnOwner } from './execute-on-owner.ts';
import type { ForwardingDeps } from './forward-commands.ts';
import type { OwnerAnswer } from './owner-requests.ts';

/** A message that a client sent over a socket. */
export interface SocketMessage {
  readonly conversationId: string;
  readonly message: LlmMessage;
  /** The client. */
  readonly caller: Caller;
}

const { method, path, codes } = eventRoutes.sendMessage;

/**
 * Sends the message to its conversation's owner, on behalf of its client: stored once, however often it is retried. Rejects
 * as {@link executeOnOwner}, and `ConversationError` with the owner's refusal.
 * @param here stores it in this process, under this id
 */
export async function forwardMessage(
  sent: SocketMessage,
  here: (id: string) => Promise<unknown>,
  deps: ForwardingDeps,
): Promise<void> {
  const id = deps.platform.id();
  const command = {
    repeatable: true,
    // continue even if the client has gone, because the message was accepted
    signal: new AbortController().signal,
    here: async () => void (await here(id)),
    there: (owner: string, signal: AbortSignal) => deps.requests.send(owner, toRequest(sent, id), signal),
  };
  const answer = await executeOnOwner<OwnerAnswer | void>(command, deps);
  if (answer) await expectTaken(answer, sent.conversationId);
}

function toRequest(
  { conversationId, message, caller }: SocketMessage,
  id: string,
): Parameters<ForwardingDeps['requests']['send']>[1] {
  return {
    method,
    path: path.replace('{conversation_id}', conversationId),
    headers: {
      'content-type': 'application/json',
      [IDEMPOTENCY_KEY_HEADER]: id,
    },
    body: Buffer.from(JSON.stringify({ role: 'user', content: message.content, run: true })),
    repeatable: true,
    caller,
  };
}

async function expectTaken({ status, body }: OwnerAnswer, conversationId: string): Promise<void> {
  const text = await body.text();
  if (status >= 200 && status < 300) return;
  const reached = status === 429 ? limitIn(text) : undefined;
  if (reached) throw reached;
  const code = codes?.[status] ?? STATUS_CODES[status] ?? 'SERVER_FAILED';
  throw new ConversationError(code, detailOf(text) ?? `refused with ${status}`, { conversationId });
}

/** Returns the owner's refusal because of a daily limit. */
function limitIn(text: string): LimitReached | undefined {
  const { detail } = Object(jsonIn(text)) as { readonly detail?: unknown };
  return LimitReached.from(detail);
}

function detailOf(text: string): string | undefined {
  const { detail } = Object(jsonIn(text)) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
