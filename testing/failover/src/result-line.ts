import { COUNTERS } from './counters.ts';
import type { Options } from './options.ts';
import type { Played } from './play-storm.ts';

/** Durations of takeovers, in milliseconds. */
export interface TakeoverTimes {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** Returns the result of the storm, as a line of JSON. */
export function resultLine(options: Options, played: Played): string {
  const { store, servers, conversations, seconds, rolling } = options;
  const { kills, zombies, ended, handKills, takeovers, givenUp, events, findings } = played;
  const times = takeovers.flatMap(({ milliseconds }) => milliseconds ?? []);
  return JSON.stringify({
    store,
    servers,
    conversations,
    seconds,
    ...(rolling ? { rolling, ended } : { kills, zombies }),
    ...(options.runtime && { runtime: options.runtime, handKills }),
    takeovers: takeovers.length,
    givenUp,
    events,
    ...Object.fromEntries(COUNTERS.map((counter) => [counter, findings.count(counter)])),
    takeoverMs: times.length === 0 ? null : timesOf(times),
  });
}

/** Median, 95th percentile and maximum. */
function timesOf(times: readonly number[]): TakeoverTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/**
 * True if nothing was found, and a takeover happened unless the storm was calm; likewise kills where conversations act outside of their
 * servers.
 */
export function isClean({ calm, rolling, runtime }: Options, { findings, takeovers, handKills }: Played): boolean {
  if (runtime && !calm && !rolling && Object.values(handKills).every((count) => count === 0)) return false;
  return findings.lines.length === 0 && (calm || takeovers.length > 0);
}
