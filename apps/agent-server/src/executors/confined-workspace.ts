import { ConversationError } from '@conv/core';
import { Turns } from '@conv/core/platform';
import type { RemoteWorkspace, StartableWorkspace } from '@conv/remote';
import type { ExecutedConversation } from '@conv/server';

import { ExecutorProcess, type ExecutorPlace } from './executor-process.ts';

/** The executor of one conversation, which starts when it is needed. */
export class ConfinedWorkspace implements StartableWorkspace {
  readonly kind = 'RemoteWorkspace';
  readonly host: string;
  readonly workingDir: string;
  readonly #place: ExecutorPlace;
  readonly #conversation: ExecutedConversation;
  readonly #turns = new Turns();
  #process: ExecutorProcess | undefined;
  /** Ends a start when the workspace is closed. */
  readonly #closing = new AbortController();

  constructor(place: ExecutorPlace, conversation: ExecutedConversation) {
    this.host = `executor:${conversation.id}`;
    this.workingDir = conversation.workingDirectory;
    this.#place = place;
    this.#conversation = conversation;
  }

  /** The process that this one has started; `undefined` while none is. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Resolves with the server of the process, which is started again if it has ended. Rejects as {@link ExecutorProcess.start}, and `CLOSED`
   * also for a start that `close` ends.
   */
  start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<RemoteWorkspace> {
    return this.#turns.run(async () => {
      const ending = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
      ending.throwIfAborted();
      if (await this.#process?.isAlive()) return this.#running().remote;
      await this.#process?.end();
      this.#process = undefined;
      this.#process = await ExecutorProcess.start(this.#place, this.#conversation, { signal: ending });
      return this.#process.remote;
    });
  }

  /** Ends the process and all that it runs, also while it starts. The files in the workspace stay. Idempotent. */
  close(): Promise<void> {
    this.#closing.abort(new ConversationError('CLOSED', `the ${this.host} is closed; make another one`));
    return this.#turns.run(async () => {
      const running = this.#process;
      this.#process = undefined;
      await running?.end();
    });
  }

  #running(): ExecutorProcess {
    if (!this.#process) throw new Error(`the ${this.host} has no process`);
    return this.#process;
  }
}
