import type { Agent, JsonObject, StateFields } from '@conv/core';
import type { ClientToolInput } from '@conv/core/tool';
import type { conversationRoutes } from '@conv/openhands/rest';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { NewConversation } from '../hosting/open-local.ts';
import { givenAgain, STUCK_THRESHOLDS } from '../hosting/reopen-options.ts';
import { keptRuntime, offered, runtimeIn, runtimesOf } from '../hosting/runtimes.ts';
import { orRefused } from '../hosting/with-conversation.ts';
import { ApiError, invalidMember } from '../http/api-error.ts';
import { keptWorktree, worktreeGuidance, worktreeIn, type Worktree } from '../workspace/worktree.ts';
import { GIVEN_FOLDERS } from './given-folders.ts';
import { KEPT, type Start, withSuffix } from './new-conversation.ts';
import { planWorktree } from './workspace-folder.ts';

/** A task for a child conversation. */
export type StartChildRequest = NonNullable<(typeof conversationRoutes.startChild)['body']>['_output'];

/** A child that can be made. */
export interface Child extends Start {
  /** The worktree of the parent, if the child works in it, too. */
  readonly shared: Worktree | undefined;
}

/**
 * Resolves with the options of a child. Policy, analyzer, hooks, limits and secrets are not among them: every new conversation takes these from
 * its parent. Changes nothing. Rejects {@link ApiError} 409 and 422.
 */
export async function childOf(
  host: ConversationHost,
  fields: StateFields,
  { title, isolation }: StartChildRequest,
): Promise<Child> {
  const id = host.platform.id();
  const { meta } = fields.extra;
  const { name: runtime, limits } = runtimeIn(meta);
  const own = worktreeIn(meta);
  // the worktree of the parent ends with the parent, so the child gets one of the same repository
  const folder = own?.source ?? fields.workspace.workingDir;
  const isPossible = isolation === 'worktree' && hasWorktrees(host, runtime);
  const worktree = isPossible ? await planWorktree(host, id, folder) : undefined;
  const description = worktree
    ? withSuffix(withoutText(fields.agent, own && worktreeGuidance(own)), worktreeGuidance(worktree))
    : fields.agent;
  const shared = !worktree && own ? own : undefined;
  const clientTools = givenAgain(fields).clientTools ?? (fields.clientTools as unknown as readonly ClientToolInput[]);
  const wanted: NewConversation = {
    id,
    parentId: fields.id,
    agent: await agentOf(host, description),
    workspace: worktree?.folder ?? fields.workspace.workingDir,
    ...(title === null || title === '' ? {} : { title: titleOf(title) }),
    ...(clientTools.length === 0 ? {} : { clientTools }),
    ...(typeof meta['openhands'] === 'string' ? { openhands: meta['openhands'] as `>=${string}` } : {}),
    meta: {
      ...pick(meta, [...KEPT, ...KEPT_OF_PARENT, STUCK_THRESHOLDS, GIVEN_FOLDERS]),
      worktree: isolation === 'worktree',
      ...(worktree ? keptWorktree(worktree) : {}),
      ...(shared ? keptWorktree(shared) : {}),
      ...keptRuntime(runtime, limits),
    },
  };
  return { wanted, worktree, shared };
}

/** Further metadata that a child has from its parent. */
const KEPT_OF_PARENT = ['agent_launch_additions', 'answered_by_client', 'launched_agent_profile'];

function hasWorktrees({ options }: ConversationHost, name: string): boolean {
  const runtime = offered(runtimesOf(options), name);
  return runtime === true || (runtime !== undefined && runtime.worktrees !== false);
}

async function agentOf({ options: { agents, cipher } }: ConversationHost, description: JsonObject): Promise<Agent> {
  const agent = await orRefused(409, Promise.resolve(agents.revive(description, cipher ? { cipher } : {})));
  if (agent) return agent;
  throw new ApiError(
    409,
    `Agents of kind ${JSON.stringify(description['kind'])} cannot be built here; use another kind`,
  );
}

function titleOf(title: string): string {
  if (title.trim() !== '') return title;
  throw invalidMember('title', 'expected a title that is not blank, or null');
}

function withoutText(agent: JsonObject, text: string | undefined): JsonObject {
  const context = agent['agent_context'];
  if (text === undefined || typeof context !== 'object' || context === null) return agent;
  const { system_message_suffix: suffix, ...others } = context as JsonObject;
  if (typeof suffix !== 'string') return agent;
  return { ...agent, agent_context: { ...others, system_message_suffix: suffix.replace(text, '').trim() } };
}

function pick(meta: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => names.includes(name)));
}
