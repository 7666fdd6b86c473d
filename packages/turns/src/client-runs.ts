import type { Conversation, MessageInput } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import { answerRun, type Taken } from './answer-run.ts';
import { checkConversation } from './check-arguments.ts';

/** A client that stays connected. */
export interface ConnectedClient {
  /** Is aborted when the client has gone, which ends every wait and no run. */
  readonly signal: AbortSignal;
  /** Resolves when the client was told everything that exists now. */
  readonly caughtUp: () => Promise<void> | undefined;
  /** Receives the errors of runs. Default: only {@link ClientRuns.failure} has them. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
}

/** The runs that a client begins which stays connected, and the moments at which its conversation is at rest. */
export class ClientRuns {
  readonly #conversation: Conversation;
  readonly #client: ConnectedClient;
  readonly #runs = new Set<Promise<void>>();
  #failure: unknown;
  #interrupted: Promise<void> = Promise.resolve();
  #change = Promise.withResolvers<void>();

  constructor(conversation: Conversation, client: ConnectedClient) {
    checkConversation('ClientRuns', conversation);
    this.#conversation = conversation;
    this.#client = client;
    const { signal } = client;
    signal.addEventListener('abort', () => this.#ring(), { once: true });
    conversation.subscribe({ onStateChange: () => this.#ring(), onError: () => undefined }, { signal });
  }

  /** The error of the last run that the client began; `undefined` if it did not fail. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Sends a message and begins the run that answers it, unless the signal is aborted by then. Resolves when the message is durable. Waits
   * for an interruption, because the run that ends would take the message and not answer it.
   */
  async send(message: MessageInput, id: string, signal: AbortSignal): Promise<void> {
    await this.#interrupted;
    await this.#conversation.sendMessage(message, { id });
    if (!signal.aborted) this.begin('message');
  }

  /** Interrupts the run, also one of another client. */
  async interrupt(): Promise<void> {
    const interrupting = this.#conversation.interrupt();
    this.#interrupted = interrupting.catch(() => undefined);
    await interrupting;
  }

  /** Begins the run that answers what the client said, as `answerRun` does. Its error is kept. */
  begin(taken: Taken): void {
    const { onError, platform } = this.#client;
    this.#failure = undefined;
    const run = answerRun(this.#conversation, taken, { platform })
      ?.catch((error: unknown) => {
        this.#failure = error;
        onError?.(error);
      })
      .then(() => {
        this.#runs.delete(run as Promise<void>);
        this.#ring();
      });
    if (run) this.#runs.add(run);
  }

  /**
   * Resolves when the conversation is at rest and the client was told everything: no run is active or to begin, and no call waits for a
   * person. An aborted signal ends the wait for a person too. Also resolves when the client has gone.
   */
  async rest(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#ring(), { once: true });
    for (;;) {
      while (!this.#isOver(signal)) await this.#change.promise;
      await this.#client.caughtUp();
      if (this.#isOver(signal)) return;
    }
  }

  /** Resolves when the runs that the client began have ended, also after it has gone. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #isOver(signal: AbortSignal): boolean {
    if (this.#client.signal.aborted) return true;
    const { executionStatus } = this.#conversation.state;
    if (this.#runs.size > 0 || executionStatus === 'running') return false;
    // after a rejection elsewhere the run that tells the model of it has not begun yet
    const isBetween = executionStatus === 'idle' && this.#failure === undefined;
    return signal.aborted || !(isBetween || executionStatus === 'waiting_for_confirmation');
  }

  #ring(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
