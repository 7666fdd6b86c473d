import type { Limits } from '../state/limits.ts';
import type { ActionEvent } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { StoredHooks } from '../state/hook-config.ts';
import type { ConfirmationPolicyInput } from '../state/stored-policy.ts';
import type { ExecutionStatus } from '../state/fields.ts';

/** A task that a conversation gives to a child conversation. */
export interface ChildTask {
  /** The task for its agent, sent as a message of its user. */
  readonly prompt: string;
  /** The id of the child to resume. Default: a new child. */
  readonly id?: string;
  /**
   * The agent that works in it. Required for a new child; a child that is resumed uses its stored agent.
   * Any `Agent`, of which this type holds the members that do not depend on tools, because agents have tools and tools give agents.
   * The runtime rejects `INVALID_INPUT` for an object that cannot be started.
   */
  readonly agent?: {
    readonly toolNames: readonly string[];
    /** Returns the configuration of the agent, as the child stores it. */
    readonly describe: () => JsonObject;
  };
  /** The title of a new child: 1 to 200 characters. */
  readonly title?: string;
  /** The tags of a new child: keys `[a-z0-9]+`, values up to 256 characters. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Limits beside the limits of the parent: the smaller limit holds, and is kept. */
  readonly limits?: Partial<Limits>;
  /** Model responses for this task alone, beside the child's limit. */
  readonly maxIterations?: number;
  /** The policy as on the wire. The stricter of this policy and the parent's policy holds. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /** A configuration of hooks, for a child of a conversation without hooks; otherwise the parent's hooks hold. */
  readonly hooks?: StoredHooks;
}

/** The tool call that a child works for. */
export interface ChildCall {
  /** The id that the model gave to the call. */
  readonly toolCallId: string;
  /** Aborted when the call is interrupted. */
  readonly signal: AbortSignal;
}

/** The result of a child's work. */
export interface ChildResult {
  /** The child's id, by which it is opened, listed and resumed. */
  readonly id: string;
  /** `finished`: it has answered. Any other status: it ended early. */
  readonly status: ExecutionStatus;
  /** Its final answer; `''` without an answer. */
  readonly answer: string;
  /** The reason of an early end, from its newest ConversationErrorEvent, or why no person could be asked. */
  readonly error?: string;
  /** The actions that wait for a person's decision. */
  readonly pending: readonly ActionEvent[];
}

/** The facts about a child that are known without opening it. */
export interface ChildSummary {
  readonly id: string;
  readonly title: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: ExecutionStatus;
}

/**
 * Conversations that belong to the conversation of a tool. Each is a conversation of the same store with a log of its own. Its
 * parent gets only the tool's answer, and the cost, under `task:` and the child's id. A child is never less strict (P10):
 * policy, analyzer, hooks, limits and secrets are its parent's or stricter.
 */
export interface ChildConversations {
  /** Resolves with the child with this id; `undefined` for a conversation that is not there or belongs to another parent. */
  find(id: string): Promise<ChildSummary | undefined>;
  /**
   * Lets a child work until it has answered, is stopped by a limit or an error, or needs a person who cannot be asked. Then the
   * result names the waiting actions, and only a person can approve them. A child that is resumed first executes the actions
   * that a person approved meanwhile; while actions still wait, the prompt is not sent. Any number of children may work at the
   * same time.
   *
   * Resolves when the child's work and its cost are stored and the child is released, so that it can be opened. Aborting
   * `signal` interrupts it and rejects with `signal.reason`; it can be resumed, and the result of the interrupted call names
   * its id. Rejects `NOT_FOUND` when no child has the id, `BUSY` when it is at work already, `UNSUPPORTED` when conversations
   * are nested too deep, `AGENT_REQUIRED` when its agent cannot be found, and as opening a conversation does.
   */
  run(task: ChildTask, call: ChildCall): Promise<ChildResult>;
}
