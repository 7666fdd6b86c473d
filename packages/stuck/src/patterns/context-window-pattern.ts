import type { CondensationStep } from '../step.ts';
import type { StuckPattern } from '../stuck-pattern.ts';

interface Condensations {
  /** The last ones since something new, oldest first. */
  readonly recent: readonly CondensationStep[];
  readonly count: number;
  /** Keys of the last calls, except calls that brought nothing new. */
  readonly known: readonly string[];
}

const SHOWN = 12;
const KNOWN = 32;
const NONE: Condensations = { recent: [], count: 0, known: [] };

/**
 * Finds a context window that is too small: condensations with nothing new between them. A recent call with the same
 * result is not new, for example a file that was just forgotten and is read again.
 */
export function contextWindowPattern(threshold: number): StuckPattern<Condensations> {
  return {
    name: 'context-window',
    initial: NONE,
    apply: (before, step) => {
      if (step.kind === 'message') return before;
      if (step.kind === 'condensation')
        return { ...before, recent: [...before.recent, step].slice(-SHOWN), count: before.count + 1 };
      // New calls matter after a condensation only, and the lookup takes longer than all the rest.
      if (before.count > 0 && before.known.includes(step.key)) return before;
      const kept = before.known.length < KNOWN ? before.known : before.known.slice(1);
      return { recent: [], count: 0, known: [...kept, step.key] };
    },
    find: ({ recent, count }) =>
      count < threshold
        ? undefined
        : {
            steps: recent,
            description: `The history has been condensed ${count} times with nothing new in between.`,
            advice:
              'What is read does not fit. Read smaller parts, search instead of reading, and note results as you go.',
          },
  };
}
