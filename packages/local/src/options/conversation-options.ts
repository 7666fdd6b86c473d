import { resolve } from 'node:path';
import {
  checks,
  type Agent,
  type Cipher,
  type Conversation,
  type Hooks,
  type JsonObject,
  type LocalWorkspaceDescription,
  type SharedOptions,
  type OptionNames,
  parseConfirmationPolicy,
  type StateFields,
} from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { Executor } from '@conv/core/tool';

import { checkAnalyzer, checkHooks, checkStuckDetection } from './check-settings.ts';
import { checkClientTools } from './client-tools.ts';
import { LocalWorkspace } from './local-workspace.ts';
import type { OpenHandsReleases } from './releases.ts';

/** Options for opening or creating a local conversation. Given options override the stored settings; defaults never do. */
export interface LocalConversationOptions extends SharedOptions {
  /** The agent. A new conversation needs it; a stored conversation finds its own through `agents`. */
  readonly agent?: Agent;
  /**
   * The folder that the agent works in, created when missing; or `executeIn(server)` of `@conv/remote`, so that commands and files act
   * there. Default: the stored folder, or `workspace/project`. A conversation that worked in an executor rejects `INVALID_INPUT` without
   * this option.
   */
  readonly workspace?: string | LocalWorkspaceDescription;
  /** The folder of conversations. Default `workspace/conversations`. Not together with `store`. */
  readonly persistenceDir?: string;
  /** The caller's store, which the caller closes. */
  readonly store?: ConversationStore;
  /**
   * The name of this process as an owner, such as a URL under which it answers. Another process that opens the conversation
   * meanwhile reads it in the `cause` of `OWNED`. Default: the process id and the host name.
   */
  readonly owner?: string;
  /**
   * Treatment of a run whose process ended. `pause`: the run is paused, and calls that have not started wait for a person. `resume`:
   * the status stays `running`, no event is appended for it, and `LocalConversation.resumeRun` continues it. In both cases started
   * calls get the result "outcome unknown", and permissions are forgotten (P4, P5, P10). If other calls waited for a person
   * beside them, the conversation waits for the person. A child conversation whose `meta` has not `WORKS_ALONE` is recovered in any
   * case, and so is a run that another program left or that a fork was made of. Default `pause`.
   */
  readonly interruptedRun?: 'pause' | 'resume';
  /**
   * Hooks; `null` removes the stored hooks. Default: the stored hooks, which the runtime builds again. If it cannot, runs reject
   * `HOOKS_MISSING`, because a stored protection is never dropped.
   */
  readonly hooks?: Hooks | null;
  /**
   * Asks a person about a waiting child, or a child of a child. The person approves or rejects by the child's own methods, then
   * the child continues. Undecided calls keep waiting, and nothing approves them. Without this callback the tool's result names the
   * waiting calls.
   */
  readonly onChildConfirmation?: (child: Conversation) => void | Promise<void>;
  /**
   * Milliseconds for which a call waits for a person, from the moment at which the person is asked. Then it is rejected, with a reason that
   * says so, also after a restart. Calls that a person approved do not expire. Default: calls wait without a limit.
   */
  readonly approvalTimeout?: number;
  /**
   * Metadata of the wire's description beyond these options, such as `user_id`. It is stored as it is with a new conversation and
   * returned unchanged. Default nothing.
   */
  readonly meta?: JsonObject;
  /**
   * The lowest release of OpenHands whose programs read a new conversation. From `>=1.54` on, its log shows the analyzer's ratings as
   * `SecurityAnalysisEvent`. It stays as it is: a stored conversation with another value rejects `INVALID_INPUT`. Default: each release
   * from 1.43.1 on.
   */
  readonly openhands?: OpenHandsReleases;
  /** Encrypts keys and secrets in the store; without a cipher they are stored redacted. */
  readonly cipher?: Cipher;
}

export const OPTION_NAMES: OptionNames<LocalConversationOptions> = {
  ...checks.sharedNames,
  agent: true,
  workspace: true,
  persistenceDir: true,
  store: true,
  owner: true,
  interruptedRun: true,
  hooks: true,
  onChildConfirmation: true,
  approvalTimeout: true,
  meta: true,
  openhands: true,
  cipher: true,
};

const DEFAULT_WORKSPACE = 'workspace/project';

/** Returns the fields that the options set. Throws `INVALID_INPUT` for a wrong option. */
export function givenFields(options: LocalConversationOptions): Partial<StateFields> {
  const { clientTools, confirmationPolicy, securityAnalyzer, hooks, stuckDetection, tags, title } = options;
  return {
    ...checks.limits(options),
    ...(stuckDetection === undefined ? {} : { stuckDetection: checkStuckDetection(stuckDetection) }),
    ...(confirmationPolicy === undefined ? {} : { confirmationPolicy: parseConfirmationPolicy(confirmationPolicy) }),
    ...(securityAnalyzer === undefined ? {} : { securityAnalyzer: checkAnalyzer(securityAnalyzer).description }),
    ...(hooks === undefined ? {} : { hookConfig: checkHooks(hooks)?.config ?? null }),
    ...(clientTools === undefined ? {} : { clientTools: checkClientTools(clientTools, options.agent) }),
    ...(tags === undefined ? {} : { tags: checks.tags(tags) }),
    ...(title === undefined ? {} : { title: checks.title(title) }),
    ...(options.agent === undefined ? {} : { agent: describeAgent(options.agent, options.cipher) }),
  };
}

/** Returns the absolute folder of the options and creates it when missing, unless it is an executor's. Throws `INVALID_INPUT`. */
export function givenFolder({ workspace }: LocalConversationOptions): string | undefined {
  if (workspace === undefined) return undefined;
  if (executorOf({ workspace })) return (workspace as LocalWorkspaceDescription).workingDir;
  const folder = typeof workspace === 'string' ? workspace : workspace?.workingDir;
  if (typeof folder === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(folder))
    throw checks.invalid(
      'Conversation: workspace: expected a folder on this machine, found a URL; give new RemoteWorkspace({ host }) for a server',
    );
  if (folder === '')
    throw checks.invalid(checks.wrongValue('Conversation: workspace', "a folder, such as 'my-project'", folder));
  if (typeof folder === 'string' && (typeof workspace === 'string' || workspace.kind === 'LocalWorkspace'))
    return new LocalWorkspace(folder).workingDir;
  throw checks.invalid(
    checks.wrongValue('Conversation: workspace', "a folder on this machine, such as 'my-project'", workspace),
  );
}

/** Returns the executor of the workspace. Throws `INVALID_INPUT` for anything else in its place. */
export function executorOf({ workspace }: Pick<LocalConversationOptions, 'workspace'>): Executor | undefined {
  const executor = typeof workspace === 'object' ? workspace?.executor : undefined;
  if (executor === undefined || (typeof executor.execute === 'function' && typeof executor.end === 'function'))
    return executor;
  throw checks.invalid(checks.wrongValue('Conversation: workspace.executor', 'executeIn(workspace)', executor));
}

export function defaultFolder(): string {
  return resolve(DEFAULT_WORKSPACE);
}

/** Returns the stored description of an agent. */
export function describeAgent(agent: Agent, cipher: Cipher | undefined): JsonObject {
  return agent.describe(cipher ? { secrets: 'encrypted', cipher } : { secrets: 'redacted' });
}
