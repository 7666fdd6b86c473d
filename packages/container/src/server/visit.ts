import { timers, type Platform, type Timer } from '@conv/core/platform';
import { fileRoutes } from '@conv/openhands/rest';

/** Number of visits in the time after which a server counts as abandoned: one may be late, and one may fail. */
const VISITS = 4;

/** Milliseconds for an answer. */
const PATIENCE = 5_000;

/** The server that is visited. */
export interface Visited {
  readonly url: string;
  readonly key: string;
  /** Milliseconds after which it ends without a visit. */
  readonly timeout: number;
}

/** Visits a server with its key until the timer is cancelled, so that it knows that its program lives. A failure means nothing. */
export function visit(platform: Platform, { url, key, timeout }: Visited): Timer {
  const once = async (): Promise<void> => {
    using signal = timers.deadline(platform, PATIENCE);
    try {
      const headers = { 'x-session-api-key': key };
      const answer = await fetch(url + fileRoutes.getHome.path, { headers, signal });
      await answer.body?.cancel();
    } catch {
      // a container that has ended is started again by its next use
    }
  };
  return timers.every(platform, timeout / VISITS, () => void once(), { background: true });
}
