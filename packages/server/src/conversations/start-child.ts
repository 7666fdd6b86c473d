import type { StateFields } from '@conv/core';
import type { conversationRoutes } from '@conv/openhands/rest';

import { APPROVER, type Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { orRefused, withReading } from '../hosting/with-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { runStartIn } from '../usage/run-start.ts';
import { childOf, type StartChildRequest } from './child-options.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import { makeConversation } from './make-conversation.ts';
import { ownedBy, ownerIn } from './owner.ts';
import type { ReachableFolders } from './reachable-folders.ts';

/** Levels of children below a conversation, as deep as sub-agents nest. */
const MAX_DEPTH = 5;
/** Children of one conversation. An agent that starts children in a loop ends here. */
const MAX_CHILDREN = 100;

/** A child conversation that was started. */
export type StartChildResponse = Extract<
  (typeof conversationRoutes.startChild)['answer'],
  { readonly _output: unknown }
>['_output'];

export interface ChildDeps {
  readonly infos: ConversationInfos;
  readonly reach: ReachableFolders;
}

/** A child to start. */
export interface StartChildInput {
  readonly parentId: string;
  readonly request: StartChildRequest;
  /** The client that asks. Default: the parent's agent asks, in the name of the caller that started its run. */
  readonly caller?: Caller;
}

/**
 * Starts a conversation with the agent, the settings and the secrets of its parent, so it is as strict as its parent is then (P10). Its
 * history is empty, and the task is its first message. Resolves when the task is durable; its run waits for a slot like any other.
 * Rejects `NOT_FOUND` for an unknown parent, {@link ApiError} 409 for a parent whose settings may be damaged, 422 for a wrong title, and 429 for
 * too many or too deep children.
 */
export async function startChild(
  host: ConversationHost,
  { infos, reach }: ChildDeps,
  { parentId, request, caller: client }: StartChildInput,
): Promise<StartChildResponse> {
  return withReading(host, parentId, async ({ fields }) => {
    await checkRoom(host, infos, fields);
    const caller = client ?? (await agentsCaller(host, fields));
    await host.usage.check(caller);
    const start = await childOf(host, fields, request);
    const owner = ownerIn(fields) ?? caller.name;
    const meta = { ...start.wanted.meta, ...(owner === null ? {} : ownedBy({ ...caller, name: owner })) };
    const tags = { ...fields.tags, ...caller.limits?.tags };
    using lease = await makeConversation(host, reach, { ...start, wanted: { ...start.wanted, tags, meta }, caller });
    const { conversation: child } = lease;
    infos.children.add(child.id, fields.id);
    if (start.shared) await host.worktrees.share(start.shared, child.id);
    const message = { role: 'user', content: [{ type: 'text', text: request.task }], thinking_blocks: [] } as const;
    await orRefused(409, child.send(message, { run: true, by: caller }));
    const { executionStatus: status, title } = child.fields;
    return {
      conversation_id: child.id,
      parent_conversation_id: fields.id,
      status,
      title,
      url: null,
      workspace: start.wanted.workspace,
      isolation: start.worktree ? 'worktree' : 'shared',
    };
  });
}

/** Rejects {@link ApiError} 429 if the conversation may have no further child, and 409 if its settings may be wrong. */
async function checkRoom(host: ConversationHost, infos: ConversationInfos, fields: StateFields): Promise<void> {
  if (fields.damaged)
    throw new ApiError(409, 'The settings of the conversation may be damaged: confirm them before it starts a child');
  const depth = 1 + (await ancestorsOf(host, fields)).length;
  if (depth > MAX_DEPTH)
    throw new ApiError(429, `Conversations are nested at most ${MAX_DEPTH} deep: give the task to an existing one`);
  const children = await infos.children.of(fields.id);
  if (children.length >= MAX_CHILDREN)
    throw new ApiError(429, `A conversation has at most ${MAX_CHILDREN} children: delete some, or give them the task`);
}

/** Resolves with the parent, its parent, and so on, as far as that matters here. */
async function ancestorsOf(host: ConversationHost, { parentId }: StateFields): Promise<readonly StateFields[]> {
  const found: StateFields[] = [];
  for (let id = parentId; id !== null && found.length < MAX_DEPTH;) {
    await using reading = await host.readPast(id);
    if (!reading) break;
    found.push(reading.fields);
    id = reading.fields.parentId;
  }
  return found;
}

/** Resolves with the caller in whose name an agent acts: the principal that started the run, which pays for the child, too. */
async function agentsCaller(host: ConversationHost, fields: StateFields): Promise<Caller> {
  const started = [fields, ...(await ancestorsOf(host, fields))].flatMap(({ extra }) => runStartIn(extra.meta) ?? []);
  const { by = null, daily } = started[0] ?? {};
  return { ...APPROVER, name: by, ...(daily ? { daily } : {}) };
}
