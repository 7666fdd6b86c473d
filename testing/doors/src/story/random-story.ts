import { Random } from '@conv/testing-harness';

import { QUIET, type StoryStep, type StoryTurn } from './story-turn.ts';

/** Returns a turn that follows from its numbers. */
export function randomTurn(seed: number, turn: number): StoryTurn {
  const random = new Random(seed * 2 + turn);
  const last: StoryStep = random.chance(0.25)
    ? { ...QUIET, text: pieces(random, 'lost'), end: 'breaks' }
    : { ...QUIET, superseded: random.chance(0.5) ? [['Wrong ', 'answer']] : [], text: pieces(random, 'said') };
  const steps = Array.from({ length: random.between(0, 3) }, (_, at) => randomStep(random, at));
  return { hasImage: random.chance(0.2), steps: [...steps, last] };
}

function randomStep(random: Random, at: number): StoryStep {
  const risky = random.chance(0.4);
  return {
    ...QUIET,
    superseded: random.chance(0.3) ? [pieces(random, 'void')] : [],
    reasoning: random.chance(0.5) ? pieces(random, `reason ${at}`) : [],
    text: random.chance(0.7) ? pieces(random, `text ${at}`) : [],
    calls: Array.from({ length: random.between(1, 3) }, (_, call) => {
      const choice = random.pick(['', '', 'no ', 'other ']);
      const isAsked = risky && call === 0;
      return {
        tool: random.chance(0.2) ? 'paint' : 'repeat',
        words: `${isAsked ? choice : ''}words ${at}.${call}`,
        risky: isAsked,
        fails: random.chance(0.2),
      };
    }),
  };
}

function pieces(random: Random, word: string): readonly string[] {
  return Array.from({ length: random.between(1, 4) }, (_, at) => `${word} ${at} `);
}
