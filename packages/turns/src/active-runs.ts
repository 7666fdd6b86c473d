/** The run of each conversation that a request began here and that has not ended. */
const active = new WeakMap<object, Promise<void>>();

/** Keeps a run until it ends. `run` does not reject. */
export function keepRun(conversation: object, run: Promise<void>): void {
  active.set(conversation, run);
  void run.then(() => {
    if (active.get(conversation) === run) active.delete(conversation);
  });
}

/** Returns the run that a request began here, if it is active. The status of a remote conversation tells of it a moment later. */
export function activeRun(conversation: object): Promise<void> | undefined {
  return active.get(conversation);
}
