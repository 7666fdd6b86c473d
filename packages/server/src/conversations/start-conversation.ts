import type { JsonObject } from '@conv/core';
import type { ConversationInfo, IncludeSkills, StartConversationRequest } from '@conv/openhands/rest';

import { callerOf } from '../auth/caller.ts';
import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { Call } from '../http/serve-route.ts';
import { ApiError } from '../http/api-error.ts';
import { idempotencyKey, idOfKey } from '../http/idempotency-key.ts';
import type { Reading } from '../hosting/stored-conversation.ts';
import { orRefused } from '../hosting/with-conversation.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import type { ReachableFolders } from './reachable-folders.ts';
import { KeyedRequest } from './keyed-request.ts';
import { withObservabilityHeaders } from './observability-headers.ts';
import { ownedBy } from './owner.ts';
import { checkParent, parentNotFound, toNewConversation } from './new-conversation.ts';
import { makeConversation } from './make-conversation.ts';

export type StartCall = Call<{ query: IncludeSkills; body: StartConversationRequest }>;

/**
 * Starts a conversation, sends its first message and runs it. Answers 200 with the existing conversation when the id is taken.
 * The rest of the request is ignored then, unless it has the idempotency key that made the conversation. With that key a
 * different request is refused with 422, and the same request completes its unfinished steps. The caller becomes the owner of the
 * conversation, which gets the tags that the caller is limited to.
 */
export async function startConversation(
  host: ConversationHost,
  { infos, reach }: { readonly infos: ConversationInfos; readonly reach: ReachableFolders },
  { body: read, query: { include_skills: skills }, request, reply }: StartCall,
): Promise<ConversationInfo> {
  const key = idempotencyKey(request);
  const caller = callerOf(request);
  const reader = { includeSkills: skills, caller };
  const asSent = request.body as JsonObject;
  const body = withObservabilityHeaders(read, asSent, request.headers);
  const id = body.conversation_id ?? (key === undefined ? host.platform.id() : idOfKey(scopeOf(caller), key));
  const keyed = key === undefined ? undefined : new KeyedRequest(key, id, asSent);
  const first: FirstMessage = { body, run: runs(asSent), keyed, id, caller };
  if (await infos.known.isTaken(caller, id)) throw idTaken(id);
  await using existing = await host.read(id);
  if (existing) {
    if (keyed?.made(existing.fields)) await sendMissing(host, existing, first);
    void reply.code(200);
    return await infos.of(existing, reader);
  }
  if (body.parent_conversation_id !== null && !(await infos.known.knows(caller, body.parent_conversation_id)))
    throw parentNotFound(body.parent_conversation_id);
  await checkParent(host, id, body);
  // before anything is made: a conversation whose first message was refused would be left
  if (body.initial_message !== null && first.run) await host.usage.check(caller);
  const { wanted, worktree } = await toNewConversation(host, {
    id,
    request: body,
    asSent,
    caller,
  });
  const tags = { ...wanted.tags, ...caller.limits?.tags };
  const meta = { ...wanted.meta, ...keyed?.kept, ...ownedBy(caller) };
  using lease = await makeConversation(host, reach, { wanted: { ...wanted, tags, meta }, worktree, caller });
  // another request may have made it meanwhile
  if (!lease.created && !(await infos.known.knows(caller, id))) throw idTaken(id);
  if (lease.created) infos.children.add(id, body.parent_conversation_id);
  else void reply.code(200);
  if (lease.created || keyed?.made(lease.conversation.fields)) await sendFirst(lease.conversation, first);
  return await infos.ofLoaded(lease.conversation, reader);
}

/** Makes the refusal of an id of a conversation that the caller may not know. */
export function idTaken(id: string): ApiError {
  return new ApiError(409, `The id ${id} cannot be used; choose another one`);
}

/** Returns what idempotency keys are unique in: each owner has its own. */
function scopeOf({ name }: Caller): string {
  return name === null ? 'conversation' : `conversation of ${name}`;
}

interface FirstMessage {
  readonly body: StartConversationRequest;
  readonly run: boolean;
  readonly keyed: KeyedRequest | undefined;
  readonly id: string;
  readonly caller: Caller;
}

/** Sends the first message if a server ended before it sent it. */
async function sendMissing(host: ConversationHost, { fields, state }: Reading, first: FirstMessage): Promise<void> {
  const id = idOfFirst(first);
  if (first.body.initial_message === null || id === undefined) return;
  if (fields.queue.some((message) => message.id === id) || (await state.events.indexOf(id)) !== undefined) return;
  using lease = await host.acquire(first.id);
  await sendFirst(lease.conversation, first);
}

async function sendFirst(conversation: HostedConversation, first: FirstMessage): Promise<void> {
  const { initial_message: message } = first.body;
  if (message === null) return;
  const { content, sender } = message;
  const id = idOfFirst(first);
  const sent = conversation.send(
    { role: 'user', content, thinking_blocks: [] },
    { run: first.run, by: first.caller, ...(sender === null ? {} : { sender }), ...(id === undefined ? {} : { id }) },
  );
  await orRefused(409, sent);
}

/** Returns an id for the first message that differs from the id of a later message sent with the same key. */
function idOfFirst({ keyed, id }: FirstMessage): string | undefined {
  return keyed && idOfKey(`the first message of ${id}`, keyed.key);
}

/** True if the first message starts a run. Clients that omit the member mean yes; an explicit no is respected. */
function runs({ initial_message: message }: JsonObject): boolean {
  const run = (message as JsonObject | null | undefined)?.['run'];
  return run === undefined || run === null || [true, 1, 'true', '1', 'yes', 'on', 'y', 't'].includes(run as string);
}
