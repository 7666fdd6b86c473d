import { isConversationError, type ForkInput, type Json, type JsonObject } from '@conv/core';
import type {
  ConversationInfo,
  ConversationParams,
  ForkConversationRequest,
  IncludeSkills,
} from '@conv/openhands/rest';

import { accessIn } from '../auth/access-keys.ts';
import { checkTags } from '../auth/approver-checks.ts';
import { callerOf } from '../auth/caller.ts';
import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { Call } from '../http/serve-route.ts';
import { idempotencyKey, idOfKey } from '../http/idempotency-key.ts';
import { withConversation, withReading } from '../hosting/with-conversation.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import { worktreeIn } from '../workspace/worktree.ts';
import { KeyedRequest } from './keyed-request.ts';
import { ownedBy, ownerIn } from './owner.ts';
import { idTaken } from './start-conversation.ts';

export type ForkCall = Call<{ params: ConversationParams; query: IncludeSkills; body: ForkConversationRequest }>;

/**
 * Forks a conversation. Repeated with its key, it answers 200 with the fork that it made, also when the source no longer exists.
 * Another request with that key is refused with 422. The fork of a caller that is limited to some conversations is within its limits.
 */
export async function forkConversation(
  host: ConversationHost,
  infos: ConversationInfos,
  call: ForkCall,
): Promise<ConversationInfo> {
  const keyed = keyedRequest(call);
  const wanted = keyed?.conversationId ?? call.body.id;
  if (wanted !== null && (await infos.known.isTaken(callerOf(call.request), wanted))) throw idTaken(wanted);
  const isRepeated = keyed !== undefined && (await hasMade(host, keyed));
  if (isRepeated) void call.reply.code(200);
  const id = isRepeated ? keyed.conversationId : await fork(host, call, keyed);
  const reader = { includeSkills: call.query.include_skills, caller: callerOf(call.request) };
  return withReading(host, id, (reading) => infos.of(reading, reader));
}

function keyedRequest({ params: { conversation_id: source }, body, request }: ForkCall): KeyedRequest | undefined {
  const key = idempotencyKey(request);
  if (key === undefined) return undefined;
  const { name } = callerOf(request);
  const kind = name === null ? `a fork of ${source}` : `a fork of ${source} by ${name}`;
  return new KeyedRequest(key, body.id ?? idOfKey(kind, key), {
    source,
    body: (request.body ?? {}) as Json,
  });
}

async function hasMade(host: ConversationHost, keyed: KeyedRequest): Promise<boolean> {
  await using reading = await host.read(keyed.conversationId);
  return reading !== undefined && keyed.made(reading.fields);
}

async function fork(
  host: ConversationHost,
  { params, body, request }: ForkCall,
  keyed: KeyedRequest | undefined,
): Promise<string> {
  const caller = callerOf(request);
  checkTags(accessIn(caller), {}, body.tags ?? {});
  const input = { ...inputOf(body, caller), ...(keyed ? { id: keyed.conversationId } : {}) };
  try {
    return await withConversation(host, params.conversation_id, async ({ conversation, fields }) => {
      const meta = { ...keyed?.kept, ...ownerFor(caller, fields) };
      const id = await conversation.history.fork({ ...input, ...(Object.keys(meta).length > 0 ? { meta } : {}) });
      const worktree = worktreeIn(fields.extra.meta);
      if (worktree) await host.worktrees.share(worktree, id);
      return id;
    });
  } catch (error) {
    // a concurrent copy of the request was faster
    if (keyed && isConversationError(error, 'EXISTS') && (await hasMade(host, keyed))) return keyed.conversationId;
    throw error;
  }
}

/** Returns the metadata that makes a limited caller the owner of a fork whose source is its own only because of a parent. */
function ownerFor(caller: Caller, source: Parameters<typeof ownerIn>[0]): JsonObject {
  return caller.limits?.own === true && ownerIn(source) !== caller.name ? ownedBy(caller) : {};
}

function inputOf(body: ForkConversationRequest, { limits }: Caller): ForkInput {
  const tags = { ...body.tags, ...limits?.tags };
  return {
    resetMetrics: body.reset_metrics,
    ...(body.id === null ? {} : { id: body.id }),
    ...(body.from_event_id === null ? {} : { from: body.from_event_id }),
    ...(body.title === null || body.title === '' ? {} : { title: body.title }),
    tags,
  };
}
