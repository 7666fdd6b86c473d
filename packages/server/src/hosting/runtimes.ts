import type { JsonObject } from '@conv/core';
import type { Executor } from '@conv/core/tool';

/** The runtime in which tools act in the process of the server. */
export const LOCAL = 'local';

/** Limits of an executor. */
export interface ExecutorLimits {
  /** Bytes of memory. */
  readonly memory?: number;
  /** Number of processors, also a part of one. */
  readonly processors?: number;
}

/** A conversation whose tools act in an executor. */
export interface ExecutedConversation {
  readonly id: string;
  /** The absolute folder in which it works. */
  readonly workingDirectory: string;
  /** The absolute folder for output that is too long for the log. */
  readonly sideDirectory: string;
  /** Limits that its client asked for. */
  readonly limits: ExecutorLimits;
}

/** The executor of one conversation, and of its sub-agents. */
export interface ConversationExecutor {
  /** Starts with its first request, and again with the next one if it has ended. */
  readonly executor: Executor;
  /**
   * Stops it. The files of the conversation stay. Called before this server gives up the conversation. `isTakenOver`: another server has, or may have,
   * the conversation now, and may use what this executor uses. Idempotent.
   */
  close(options: { readonly isTakenOver: boolean }): Promise<void>;
}

/** A runtime whose tools act outside of the server's process: each conversation has an executor of its own. */
export interface ExecutorRuntime {
  /** The limits that a client may ask for, at most. A limit that does not stand here is refused. Default: none may be asked for. */
  readonly most?: ExecutorLimits;
  /** False if conversations cannot work in a git worktree. Default `true`. */
  readonly worktrees?: boolean;
  /**
   * Returns the executor of a conversation. Called when the conversation is loaded; starts nothing. Closed when it is unloaded, before
   * it is loaded again.
   */
  open(conversation: ExecutedConversation): ConversationExecutor;
  /** Removes what the executor of a deleted conversation left. Default: it leaves nothing. */
  remove?(conversationId: string): Promise<void>;
}

/** The places in which tools of conversations act, by the names that clients give in `conversation_runtime`. */
export interface RuntimesOptions {
  /** The runtime of a conversation whose client names none. */
  readonly default: string;
  /** The runtimes that conversations may have; `local: true` is one of them. */
  readonly offered: Readonly<Record<string, ExecutorRuntime | true>>;
}

/** The runtimes of a server that has no others. */
const LOCAL_ALONE: RuntimesOptions = { default: LOCAL, offered: { [LOCAL]: true } };

/** The member of a conversation's metadata with its runtime. */
const RUNTIME = 'conversation_runtime';
/** The member of a conversation's metadata with the limits that its client asked for. */
const LIMITS = 'executor_limits';

/** Returns the runtimes of a server. */
export function runtimesOf({ runtimes = LOCAL_ALONE }: { readonly runtimes?: RuntimesOptions }): RuntimesOptions {
  return runtimes;
}

/** Returns the metadata of a conversation that has a runtime. */
export function keptRuntime(name: string, limits: ExecutorLimits): JsonObject {
  return name === LOCAL ? {} : { [RUNTIME]: name, [LIMITS]: { ...limits } };
}

/** Returns the runtime in the metadata of a conversation. */
export function runtimeIn(meta: JsonObject): { readonly name: string; readonly limits: ExecutorLimits } {
  const { [RUNTIME]: name = LOCAL, [LIMITS]: limits } = meta;
  return { name: typeof name === 'string' ? name : LOCAL, limits: (limits ?? {}) as ExecutorLimits };
}

/** True if the metadata of a conversation names its runtime. The metadata of a sub-agent's conversation does not. */
export function hasOwnExecutor(meta: JsonObject): boolean {
  return typeof meta[RUNTIME] === 'string';
}

/** Returns the runtime of this name; `undefined` if the server does not offer it. */
export function offered({ offered: all }: RuntimesOptions, name: string): ExecutorRuntime | true | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
