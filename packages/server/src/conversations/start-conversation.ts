import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo, IncludeSkills, StartConversationRequest } from '@conv/protocol';

import type { ConversationHost } from '../conversation-host.ts';
import type { HostedConversation } from '../hosted-conversation.ts';
import type { Call } from '../http/serve-route.ts';
import { idempotencyKey, idOfKey } from '../idempotency.ts';
import { orRefused } from '../with-conversation.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import { checkParent, toNewConversation } from './new-conversation.ts';
import { makeWorkspace } from './workspace-folder.ts';

/** What starting a conversation reads. */
export type StartCall = Call<{ query: IncludeSkills; body: StartConversationRequest }>;

/**
 * Starts a conversation, sends its first message and runs it; answers 200 with the one that is there when its id is taken. The rest
 * of the request means nothing then.
 */
export async function startConversation(
  host: ConversationHost,
  infos: ConversationInfos,
  { body, query: { include_skills: skills }, request, reply }: StartCall,
): Promise<ConversationInfo> {
  const key = idempotencyKey(request);
  const id = body.conversation_id ?? (key === undefined ? randomUUID() : idOfKey('conversation', key));
  await using existing = await host.read(id);
  if (existing) {
    void reply.code(200);
    return await infos.of(existing, skills);
  }
  await checkParent(host, id, body);
  const wanted = await toNewConversation(host, id, body, request.body as JsonObject);
  await makeWorkspace(wanted.workspace);
  using lease = await host.create(wanted);
  if (lease.created) {
    infos.children.add(id, body.parent_conversation_id);
    await sendFirst(lease.conversation, body, runs(request.body as JsonObject));
  } else void reply.code(200);
  return await infos.ofLoaded(lease.conversation, skills);
}

async function sendFirst(
  conversation: HostedConversation,
  { initial_message: message }: StartConversationRequest,
  run: boolean,
): Promise<void> {
  if (message === null) return;
  const { content, sender } = message;
  const sent = conversation.send(
    { role: 'user', content, thinking_blocks: [] },
    { run, ...(sender === null ? {} : { sender }) },
  );
  await orRefused(409, sent);
}

/** Clients leave it out and mean yes; those that say no are heard. */
function runs({ initial_message: message }: JsonObject): boolean {
  const run = (message as JsonObject | null | undefined)?.['run'];
  return run === undefined || run === null || [true, 1, 'true', '1', 'yes', 'on', 'y', 't'].includes(run as string);
}
