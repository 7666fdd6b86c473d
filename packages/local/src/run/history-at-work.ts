/** The part of a history that runs wait for. */
export interface WorkingHistory {
  /** The forks, the condensation and the rerun in progress; `undefined` when there are none. */
  readonly work: Promise<unknown> | undefined;
}

/** The work on the history of a conversation, for the runs, which are made before the history. Holds nothing until the history is first used. */
export class HistoryAtWork {
  #history: WorkingHistory | undefined;

  /** Settles when the work in progress has ended; `undefined` when there is none. */
  get current(): Promise<unknown> | undefined {
    return this.#history?.work;
  }

  /** Notes the history when it is made. */
  made(history: WorkingHistory): void {
    this.#history = history;
  }
}
