import type { CondensableView } from '@conv/core';
import type { EventDraftOfKind, JsonObject } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';
import type { CallRecord } from '@conv/core/store';
import type { Model } from '../model/model.ts';

/** The token count of the last call of the agent's model. */
export interface LastCall {
  readonly responseId: string;
  /** Tokens of its prompt and its answer together. */
  readonly tokens: number;
}

/** Options of {@link Condenser.condense}. */
export interface CondenseOptions {
  /** The events that the model reads, masked and without open calls, and the places where they may be cut. */
  readonly view: CondensableView;
  /** True if a condensation was requested, by a user or after an error: it must happen if anything can be condensed. */
  readonly requested: boolean;
  /** True if the history is still too long after a condensation, or a provider refuses its form: then condense all of it. */
  readonly reset: boolean;
  /** The agent's model, for its limits and for condensers without a model of their own. */
  readonly model: Model;
  /** The id of the conversation, for condensers with a model whose provider keeps prompts together by a key. */
  readonly conversationId: string;
  /** The last call of the agent's model; `undefined` if it is not known. */
  readonly lastCall: LastCall | undefined;
  /** Removes secrets from a text. Mask a text before you cut it. */
  readonly mask: (text: string) => string;
  /** Gives the clocks, timers, random numbers and ids. */
  readonly platform: Platform;
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal;
}

/** A condensation to store, and the model calls that it took. */
export interface Condensed {
  readonly draft: EventDraftOfKind<'Condensation'>;
  readonly records: readonly CallRecord[];
}

/**
 * Shortens the history that the model reads. The log keeps all events; a Condensation names the events that the model no longer
 * sees, and the summary in their place. Immutable and shared by conversations.
 */
export interface Condenser {
  /** True if the condenser takes explicit requests. A context overflow is answered with such a request, too. */
  readonly handlesRequests: boolean;
  /** Returns the wire's condenser object, secrets in plain text. `llm` is that of the agent, for its condensers. */
  describe(llm: JsonObject): JsonObject;
  /** Returns values that must never show, such as the key of the condenser's own model. */
  readonly secretValues?: () => readonly string[];
  /** Resolves with `undefined` when there is nothing to do. Rejects `LlmError`, or `signal.reason` unchanged. */
  condense(options: CondenseOptions): Promise<Condensed | undefined>;
}
