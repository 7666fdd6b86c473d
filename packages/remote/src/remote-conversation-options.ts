import {
  checks,
  type Agent,
  type Hooks,
  type JsonObject,
  type OptionNames,
  type RemoteWorkspaceDescription,
  type SharedOptions,
} from '@conv/core';
import type { HookConfig } from '@conv/openhands/descriptions';

import type { RemoteWorkspace } from './workspace/remote-workspace.ts';
import type { StartableWorkspace } from './workspace/startable-workspace.ts';

/** Options to open or create a conversation on a server. Given options override stored ones; defaults never do. */
export interface RemoteConversationOptions extends SharedOptions {
  /**
   * Agent of a new conversation, required there: an agent, whose description is sent with the keys of its model, or a description.
   * A stored conversation keeps its own agent; a given agent must be of the same kind. The server runs the tools that it has. This
   * process executes tools of `defineTool` that the server lacks, in runs that this object starts; give them again on resume.
   * Rejects `UNSUPPORTED`, which names a tool that neither side can run.
   */
  readonly agent?: Agent | JsonObject;
  /** The server, and the folder there that the agent works in. A server that starts on first use is started. */
  readonly workspace: RemoteWorkspace | StartableWorkspace | RemoteWorkspaceDescription;
  /** Not accepted, because servers have their own store. */
  readonly persistenceDir?: never;
  /** Not accepted, because servers have their own store. */
  readonly store?: never;
  /** Hooks of a new conversation, which the server runs. Functions cannot be sent. Default none. */
  readonly hooks?: Hooks | HookConfig | null;
  /**
   * The lowest release of OpenHands whose programs read a new conversation. From `>=1.54` on, its log shows the analyzer's ratings as
   * `SecurityAnalysisEvent`. It stays as it is: a stored conversation with another value rejects `INVALID_INPUT`. OpenHands' servers
   * ignore it: their release decides. Default: each release from 1.43.1 on.
   */
  readonly openhands?: `>=${string}`;
  /** True to have the server make a title from the first message. Default `false`. */
  readonly autotitle?: boolean;
}

export const OPTION_NAMES: OptionNames<RemoteConversationOptions> = {
  ...checks.sharedNames,
  agent: true,
  workspace: true,
  persistenceDir: true,
  store: true,
  hooks: true,
  autotitle: true,
  openhands: true,
};
