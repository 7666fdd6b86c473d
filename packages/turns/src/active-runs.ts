/** The runs of a conversation that were begun here and have not ended. */
interface ActiveRuns {
  count: number;
  /** Resolves when the last one has ended. */
  readonly end: PromiseWithResolvers<undefined>;
  /** Aborts then. */
  readonly ended: AbortController;
}

const active = new WeakMap<object, ActiveRuns>();

/** Keeps a run until it ends. Keeps all: a run that is refused because another one is active must not hide that one. */
export function keepRun(conversation: object, run: Promise<unknown>): void {
  const end = Promise.withResolvers<undefined>();
  const runs = active.get(conversation) ?? { count: 0, end, ended: new AbortController() };
  active.set(conversation, runs);
  runs.count++;
  const leave = (): void => {
    if (--runs.count > 0) return;
    active.delete(conversation);
    runs.end.resolve(undefined);
    runs.ended.abort();
  };
  void run.then(leave, leave);
}

/**
 * Returns the end of the runs that were begun here and are active, which does not reject; `undefined` without one. The status of a remote
 * conversation tells of them a moment later.
 */
export function activeRun(conversation: object): Promise<undefined> | undefined {
  return active.get(conversation)?.end.promise;
}

/**
 * Returns a signal that aborts when the runs have ended that were begun here and are active; without one it never aborts. For waits of
 * many changes of one run: a signal forgets its listeners, and a promise keeps what was raced with it.
 */
export function endOfRuns(conversation: object): AbortSignal {
  return (active.get(conversation)?.ended ?? new AbortController()).signal;
}
