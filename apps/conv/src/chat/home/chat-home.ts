import type {
  ConfirmationPolicyInput,
  Conversation,
  RunOptions,
  RunResult,
  SecurityAnalyzer,
  SecurityAnalyzerDescription,
} from '@conv/core';
import type { McpConfig } from '@conv/tools';

import type { ChildListener } from '../session/child-news.ts';
import type { ServerEvent } from '../../server/server-watch.ts';

/** The short name of a policy. */
export type PolicyName = 'never' | 'risky' | 'always';

/** The connection to the place of the conversations, if it can be lost. */
export interface ChatConnection {
  /**
   * Calls back when the server stops answering, with the reason, and when it answers again. Returns a function that ends the watch.
   */
  watch(listener: (event: ServerEvent) => void): () => void;
}

/** The place that an editor names for a session. */
export interface SessionFolder {
  /** The folder of the agent of a new conversation. */
  readonly workspace: string;
  /** MCP servers beside those of the options. Empty: none. */
  readonly servers: McpConfig;
}

/** The place of a chat's conversations: a local store or a server. The command makes it from its options. */
export interface ChatHome {
  /** The place in words, such as `in /home/ann/conversations` or `on http://127.0.0.1:8000`. */
  readonly place: string;
  /** A sentence about what confines commands; absent for a server, which decides itself. */
  readonly notice?: string;
  /** True if a run continues after the user leaves the chat. */
  readonly runsOn: boolean;
  /** The input history file; `undefined` for no history. */
  readonly historyFile: string | undefined;
  /** Present if the place can become unreachable. */
  readonly connection?: ChatConnection;
  /**
   * Opens the conversation with this whole id, or makes a new one. `folder` replaces the folder of the options, and adds MCP servers.
   * Rejects `ConversationError`.
   */
  open(id: string | undefined, folder?: SessionFolder): Promise<Conversation>;
  /** Lets the agent work, or joins the active run. Resolves and rejects as `Conversation.run` does. */
  run(conversation: Conversation, options: Pick<RunOptions, 'approves'>): Promise<RunResult>;
  /** Names of models to choose from; empty when the place knows none. */
  models(): Promise<readonly string[]>;
  /** Returns the model of this name, as `ConversationSettings.setModel` takes it here. Rejects when it lacks a key or is no name. */
  modelNamed(name: string, conversation: Conversation): unknown;
  /** Returns the model of a fork that came without its key, as `setModel` takes it; `undefined` if its key is not known here. */
  modelOfFork?(conversation: Conversation): unknown;
  /** Returns the analyzer whose ratings a policy for risky calls uses. */
  analyzer(): Promise<SecurityAnalyzer | SecurityAnalyzerDescription>;
  /** Calls back with each line about a login at an MCP server that the user must make. Returns a function that ends the watch. Absent for a server. */
  watchLogins?(listener: (line: string) => void): () => void;
  /** Calls back with news of the sub-agents of a conversation. Returns a function that ends the watch. */
  watchChildren(conversation: Conversation, listener: ChildListener): () => void;
  /** Returns the shell command that reopens this conversation, or shows all of it. */
  commandFor(id: string, command: 'chat' | 'show'): string;
}

/** The policies by name, from the least strict on. */
export const POLICIES: Readonly<Record<PolicyName, ConfirmationPolicyInput>> = {
  never: { kind: 'NeverConfirm' },
  risky: { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
  always: { kind: 'AlwaysConfirm' },
};
