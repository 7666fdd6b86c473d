import { timers, type Platform } from '@conv/core/platform';

import { refusalFor, type Caller, type NeededScope } from './principal.ts';

/** Milliseconds between two looks at the rights of a client. */
const LOOK_INTERVAL = 500;

/** Number of looks between two looks at the conversations of a limited client. */
const LIMITS_INTERVAL = 4;

/** The rights that a client needs for a long answer, or for a conversation that is open for it. */
export interface NeededRights {
  readonly platform: Platform;
  readonly scope: NeededScope;
  /** True if the client may know all that is shown to it. A rejection decides nothing. */
  readonly knows: (caller: Caller) => Promise<boolean>;
}

/**
 * Returns a signal that is aborted when a client has lost its rights: its key is void or has lost the scope, or it may not know the conversation. Looks
 * until `over` is aborted.
 * @param rights resolves with the present rights of the client; with `undefined` if its key is void now
 */
export function rightsEnded(
  rights: () => Promise<Caller | undefined>,
  over: AbortSignal,
  { platform, scope, knows }: NeededRights,
): AbortSignal {
  const ended = new AbortController();
  if (over.aborted) return ended.signal;
  let looks = 0;
  const look = async (): Promise<void> => {
    // without an answer of the login server the answer ends, and its client comes back
    const caller = await rights().catch(() => undefined);
    if (!caller || refusalFor(caller, scope) !== undefined) ended.abort();
    else if (caller.limits && ++looks % LIMITS_INTERVAL === 0 && !(await knows(caller).catch(() => true)))
      ended.abort();
  };
  const timer = timers.every(platform, LOOK_INTERVAL, () => void look(), { background: true });
  for (const signal of [over, ended.signal]) signal.addEventListener('abort', () => timer.cancel(), { once: true });
  return ended.signal;
}
