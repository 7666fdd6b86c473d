import { median } from '../figure.ts';
import { short } from '../table.ts';

/** Works that are measured for each program at each size. */
export const WORKS = {
  append: { title: 'Append one message', unit: 'ms', sizes: 'each' },
  many: { title: '64 appends at once, each', unit: 'ms', sizes: 'each' },
  open: { title: 'Open in a new process, read the last 50', unit: 'ms', sizes: 'each' },
  read: { title: 'Open in a new process, read all', unit: 'ms', sizes: 'each' },
  fork: { title: 'Fork', unit: 'ms', sizes: 'each' },
  disk: { title: 'Bytes on disk', unit: 'bytes', sizes: 'each' },
  growth: { title: 'Bytes that one append adds', unit: 'bytes', sizes: 'each' },
  memory: { title: 'Memory that the open conversation takes, read whole', unit: 'MB', sizes: 'each' },
  step: { title: 'One step of an agent without model and tool', unit: 'ms', sizes: 'each' },
  list: { title: 'List all conversations in a new process', unit: 'ms', sizes: 'list' },
  resume: { title: 'Go on after SIGKILL in the third of five effects of a tool', unit: 'lost', sizes: 'first' },
  writers: { title: 'Two processes append 50 messages each', unit: 'lost', sizes: 'first' },
  command: { title: 'A message to an agent server, acknowledged', unit: 'ms', sizes: 'servers' },
  event: { title: 'A message to an agent server, shown by a socket', unit: 'ms', sizes: 'servers' },
  runs: { title: 'Steps of all runs at once', unit: 'per second', sizes: 'servers' },
  idle: { title: 'Memory of a conversation without a run', unit: 'MB', sizes: 'servers' },
  reconnect: { title: 'Coming back to a long conversation', unit: 'ms', sizes: 'servers' },
  reconnectBytes: { title: 'Frames of events for a client that comes back', unit: 'bytes', sizes: 'servers' },
} as const;

export type Work = keyof typeof WORKS;

/** Middle of a measurement and its spread. */
export interface Measured {
  readonly value: number;
  /** Tenth and ninetieth percentile. */
  readonly low: number;
  readonly high: number;
  /** Middle of the bare baseline that alternated with it, in the same unit; `null` where nothing did. */
  readonly bare: number | null;
  readonly samples: number;
}

/** Result of a work of a program at a size: a measurement, or the reason why there is none. */
export interface Cell {
  readonly work: Work;
  readonly peer: string;
  readonly size: number;
  readonly measured?: Measured;
  /** Reason why nothing was measured. */
  readonly cannot?: string;
  /** Fact that belongs to the measurement, such as messages that were lost. */
  readonly note?: string;
}

/** Returns middle and spread of the values, and the middle of the baseline's. Throws `RangeError` for no values. */
export function summarise(values: readonly number[], bare: readonly number[] = []): Measured {
  const sorted = values.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  return {
    value: median(values),
    // of few values the lowest and the highest
    low: sorted[Math.floor(last * 0.1)] ?? Number.NaN,
    high: sorted[Math.ceil(last * 0.9)] ?? Number.NaN,
    bare: bare.length === 0 ? null : median(bare),
    samples: values.length,
  };
}

/** Returns the reason for a work that is left out because it would take so many milliseconds. */
export function wouldTake(what: string, milliseconds: number): string {
  return `not tried: ${what} would take about ${Math.round(milliseconds / 1000)} s`;
}

/** Returns the reason, at a larger size, for a work that took too long at a smaller one; `undefined` for a work that did not. */
export function tooSlowAt({ size, cannot = '' }: Cell): string | undefined {
  const isLeftOut = cannot.startsWith('not tried: ');
  // a reason from a size below names it already
  if (isLeftOut && / at [\d,]+$/.test(cannot)) return cannot;
  if (!isLeftOut && !cannot.includes('took over')) return undefined;
  return `${isLeftOut ? '' : 'not tried: '}${cannot} at ${short(size)}`;
}
