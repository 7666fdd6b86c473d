import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Counts by kind of resource. */
export type ResourceCounts = Readonly<Record<string, number>>;

/** Options of {@link leaks}. */
export interface LeaksOptions {
  /** Rounds before the first count, which open what is kept on purpose, such as connections and caches. Default 2. */
  readonly warmUp?: number;
  /** Rounds between the two counts. Default 4. */
  readonly rounds?: number;
  /** Looks at the counts, 10 ms apart, until work behind an answer must have ended. Default 3,000. No look begins after 90 s. */
  readonly looks?: number;
}

/** Milliseconds for all looks. A test that waits longer ends without a word about what is held. */
const PATIENCE = 90_000;

/** A part of the paths of the test runner, which sets a timer for each of its messages. On a busy machine they add up. */
const RUNNER = '/node_modules/vitest/';

/** Calls that tell where a timer was made. */
const MOST_CALLS = 5;

/** A timer that was not cancelled and has not fired. */
interface MadeTimer {
  /** The calls that made it, the last one first. */
  readonly place: string;
  /** True if it was made before the first count. */
  readonly isKnown: boolean;
}

/**
 * Does the same work again and again, and resolves with the kinds of which every round has left one or more in this process:
 * descriptors, timers with the place that made them (also timers that do not keep it running), child processes and their children, listeners on the process and on
 * the signal of the work, and every handle that keeps it running. Resolves with nothing where all is given back. A smaller growth is
 * not caused by the work, such as a pool that fills. Timers of the test runner do not count.
 */
export async function leaks(
  work: (signal: AbortSignal) => Promise<unknown>,
  { warmUp = 2, rounds = 4, looks = 3_000 }: LeaksOptions = {},
): Promise<ResourceCounts> {
  const { signal } = new AbortController();
  const timers = new Map<number, MadeTimer>();
  let isCounting = false;
  const hook = createHook({
    init: (id, type, trigger) => {
      if (type !== 'Timeout') return;
      const calls = ownCalls(new Error().stack);
      const [last = RUNNER] = calls;
      if (last.includes(RUNNER)) return;
      const made = { place: calls.slice(0, MOST_CALLS).join(' '), isKnown: !isCounting };
      // an interval made of timers is one timer, of the place that began it; one from before the hook has no place
      const isNext = calls.at(-1)?.startsWith('at Timeout.') === true;
      timers.set(id, isNext ? (timers.get(trigger) ?? { ...made, isKnown: true }) : made);
    },
    destroy: (id) => void timers.delete(id),
  }).enable();
  const newTimers = (): readonly MadeTimer[] => [...timers.values()].filter(({ isKnown }) => !isKnown);
  const held = (): ResourceCounts => ({ ...heldNow(), timer: newTimers().length, ...listeners(signal) });
  try {
    for (let round = 0; round < warmUp; round++) await work(signal);
    const before = held();
    isCounting = true;
    for (let round = 0; round < rounds; round++) await work(signal);
    let more = grown(before, held(), rounds);
    const until = performance.now() + PATIENCE;
    for (let look = 0; look < looks && performance.now() < until && Object.keys(more).length > 0; look++) {
      // the timer of this look is gone a turn after it has fired
      await new Promise((resolve) => setTimeout(() => setImmediate(resolve), 10));
      more = grown(before, held(), rounds);
    }
    const { timer, ...others } = more;
    if (timer === undefined) return others;
    return { ...others, ...countsOf(newTimers().map(({ place }) => `timer ${place}`)) };
  } finally {
    hook.disable();
  }
}

function grown(before: ResourceCounts, now: ResourceCounts, least: number): ResourceCounts {
  const more = Object.entries(now).map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count >= least));
}

function heldNow(): ResourceCounts {
  // The hook counts the timers, also timers that do not keep the process running.
  const active = process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout');
  const folder = ['/proc/self/fd', '/dev/fd'].find((path) => existsSync(path));
  const descriptors = folder ? readdirSync(folder).map(() => 'descriptor') : [];
  const children = descendants(process.pid).map(() => 'child process');
  return countsOf([...active, ...descriptors, ...children]);
}

function countsOf(kinds: readonly string[]): ResourceCounts {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Returns the calls of a stack that are not of Node itself, the last one first. The first call is that of the hook. */
function ownCalls(stack = ''): readonly string[] {
  const calls = stack.split('\n').slice(2);
  return calls.filter((call) => !call.includes('node:')).map((call) => call.trim());
}

function listeners(signal: AbortSignal): ResourceCounts {
  const ofProcess = process.eventNames().map((name) => [`listener on ${String(name)}`, process.listenerCount(name)]);
  return { ...Object.fromEntries(ofProcess), 'listener on the signal': getEventListeners(signal, 'abort').length };
}

/** The processes below one, as far as the system says. */
function descendants(pid: number): readonly number[] {
  const parents = new Map(processes());
  const below = (parent: number): readonly number[] =>
    [...parents].flatMap(([child, its]) => (its === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** Each process with its parent; none on systems without `/proc`. */
function processes(): readonly (readonly [number, number])[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    return parent === undefined ? [] : [[Number(name), parent] as const];
  });
}

function parentOf(pid: string): number | undefined {
  try {
    // the name in parentheses may hold anything; state and parent follow it
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // it ended meanwhile
    return undefined;
  }
}
