import { resolve } from 'node:path';

import {
  type Agent,
  type ConfirmationPolicyInput,
  type Cipher,
  type Conversation,
  type Hooks,
  type JsonObject,
  type LocalWorkspaceDescription,
  type OptionNames,
  parseConfirmationPolicy,
  type SecretUpdate,
  type SecurityAnalyzerInput,
  type StateFields,
  type Subscriber,
  type VisualizerInput,
  wrongValue,
} from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { ClientToolInput } from '@conv/core/tool';
import type { Platform } from '@conv/core/platform';

import {
  checkAnalyzer,
  checkHooks,
  checkLimits,
  checkStuckDetection,
  checkTags,
  checkTitle,
  invalid,
} from './check-settings.ts';
import { checkClientTools } from './client-tools.ts';
import { LocalWorkspace } from './local-workspace.ts';

/** Options for opening or creating a local conversation. Given options override the stored settings; defaults never do. */
export interface LocalConversationOptions {
  /** The agent. A new conversation needs it; a stored conversation finds its own through `agents`. */
  readonly agent?: Agent;
  /** The folder that the agent works in, created when missing. Default: the stored folder, or `workspace/project`. */
  readonly workspace?: string | LocalWorkspaceDescription;
  /** The conversation's UUID. Default: a new UUID. */
  readonly id?: string;
  /**
   * Creation. `never`: reject `NOT_FOUND` when the conversation is missing; `must`: reject `EXISTS` when it exists. Default
   * `ifMissing`.
   */
  readonly create?: 'never' | 'ifMissing' | 'must';
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
   * Treatment of a run whose process ended. `rest`: the run is paused, and calls that have not started wait for a person. `keep`:
   * the status stays `running`, no event is appended for it, and `LocalConversation.takeUp` continues it. In both cases started
   * calls get the result "outcome unknown", and permissions are forgotten (P4, P5, P10). If other calls waited for a person
   * beside them, the conversation waits for the person. A child conversation is settled in any case, and so is a run that another
   * program left or that a fork was made of. Default `rest`.
   */
  readonly interruptedRun?: 'rest' | 'keep';
  /** Gives times, timers and ids, also to its children. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
  /** Model responses per run. Default 500. */
  readonly maxIterations?: number;
  /** US dollars per run, above 0; `null`: no limit. Default `null`. */
  readonly maxBudgetPerRun?: number | null;
  /** US dollars of all runs together; `null`: no limit. Default `null`. */
  readonly maxBudget?: number | null;
  /** Milliseconds per call of a tool; `null`: no limit. Default `null`. */
  readonly toolTimeout?: number | null;
  /** True if the runtime's detector looks for loops. Default `true`. */
  readonly stuckDetection?: boolean;
  /** The confirmation policy as the wire describes it. Default `{ kind: 'NeverConfirm' }`. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /**
   * The analyzer as the wire describes it, or the caller's own, to be given again on resume; `null` removes it. Default `null`.
   */
  readonly securityAnalyzer?: SecurityAnalyzerInput | null;
  /**
   * Hooks; `null` removes the stored hooks. Default: the stored hooks, which the runtime builds again. If it cannot, runs reject
   * `HOOKS_MISSING`, because a stored protection is never dropped.
   */
  readonly hooks?: Hooks | null;
  /** Secrets to add, replace or, with `null`, remove. Rejects `UNSUPPORTED` when the runtime was given no vault. */
  readonly secrets?: SecretUpdate;
  /**
   * Tools that the caller declares and executes. A conversation keeps its client tools and appends new ones. A tool that is given
   * again must have the same parameters. Default none.
   */
  readonly clientTools?: readonly ClientToolInput[];
  /** Keys `[a-z0-9]+`, values up to 256 characters. Replaces all. Default none. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly title?: string;
  /** The parent conversation in the same store. The new conversation is never less strict than its parent. */
  readonly parentId?: string;
  /**
   * Asks a person about a waiting child, or a child of a child. The person approves or rejects by the child's own methods, then
   * the child goes on. Undecided calls keep waiting, and nothing approves them. Without this callback the tool's result names the
   * waiting calls.
   */
  readonly onChildConfirmation?: (child: Conversation) => void | Promise<void>;
  /**
   * Metadata of the wire's description beyond these options, such as `user_id`. It is stored as it is with a new conversation and
   * returned unchanged. Default nothing.
   */
  readonly meta?: JsonObject;
  /** Subscribers that follow the conversation from its next event on. */
  readonly subscribers?: readonly Subscriber[];
  /** A visualizer, its class, or `null` for none. Closed with the conversation. Default none. */
  readonly visualizer?: VisualizerInput;
  /** Encrypts keys and secrets in the store; without a cipher they are stored redacted. */
  readonly cipher?: Cipher;
  /** Milliseconds that the end of a run waits for subscribers. Default 1000. */
  readonly subscriberGrace?: number;
  /** Aborting rejects the opening with `signal.reason`; it has no effect after that. */
  readonly signal?: AbortSignal;
}

/** The names of {@link LocalConversationOptions}. */
export const OPTION_NAMES: OptionNames<LocalConversationOptions> = {
  agent: true,
  workspace: true,
  id: true,
  create: true,
  persistenceDir: true,
  store: true,
  owner: true,
  interruptedRun: true,
  platform: true,
  maxIterations: true,
  maxBudgetPerRun: true,
  maxBudget: true,
  toolTimeout: true,
  stuckDetection: true,
  confirmationPolicy: true,
  securityAnalyzer: true,
  hooks: true,
  secrets: true,
  clientTools: true,
  tags: true,
  title: true,
  parentId: true,
  onChildConfirmation: true,
  meta: true,
  subscribers: true,
  visualizer: true,
  cipher: true,
  subscriberGrace: true,
  signal: true,
};

const DEFAULT_WORKSPACE = 'workspace/project';

/** Returns the fields that the options set. Throws `INVALID_INPUT` for a wrong option. */
export function givenFields(options: LocalConversationOptions): Partial<StateFields> {
  const { clientTools, confirmationPolicy, securityAnalyzer, hooks, stuckDetection, tags, title } = options;
  return {
    ...checkLimits(options),
    ...(stuckDetection === undefined ? {} : { stuckDetection: checkStuckDetection(stuckDetection) }),
    ...(confirmationPolicy === undefined
      ? {}
      : { confirmationPolicy: { ...parseConfirmationPolicy(confirmationPolicy) } }),
    ...(securityAnalyzer === undefined ? {} : { securityAnalyzer: checkAnalyzer(securityAnalyzer).description }),
    ...(hooks === undefined ? {} : { hookConfig: checkHooks(hooks)?.config ?? null }),
    ...(clientTools === undefined ? {} : { clientTools: checkClientTools(clientTools, options.agent) }),
    ...(tags === undefined ? {} : { tags: checkTags(tags) }),
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(options.agent === undefined ? {} : { agent: describeAgent(options.agent, options.cipher) }),
  };
}

/** Returns the absolute folder of the options and creates it when missing. Throws `INVALID_INPUT`. */
export function givenFolder({ workspace }: LocalConversationOptions): string | undefined {
  if (workspace === undefined) return undefined;
  const folder = typeof workspace === 'string' ? workspace : workspace?.workingDir;
  if (typeof folder === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(folder))
    throw invalid(
      'Conversation: workspace: expected a folder on this machine, found a URL; give new RemoteWorkspace({ host }) for a server',
    );
  if (folder === '') throw invalid(wrongValue('Conversation: workspace', "a folder, such as 'my-project'", folder));
  if (typeof folder === 'string' && (typeof workspace === 'string' || workspace.kind === 'LocalWorkspace'))
    return new LocalWorkspace(folder).workingDir;
  throw invalid(wrongValue('Conversation: workspace', "a folder on this machine, such as 'my-project'", workspace));
}

/** Returns the default folder of a new conversation. */
export function defaultFolder(): string {
  return resolve(DEFAULT_WORKSPACE);
}

/** Returns the stored description of an agent. */
export function describeAgent(agent: Agent, cipher: Cipher | undefined): JsonObject {
  return agent.describe(cipher ? { secrets: 'encrypted', cipher } : { secrets: 'redacted' });
}
