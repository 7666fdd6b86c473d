import { contentParts, isEvent, isText, type Event } from '@conv/core/events';
import type { CallStep } from '../step.ts';
import type { StuckPattern } from '../stuck-pattern.ts';

interface Failures {
  /** The last failures of one call, oldest first. */
  readonly recent: readonly CallStep[];
  /** The number of times in a row that the call failed, and that it failed with the same error as the last time. */
  readonly failed: number;
  readonly same: number;
  /** The beginning of the last error. */
  readonly said: string;
}

const SHOWN = 12;
const NONE: Failures = { recent: [], failed: 0, same: 0, said: '' };

/** Characters of an error that are quoted. */
const QUOTED = 200;

/**
 * Finds a call that fails again and again: `threshold` times with the same error, or twice as often with errors that differ,
 * because another error may mean progress.
 */
export function errorPattern(threshold: number): StuckPattern<Failures> {
  return {
    name: 'error',
    initial: NONE,
    apply: (before, step, events) => {
      if (step.kind !== 'call') return before;
      return step.outcome === 'failed' ? withFailure(before, step, events) : NONE;
    },
    find: ({ recent, failed, same, said }) => {
      const tool = recent.at(-1)?.tool ?? '';
      if (same >= threshold)
        return matchOf(recent.slice(-same), `failed ${same} times in a row with the same error${said}`, tool);
      if (failed >= 2 * threshold)
        return matchOf(recent, `failed ${failed} times in a row, with different errors, the last of them${said}`, tool);
      return undefined;
    },
  };
}

function withFailure({ recent, failed, same }: Failures, step: CallStep, events: readonly Event[]): Failures {
  const last = recent.at(-1);
  const said = quotation(events);
  if (last?.call !== step.call) return { recent: [step], failed: 1, same: 1, said };
  return {
    recent: [...recent, step].slice(-SHOWN),
    failed: failed + 1,
    same: last.key === step.key ? same + 1 : 1,
    said,
  };
}

/** Returns the error of a failed call in one line, as `: "…"`; empty for one without words. */
function quotation(events: readonly Event[]): string {
  const line = events
    .map(errorOf)
    .join(' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line === '' ? '' : `: "${wholeWords(line)}"`;
}

function errorOf(event: Event): string {
  if (isEvent(event, 'AgentErrorEvent')) return event.error;
  if (!isEvent(event, 'ObservationEvent')) return '';
  return contentParts(event.observation)
    .filter(isText)
    .map(({ text }) => text)
    .join(' ');
}

/** Cuts at the end of a word, because no mask recognises a part of a value. */
function wholeWords(line: string): string {
  return line.length <= QUOTED ? line : `${line.slice(0, line.lastIndexOf(' ', QUOTED) + 1)}…`;
}

function matchOf(steps: readonly CallStep[], what: string, tool: string): ReturnType<StuckPattern['find']> {
  return {
    steps,
    description: `The same call of \`${tool}\` has ${what}.`,
    advice:
      'Making it again will not help. Read the error, change the arguments or use another tool, or say what stands in the way.',
  };
}
