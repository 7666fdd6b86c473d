import { abortable, type ConversationState } from '@conv/core';
import { eventGuards, type ActionEvent, type ObservationLikeEvent } from '@conv/core/events';

/** Watches one call until its result is durable. */
export class ResultWatch {
  readonly #state: ConversationState;
  readonly #subscription: ReturnType<ConversationState['subscribe']>;
  readonly #seen = Promise.withResolvers<void>();
  #result: ObservationLikeEvent | undefined;

  constructor(state: ConversationState, { tool_call_id: id }: Pick<ActionEvent, 'tool_call_id'>) {
    this.#state = state;
    this.#subscription = state.subscribe({
      onEvent: (event) => {
        if (!eventGuards.isObservationLike(event) || event.tool_call_id !== id) return;
        this.#result ??= event;
        this.#seen.resolve();
      },
    });
  }

  get result(): ObservationLikeEvent | undefined {
    return this.#result;
  }

  /** Resolves with the result. Rejects with `signal.reason`. */
  async next(signal: AbortSignal): Promise<ObservationLikeEvent> {
    await abortable(this.#seen.promise, signal);
    return this.#result as ObservationLikeEvent;
  }

  /** Resolves when the call has a result, or when the run ends without it. */
  async ended(runEnd: Promise<unknown>): Promise<void> {
    const over = runEnd.then(
      () => {},
      () => {},
    );
    await Promise.race([this.#seen.promise, over]);
    if (!this.#result) await this.#subscription.caughtUp(this.#state.end.event);
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}
