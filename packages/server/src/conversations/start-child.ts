import type { StateFields } from '@conv/core';
import type { Turns } from '@conv/core/platform';
import type { conversationRoutes } from '@conv/openhands/rest';

import { APPROVER, type Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { orRefused, withReading } from '../hosting/with-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { runStartIn } from '../usage/run-start.ts';
import { type Child, childOf, type StartChildRequest } from './child-options.ts';
import type { ConversationInfos } from './conversation-infos.ts';
import { deleteConversation } from './delete-conversation.ts';
import { makeConversation } from './make-conversation.ts';
import { ownedBy, ownerIn } from './owner.ts';
import type { ReachableFolders } from './reachable-folders.ts';
import { releaseWorktree } from './workspace-folder.ts';

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
  /** Lets the children of one parent start one after the other, so that no two of them take its last place. */
  readonly turns: Turns;
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
export function startChild(
  host: ConversationHost,
  deps: ChildDeps,
  { parentId, request, caller: client }: StartChildInput,
): Promise<StartChildResponse> {
  const { infos, reach, turns } = deps;
  const start = (): Promise<StartChildResponse> =>
    withReading(host, parentId, async ({ fields }) => {
      await checkRoom(host, infos, fields);
      const caller = client ?? (await agentsCaller(host, fields));
      await host.usage.check(caller);
      const made = await childOf(host, fields, request);
      const owner = ownerIn(fields) ?? caller.name;
      const meta = { ...made.wanted.meta, ...(owner === null ? {} : ownedBy({ ...caller, name: owner })) };
      const tags = { ...fields.tags, ...caller.limits?.tags };
      using lease = await inShared(host, made, () =>
        makeConversation(host, reach, { ...made, wanted: { ...made.wanted, tags, meta }, caller }),
      );
      const { conversation: child } = lease;
      infos.children.add(child.id, fields.id);
      await giveTask(host, infos, { child, task: request.task, caller });
      const { executionStatus: status, title } = child.fields;
      return {
        conversation_id: child.id,
        parent_conversation_id: fields.id,
        status,
        title,
        url: null,
        workspace: made.wanted.workspace,
        isolation: made.worktree ? 'worktree' : 'shared',
      };
    });
  return turns.run(start, parentId);
}

/**
 * Makes a child after a note that it works in the worktree of its parent: without the note, the deletion of the parent would take the worktree away
 * from a child whose start was cut off.
 */
async function inShared<T>(host: ConversationHost, { shared, wanted }: Child, make: () => Promise<T>): Promise<T> {
  if (!shared) return make();
  await host.worktrees.share(shared, wanted.id);
  try {
    return await make();
  } catch (error) {
    await releaseWorktree(host, wanted.id, shared);
    throw error;
  }
}

/** Sends a new child its task. Deletes the child if that fails, because nothing would ever tell it what to do. */
async function giveTask(
  host: ConversationHost,
  infos: ConversationInfos,
  { child, task, caller }: { readonly child: HostedConversation; readonly task: string; readonly caller: Caller },
): Promise<void> {
  const message = { role: 'user', content: [{ type: 'text', text: task }], thinking_blocks: [] } as const;
  try {
    await orRefused(409, child.send(message, { run: true, by: caller }));
  } catch (error) {
    await deleteConversation(host, infos, child.id).catch((failure: unknown) =>
      host.report(failure, { conversationId: child.id, doing: 'deleting a child that got no task' }),
    );
    throw error;
  }
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

/**
 * Resolves with the caller in whose name an agent acts: the principal that started the run, which pays for the child, too. A sub-agent works in the
 * run of its parent. A conversation of this host works in its own run, and no other caller pays for a run that a key without a name started.
 */
async function agentsCaller(host: ConversationHost, fields: StateFields): Promise<Caller> {
  const line = [fields, ...(await ancestorsOf(host, fields))];
  const hosted = line.find(({ id }) => host.loaded(id));
  const { by = null, daily } = (hosted && runStartIn(hosted.extra.meta)) ?? {};
  return { ...APPROVER, name: by, ...(daily ? { daily } : {}) };
}
