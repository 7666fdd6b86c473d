import process from 'node:process';

import { type Conversation, errorText } from '@conv/core';

import { exitCodes } from '../exit-code.ts';
import { note } from '../terminal/output.ts';

/** Handles Ctrl-C while a conversation runs: once pauses, twice interrupts, three times ends the program. */
export class CtrlC implements Disposable {
  readonly #conversation: Conversation;
  readonly #onInterrupt: () => void;
  readonly #listener = (): void => this.press();
  #presses = 0;

  /** `onInterrupt` is called with the second Ctrl-C. */
  constructor(conversation: Conversation, onInterrupt: () => void) {
    this.#conversation = conversation;
    this.#onInterrupt = onInterrupt;
    process.on('SIGINT', this.#listener);
  }

  /** True if Ctrl-C was pressed. */
  get pressed(): boolean {
    return this.#presses > 0;
  }

  press(): void {
    this.#presses++;
    if (this.#presses === 1) {
      note('pausing after this step; press Ctrl-C again to stop at once');
      this.#conversation.pause().catch(reportFailure);
    } else if (this.#presses === 2) {
      note('interrupting; Ctrl-C again ends this program');
      this.#onInterrupt();
      this.#conversation.interrupt().catch(reportFailure);
    } else process.exit(exitCodes.interrupted);
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listener);
  }
}

function reportFailure(error: unknown): void {
  note(errorText(error));
}
