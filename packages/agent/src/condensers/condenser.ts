import type { CondensableView } from '@conv/core';
import type { EventDraftOfKind, JsonObject } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import type { Model } from '../model/model.ts';

/** What the last call of the agent's model counted. */
export interface LastCall {
  readonly responseId: string;
  /** Tokens of its prompt and its answer together. */
  readonly tokens: number;
}

/** The input of a condenser. */
export interface CondenserInput {
  /** What the model reads, masked and without open calls, and where it may be cut. */
  readonly view: CondensableView;
  /** Somebody asked for a condensation: it must come if anything can be condensed. */
  readonly requested: boolean;
  /** The history is still too long after a condensation, or a provider refuses its form: all of it is to go. */
  readonly reset: boolean;
  /** The agent's model, for condensers without one of their own, and for its limits. */
  readonly model: Model;
  /** For condensers with a model of their own whose provider keeps prompts together by a key. */
  readonly conversationId: string;
  /** `undefined` when nothing is known of it. */
  readonly lastCall: LastCall | undefined;
  /** Takes secrets out of a text; what is cut must be masked before. */
  readonly mask: (text: string) => string;
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal;
}

/** A condensation that is still to be stored, and the calls that it took. */
export interface Condensed {
  readonly draft: EventDraftOfKind<'Condensation'>;
  readonly records: readonly CallRecord[];
}

/**
 * Shortens what the model reads. The log keeps everything; a Condensation says which events the model sees no more, and what
 * stands in their place. Immutable and shared by conversations.
 */
export interface Condenser {
  /** True if the condenser takes explicit requests. A context overflow is answered with such a request, too. */
  readonly handlesRequests: boolean;
  /** The wire's condenser object, secrets in plain text. `llm` is the agent's LLM object, for condensers that use its model. */
  describe(llm: JsonObject): JsonObject;
  /** Values that must never show, such as the key of a model of its own. */
  readonly secretValues?: () => readonly string[];
  /** Resolves `undefined` when there is nothing to do. Rejects `LlmError`, or `signal.reason` untouched. */
  condense(input: CondenserInput): Promise<Condensed | undefined>;
}
