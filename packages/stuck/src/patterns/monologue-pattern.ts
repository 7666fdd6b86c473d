import type { MessageStep } from '../step.ts';
import type { StuckPattern } from '../stuck-pattern.ts';

interface Messages {
  /** The last ones, oldest first. */
  readonly recent: readonly MessageStep[];
  readonly count: number;
}

const SHOWN = 12;
const NONE: Messages = { recent: [], count: 0 };

/** Finds an agent that talks and does nothing: so many messages in a row without a tool call. */
export function monologuePattern(threshold: number): StuckPattern<Messages> {
  return {
    name: 'monologue',
    initial: NONE,
    apply: (before, step) => {
      if (step.kind === 'call') return NONE;
      if (step.kind === 'condensation') return before;
      return { recent: [...before.recent, step].slice(-SHOWN), count: before.count + 1 };
    },
    find: ({ recent, count }) =>
      count < threshold
        ? undefined
        : {
            steps: recent,
            description: `The agent has sent ${count} messages in a row without doing anything.`,
            advice: 'Call a tool to go on with the task, or call `finish` if it is done.',
          },
  };
}
