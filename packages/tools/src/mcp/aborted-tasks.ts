import { timers, type Platform, type Timer } from '@conv/core/platform';
import type { ToolContext } from '@conv/core/tool';

/** Milliseconds between two looks at the log. */
const INTERVAL = 500;
/** Milliseconds within which a server may confirm that it cancels tasks, when the connection is closed. */
const PARTING = 1000;

export interface AbortedTasksDeps {
  readonly platform: Platform;
  /** Tells the server to cancel the task with this id. Never rejects. */
  readonly cancel: (id: string) => Promise<void>;
}

/**
 * The tasks of aborted calls. An interrupted call gets a result in the log, which ends its handle, and then its task is cancelled.
 * The call of a run that is handed over keeps its handle, and the next process asks for the task.
 */
export class AbortedTasks {
  readonly #deps: AbortedTasksDeps;
  readonly #undecided: Map<string, Pick<ToolContext, 'handles' | 'toolCallId'>> = new Map();
  readonly #cancelling: Set<Promise<void>> = new Set();
  #looking: Timer | undefined;

  constructor(deps: AbortedTasksDeps) {
    this.#deps = deps;
  }

  /** Adds the task of a call that was aborted. */
  add(id: string, call: Pick<ToolContext, 'handles' | 'toolCallId'>): void {
    this.#undecided.set(id, call);
    this.#looking ??= timers.every(this.#deps.platform, INTERVAL, () => this.#look(), { background: true });
  }

  /** Looks at the log for the last time. Resolves when the server was told, or after a second. */
  async close(): Promise<void> {
    this.#look();
    this.#looking?.cancel();
    if (this.#cancelling.size > 0)
      await timers.settlesWithin(this.#deps.platform, PARTING, Promise.all(this.#cancelling));
  }

  #look(): void {
    for (const [id, { handles, toolCallId }] of this.#undecided) {
      if (handles?.get(toolCallId) !== undefined) continue;
      this.#undecided.delete(id);
      const cancelling = this.#deps.cancel(id).finally(() => this.#cancelling.delete(cancelling));
      this.#cancelling.add(cancelling);
    }
    if (this.#undecided.size > 0) return;
    this.#looking?.cancel();
    this.#looking = undefined;
  }
}
