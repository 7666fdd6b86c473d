import {
  type Agent,
  type ConfirmationPolicyInput,
  type Hooks,
  type JsonObject,
  type OptionNames,
  type RemoteWorkspaceDescription,
  type SecretUpdate,
  type SecurityAnalyzerInput,
  type Subscriber,
  type VisualizerInput,
} from '@conv/core';
import type { ClientToolInput } from '@conv/core/tool';
import type { Platform } from '@conv/core/platform';

import type { RemoteWorkspace } from './workspace/remote-workspace.ts';

/** Options to open or make a conversation on a server. Given options override stored ones; defaults never do. */
export interface RemoteConversationOptions {
  /**
   * Agent of a new conversation, required there: an agent, whose description is sent with the keys of its model, or a description. A
   * stored conversation keeps its own agent; a given agent must be of the same kind. The server runs the tools that it has. Tools of
   * `defineTool` that it lacks are carried out here, in runs that this object starts, and must be given again on resume. Rejects
   * `UNSUPPORTED`, which names a tool that neither side can run.
   */
  readonly agent?: Agent | JsonObject;
  /** The server, and the folder there that the agent works in. */
  readonly workspace: RemoteWorkspace | RemoteWorkspaceDescription;
  /** Gives times, timers and ids. Default: the platform of the workspace. */
  readonly platform?: Platform | undefined;
  /** A UUID. Default: a new one. */
  readonly id?: string;
  /** `never`: reject `NOT_FOUND` when it is not there; `must`: reject `EXISTS` when it is. Default `ifMissing`. */
  readonly create?: 'never' | 'ifMissing' | 'must';
  /** Servers store by themselves. */
  readonly persistenceDir?: never;
  /** Servers store by themselves. */
  readonly store?: never;
  /** Model responses per run. Default 500. */
  readonly maxIterations?: number;
  /** US dollars per run, above 0; `null`: no limit. Default `null`. */
  readonly maxBudgetPerRun?: number | null;
  /** US dollars of all runs together; `null`: no limit. Default `null`. */
  readonly maxBudget?: number | null;
  /** Milliseconds per call of a tool; `null`: no limit. Default `null`. */
  readonly toolTimeout?: number | null;
  /** True if loops are looked for. Default `true`. */
  readonly stuckDetection?: boolean;
  /** As the wire describes it. Default `{ kind: 'NeverConfirm' }`. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /** As the wire describes it, or an analyzer of the caller, whose description is sent; `null` removes it. Default `null`. */
  readonly securityAnalyzer?: SecurityAnalyzerInput | null;
  /** Hooks that the server runs, of a new conversation: as they are configured, functions cannot be sent. Default none. */
  readonly hooks?: Hooks | JsonObject | null;
  /** Secrets to add, replace or, with `null`, remove. Values and where to look them up; functions cannot be sent. */
  readonly secrets?: SecretUpdate;
  /** Keys `[a-z0-9]+`, values up to 256 characters. Replaces all. Default none. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly title?: string;
  /** The server makes a title of the first message. Default `false`. */
  readonly autotitle?: boolean;
  /** The conversation of the same server that this new one belongs to. */
  readonly parentId?: string;
  /**
   * Tools that run at a client, of a new conversation. `answers: 'caller'` rejects `UNSUPPORTED` on a server that takes no answers; see
   * `features.answerCall`.
   */
  readonly clientTools?: readonly ClientToolInput[];
  /** Follow the conversation from its next event on. */
  readonly subscribers?: readonly Subscriber[];
  /** A visualizer, a class of visualizers, or `null` for none. Closed with the conversation. Default none. */
  readonly visualizer?: VisualizerInput;
  /** Milliseconds that the end of a run waits for subscribers. Default 1000. */
  readonly subscriberGrace?: number;
  /** Aborting rejects the opening with `signal.reason`; later it means nothing. */
  readonly signal?: AbortSignal;
}

/** Every name of {@link RemoteConversationOptions}. */
export const OPTION_NAMES: OptionNames<RemoteConversationOptions> = {
  agent: true,
  workspace: true,
  platform: true,
  id: true,
  create: true,
  persistenceDir: true,
  store: true,
  maxIterations: true,
  maxBudgetPerRun: true,
  maxBudget: true,
  toolTimeout: true,
  stuckDetection: true,
  confirmationPolicy: true,
  securityAnalyzer: true,
  hooks: true,
  secrets: true,
  tags: true,
  title: true,
  autotitle: true,
  parentId: true,
  clientTools: true,
  subscribers: true,
  visualizer: true,
  subscriberGrace: true,
  signal: true,
};
