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

/** How a local conversation is opened or made. What is given overrides what is stored; defaults never do. */
export interface LocalConversationOptions {
  /** Needed for a new conversation; a stored one finds its own through `agents`. */
  readonly agent?: Agent;
  /** The folder that the agent works in, made when it is not there. Default: the stored one, or `workspace/project`. */
  readonly workspace?: string | LocalWorkspaceDescription;
  /** A UUID. Default: a new one. */
  readonly id?: string;
  /** `never`: reject `NOT_FOUND` when it is not there; `must`: reject `EXISTS` when it is. Default `ifMissing`. */
  readonly create?: 'never' | 'ifMissing' | 'must';
  /** Where conversations are kept. Default `workspace/conversations`. Not together with `store`. */
  readonly persistenceDir?: string;
  /** A store of the caller's, who closes it. */
  readonly store?: ConversationStore;
  /**
   * What this process calls itself: whoever opens the conversation meanwhile reads it in the `cause` of `OWNED`, such as a URL under which
   * the owner answers. Default: its number and the name of the machine.
   */
  readonly owner?: string;
  /**
   * What becomes of a run that was on when its process ended. `rest`: it is paused, and what has not started waits for a person. `keep`: the
   * status stays `running`, no event is appended for it, and `LocalConversation.takeUp` goes on with it. Calls that had started get the
   * result "outcome unknown", and permissions are forgotten, as with `rest` (P4, P5, P10); where other calls waited for a person
   * beside them, that is what the conversation does. A conversation that works for another one is brought to rest in any case, and
   * so is a run that another program left or that a fork was made of. Default `rest`.
   */
  readonly interruptedRun?: 'rest' | 'keep';
  /** Model responses per run. Default 500. */
  readonly maxIterations?: number;
  /** US dollars per run, above 0; `null`: no limit. Default `null`. */
  readonly maxBudgetPerRun?: number | null;
  /** US dollars of all runs together; `null`: no limit. Default `null`. */
  readonly maxBudget?: number | null;
  /** Milliseconds per call of a tool; `null`: no limit. Default `null`. */
  readonly toolTimeout?: number | null;
  /** Whether loops are looked for, by the runtime's detector. Default `true`. */
  readonly stuckDetection?: boolean;
  /** As the wire describes it. Default `{ kind: 'NeverConfirm' }`. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /** As the wire describes it, or one of the caller's, to be given again on resume; `null` removes it. Default `null`. */
  readonly securityAnalyzer?: SecurityAnalyzerInput | null;
  /**
   * Hooks; `null` removes the stored ones. Default: the stored ones, which the runtime builds again. Where it cannot, runs reject
   * `HOOKS_MISSING`: a stored protection is never dropped.
   */
  readonly hooks?: Hooks | null;
  /** Secrets to add, replace or, with `null`, remove. Rejects `UNSUPPORTED` when the runtime was given no vault. */
  readonly secrets?: SecretUpdate;
  /**
   * Tools that the caller declares and carries out. A conversation keeps those that it has; new ones come behind them, and one that
   * is given again has the same parameters. Default none.
   */
  readonly clientTools?: readonly ClientToolInput[];
  /** Keys `[a-z0-9]+`, values up to 256 characters. Replaces all. Default none. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly title?: string;
  /** The conversation of the same store that this new one belongs to and is never less strict than. */
  readonly parentId?: string;
  /**
   * Asks a person about a conversation that works for this one, or for one of those, when it waits: approve or reject by its own
   * methods, then it goes on; what is not decided on waits, and nothing approves it. Without this the tool's result names what waits.
   */
  readonly onChildConfirmation?: (child: Conversation) => void | Promise<void>;
  /**
   * What the wire's description of the conversation says beyond these options, such as `user_id`: kept with a new conversation and
   * given back unchanged. Stored as it is. Default nothing.
   */
  readonly meta?: JsonObject;
  /** Follow the conversation from its next event on. */
  readonly subscribers?: readonly Subscriber[];
  /** One, a class of one, or `null` for none. Closed with the conversation. Default none. */
  readonly visualizer?: VisualizerInput;
  /** Without one, keys and secrets are stored redacted. */
  readonly cipher?: Cipher;
  /** Milliseconds that the end of a run waits for subscribers. Default 1000. */
  readonly subscriberGrace?: number;
  /** Aborting rejects the opening with `signal.reason`; later it means nothing. */
  readonly signal?: AbortSignal;
}

/** Every name of {@link LocalConversationOptions}. */
export const OPTION_NAMES: OptionNames<LocalConversationOptions> = {
  agent: true,
  workspace: true,
  id: true,
  create: true,
  persistenceDir: true,
  store: true,
  owner: true,
  interruptedRun: true,
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

/** The fields that the options name. Throws `INVALID_INPUT` for one that is wrong. */
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

/** The absolute folder that the options name; it is there then. Throws `INVALID_INPUT`. */
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

/** The folder of a conversation whose workspace nobody named. */
export function defaultFolder(): string {
  return resolve(DEFAULT_WORKSPACE);
}

/** The agent as it is stored. */
export function describeAgent(agent: Agent, cipher: Cipher | undefined): JsonObject {
  return agent.describe(cipher ? { secrets: 'encrypted', cipher } : { secrets: 'redacted' });
}
