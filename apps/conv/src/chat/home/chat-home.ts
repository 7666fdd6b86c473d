import type {
  ConfirmationPolicyInput,
  Conversation,
  RunResult,
  SecurityAnalyzer,
  SecurityAnalyzerDescription,
} from '@conv/core';

import type { ChildListener } from '../session/child-news.ts';
import type { ServerEvent } from '../../server/server-watch.ts';

/** A policy under the name by which people choose it. */
export type PolicyName = 'never' | 'risky' | 'always';

/** The connection to the place of the conversations, if it can be lost. */
export interface ChatConnection {
  /** Calls back when the server stops answering, with the reason, and when it answers again. Returns the end of listening. */
  watch(listener: (event: ServerEvent) => void): () => void;
}

/** The place whose conversations a chat opens: a store of this machine, or a server. The command makes it from its options. */
export interface ChatHome {
  /** The place in words, such as `in /home/ann/conversations` or `on http://127.0.0.1:8000`. */
  readonly place: string;
  /** True if a run goes on when the chat leaves. */
  readonly runsOn: boolean;
  /** The file that keeps what was typed; `undefined` keeps nothing. */
  readonly historyFile: string | undefined;
  /** Present if the place can become unreachable. */
  readonly connection?: ChatConnection;
  /** Opens the conversation with this whole id, or makes a new one. Rejects `ConversationError`. */
  open(id: string | undefined): Promise<Conversation>;
  /** Lets the agent work, or joins the run that goes on. Resolves and rejects as `Conversation.run` does. */
  run(conversation: Conversation): Promise<RunResult>;
  /** Names of models to choose from; empty when the place knows none. */
  models(): Promise<readonly string[]>;
  /** Returns the model of this name, as `ConversationSettings.setModel` takes it here. Rejects when it lacks a key or is no name. */
  modelNamed(name: string, conversation: Conversation): unknown;
  /** Returns the model of a fork that came without its key, as `setModel` takes it; `undefined` if its key is not known here. */
  modelOfFork?(conversation: Conversation): unknown;
  /** The analyzer whose ratings a policy for risky calls goes by. */
  analyzer(): Promise<SecurityAnalyzer | SecurityAnalyzerDescription>;
  /** Calls back with news of the sub-agents of a conversation. Returns the end of listening. */
  watchChildren(conversation: Conversation, listener: ChildListener): () => void;
  /** Returns the command that comes back to this conversation, or shows all of it. */
  commandFor(id: string, command: 'chat' | 'show'): string;
}

/** The policies by name, from the least strict on. */
export const POLICIES: Readonly<Record<PolicyName, ConfirmationPolicyInput>> = {
  never: { kind: 'NeverConfirm' },
  risky: { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
  always: { kind: 'AlwaysConfirm' },
};
