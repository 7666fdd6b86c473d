/** The runs of each conversation that were begun here and have not ended. */
const active = new WeakMap<object, Set<Promise<unknown>>>();

/** Keeps a run until it ends. Keeps all: a run that is refused because another one is active must not hide that one. */
export function keepRun(conversation: object, run: Promise<unknown>): void {
  const runs = active.get(conversation) ?? new Set();
  active.set(conversation, runs.add(run));
  const leave = (): void => void runs.delete(run);
  void run.then(leave, leave);
}

/**
 * Returns the end of the runs that were begun here and are active, which does not reject; `undefined` without one. The status of a remote
 * conversation tells of them a moment later.
 */
export function activeRun(conversation: object): Promise<undefined> | undefined {
  const runs = active.get(conversation);
  return runs && runs.size > 0 ? Promise.allSettled(runs).then(() => undefined) : undefined;
}
