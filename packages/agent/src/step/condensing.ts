import type { CondensableView, StepContext } from '@conv/core';
import { drafts, type EventDraftOfKind } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';
import type { Condenser, LastCall } from '../condensers/condenser.ts';
import type { MaskText } from '../base/mask-text.ts';
import { isLlmError, type LlmError } from '../model/llm-error.ts';
import type { Model } from '../model/model.ts';

/** The number of condensations in a row after which the model is asked even if its condenser wants another one. */
const MAX_IN_A_ROW = 3;

export interface CondensingOptions {
  readonly platform: Platform;
  readonly condenser: Condenser | undefined;
  readonly model: Model;
  readonly usageId: string;
  readonly mask: MaskText;
}

/** Condenses between the steps of one conversation, and remembers the attempts against an error. */
export class Condensing {
  #inARow = 0;
  /** The number of errors since the last answer against which a condensation was requested. */
  #failures = 0;
  /** The open request for a condensation: the error that caused it, and `reset` if cutting off the beginning was not enough. */
  #request: { readonly cause: LlmError; readonly reset: boolean } | undefined;

  /** Condenses if a condensation is due. Resolves true if it did: then the step has done its work. */
  async isDue(view: CondensableView, options: CondensingOptions, context: StepContext): Promise<boolean> {
    if (this.#inARow >= MAX_IN_A_ROW) return false;
    try {
      return await this.#condense({ ...options, view, asked: view.requested }, context);
    } catch (error) {
      // the run ends with this error; the next run continues without the request, because the agent's own model may work
      if (!context.signal.aborted) await this.#dropRequest(context);
      throw error;
    }
  }

  /** Answers a request outside of a run. */
  async answer(options: CondensingOptions, context: StepContext): Promise<void> {
    await this.#condense({ ...options, view: await context.condensableView(), asked: true }, context);
  }

  /**
   * Asks for a condensation if it may help against `error`. A history that is too long loses its older part first, then
   * all of it; a history whose form is refused loses all of it at once. Resolves false if no condensation can help, or
   * all were tried.
   */
  async mayHelp(error: unknown, { condenser }: CondensingOptions, context: StepContext): Promise<boolean> {
    if (condenser?.handlesRequests !== true || !isLlmError(error)) return false;
    const isMalformed = error.code === 'MALFORMED_HISTORY';
    if (!isMalformed && error.code !== 'CONTEXT_WINDOW_EXCEEDED') return false;
    if (this.#failures >= 2) {
      // The next run may try again from the beginning.
      this.answered();
      return false;
    }
    this.#failures = isMalformed ? 2 : this.#failures + 1;
    this.#request = { cause: error, reset: this.#failures === 2 };
    await context.emit([drafts.condensationRequest()]);
    return true;
  }

  /** Forgets all attempts, because the model answered. */
  answered(): void {
    this.#inARow = 0;
    this.#failures = 0;
    this.#request = undefined;
  }

  async #condense(work: CondensingWork, context: StepContext): Promise<boolean> {
    const { platform, condenser, view, model, mask, asked } = work;
    if (condenser === undefined) return false;
    const { signal } = context;
    const requested = asked && condenser.handlesRequests;
    const lastCall = lastCallOf(work, context);
    const { id: conversationId } = context.state;
    const condensed = await condenser.condense({
      platform,
      view,
      requested,
      reset: this.#request?.reset === true,
      model,
      conversationId,
      lastCall,
      mask,
      signal,
    });
    signal.throwIfAborted();
    if (!condensed && !requested) return false;
    const cause = this.#request?.cause;
    this.#request = undefined;
    await context.emit([condensed?.draft ?? nothingForgotten()], condensed?.records ?? []);
    if (condensed) this.#inARow += 1;
    else if (cause) this.#giveUp(cause);
    return true;
  }

  async #dropRequest(context: StepContext): Promise<void> {
    const { requested } = await context.condensableView();
    if (!requested) return;
    this.answered();
    await context.emit([nothingForgotten()]);
  }

  #giveUp(cause: LlmError): never {
    this.answered();
    throw cause;
  }
}

interface CondensingWork extends CondensingOptions {
  readonly view: CondensableView;
  readonly asked: boolean;
}

/** Returns a condensation that forgets nothing: it answers a request, which would otherwise be open at every step. */
function nothingForgotten(): EventDraftOfKind<'Condensation'> {
  return drafts.condensation({ llm_response_id: '' });
}

function lastCallOf({ usageId }: CondensingOptions, { state: { stats } }: StepContext): LastCall | undefined {
  const used = Object.hasOwn(stats, usageId) ? stats[usageId] : undefined;
  return used && { responseId: used.lastResponseId, tokens: used.perTurnTokens };
}
