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

/** Options to open or make a conversation on a server. Given options override stored ones; defaults never do. */
export interface RemoteConversationOptions extends SharedOptions {
  /**
   * Agent of a new conversation, required there: an agent, whose description is sent with the keys of its model, or a description. A
   * stored conversation keeps its own agent; a given agent must be of the same kind. The server runs the tools that it has. Tools of
   * `defineTool` that it lacks are carried out here, in runs that this object starts, and must be given again on resume. Rejects
   * `UNSUPPORTED`, which names a tool that neither side can run.
   */
  readonly agent?: Agent | JsonObject;
  /** The server, and the folder there that the agent works in. */
  readonly workspace: RemoteWorkspace | RemoteWorkspaceDescription;
  /** Servers store by themselves. */
  readonly persistenceDir?: never;
  /** Servers store by themselves. */
  readonly store?: never;
  /** Hooks that the server runs, of a new conversation: as they are configured, functions cannot be sent. Default none. */
  readonly hooks?: Hooks | HookConfig | null;
  /** The server makes a title of the first message. Default `false`. */
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
};
