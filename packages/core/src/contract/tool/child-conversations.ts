import type { Limits } from '../state/limits.ts';
import type { ActionEvent } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { ConfirmationPolicyInput } from '../safeguards/confirmation-policy.ts';
import type { ExecutionStatus } from '../state/fields.ts';

/**
 * An agent for a child conversation: any `Agent`. Tools are made by agents and start children with agents, so this type holds what
 * can be said of an agent without its tools, and the runtime rejects `INVALID_INPUT` for an object that cannot be started.
 */
export interface ChildAgent {
  /** The names of its tools. */
  readonly toolNames: readonly string[];
  /** Returns the agent as the wire's agent object. */
  describe(): JsonObject;
}

/** Work that one conversation gives to another. */
export interface ChildTask {
  /** What its agent is told, as a message of its user. */
  readonly prompt: string;
  /** The child to go on with. Default: a new one. */
  readonly id?: string;
  /** Who works in it. A new child needs one; one that is taken up again finds its own, as a stored conversation does. */
  readonly agent?: ChildAgent;
  /** Of a new child: 1 to 200 characters. */
  readonly title?: string;
  /** Of a new child: keys `[a-z0-9]+`, values up to 256 characters. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Limits beside those of the conversation that it belongs to: the smaller one holds, and is kept. */
  readonly limits?: Partial<Limits>;
  /** Model responses for this task alone, beside the child's limit. */
  readonly maxIterations?: number;
  /** As the wire describes it. The stricter one of this and the policy of the conversation that it belongs to holds. */
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  /** A configuration of hooks, for a child of a conversation that has none: else that one's hooks hold. */
  readonly hooks?: JsonObject;
}

/** What a child works for. */
export interface ChildCall {
  /** The id that the model gave to the call. */
  readonly toolCallId: string;
  /** Aborted when the call is interrupted. */
  readonly signal: AbortSignal;
}

/** How a child's work ended. */
export interface ChildResult {
  /** The child's id, by which it is opened, listed and taken up again. */
  readonly id: string;
  /** `finished`: it has answered. Anything else: it did not come to its end. */
  readonly status: ExecutionStatus;
  /** Its final response; `''` when it gave none. */
  readonly answer: string;
  /** Why it ended early, from its newest ConversationErrorEvent, or why no person could be asked. */
  readonly error?: string;
  /** The actions that wait for a person's decision. */
  readonly pending: readonly ActionEvent[];
}

/** What is known of a child without opening it. */
export interface ChildSummary {
  readonly id: string;
  readonly title: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: ExecutionStatus;
}

/**
 * Conversations that belong to the one that a tool works in. Each is a conversation of the same store with a log of its own; the
 * conversation that it belongs to has nothing of it but what its tool answers, and what it cost, under `task:` and the child's id.
 * A child is never less strict (P10): policy, analyzer, hooks, limits and secrets are its parent's or stricter.
 */
export interface ChildConversations {
  /** The child with this id; `undefined` for a conversation that is not there or belongs to another one. */
  find(id: string): Promise<ChildSummary | undefined>;
  /**
   * Has a child work until it has answered, is stopped by a limit or an error, or waits for a person whom nobody can ask: then the
   * result names the actions that wait, and they are never approved by anything else. A child that is taken up again first carries
   * out what a person approved meanwhile; while it still waits, the prompt is not sent. Any number may work at the same time.
   *
   * Resolves when the child's work and its cost are stored and it was given up, so that it can be opened. Aborting `signal`
   * interrupts it and rejects with `signal.reason`; it can be taken up again, and the result of the interrupted call says by which
   * id. Rejects `NOT_FOUND` when no child has the id, `BUSY`
   * when it is at work already, `UNSUPPORTED` when conversations are nested too deep, `AGENT_REQUIRED` when its agent
   * cannot be found, and as opening a conversation does.
   */
  run(task: ChildTask, call: ChildCall): Promise<ChildResult>;
}
