import { Random } from '@conv/testing-harness';

/** A call of the tool of the story. */
export interface StoryCall {
  readonly words: string;
  /** True if a person decides on it. */
  readonly risky: boolean;
  /** True if its result is an error. */
  readonly fails: boolean;
}

/** An answer of the model. */
export interface StoryStep {
  /** Pieces of the first attempt of the model call, which is void; none if the first attempt succeeds. */
  readonly superseded: readonly string[];
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  /** The calls of the answer. The last step of a turn has none. */
  readonly calls: readonly StoryCall[];
  /** True if the model call fails after its pieces, and with it the run. */
  readonly breaks: boolean;
}

/** The number of messages that a client of a story sends. Before them, one turn is played that no client sees. */
export const TURNS = 2;

/** Returns the message that begins a turn. The agent knows from it what to answer. */
export function messageOf(seed: number, turn: number): string {
  return `story ${seed}, turn ${turn}`;
}

/** Returns what the agent answers to a message; nothing if the message is of no story. */
export function stepsFor(message: string): readonly StoryStep[] {
  const [, seed, turn] = /^story (\d+), turn (\d+)$/.exec(message) ?? [];
  return seed === undefined ? [] : stepsOf(Number(seed), Number(turn));
}

const QUIET: StoryStep = { superseded: [], reasoning: [], text: [], calls: [], breaks: false };

/** Story 0 has everything once: reasoning, pieces, two calls, an approval, a retried model call, a failed call and a failed run. */
function stepsOf(seed: number, turn: number): readonly StoryStep[] {
  if (turn === 0) return [{ ...QUIET, text: ['Before ', 'the client.'] }];
  const random = new Random(seed * TURNS + turn);
  const isBroken = turn === TURNS && (seed === 0 || random.chance(0.5));
  const last: StoryStep = isBroken
    ? { ...QUIET, text: pieces(random, 'lost'), breaks: true }
    : {
        ...QUIET,
        superseded: seed === 0 || random.chance(0.5) ? ['Wrong ', 'answer'] : [],
        text: pieces(random, 'said'),
      };
  if (seed === 0) return turn === 1 ? [...FIXED, last] : [last];
  return [...Array.from({ length: random.between(0, 3) }, (_, at) => chance(random, at)), last];
}

const FIXED: readonly StoryStep[] = [
  {
    ...QUIET,
    reasoning: ['I ', 'think'],
    text: ['I look ', 'first.'],
    calls: [
      { words: 'one', risky: false, fails: false },
      { words: 'two', risky: false, fails: true },
    ],
  },
  {
    ...QUIET,
    superseded: ['No, '],
    text: ['Now ', 'it matters.'],
    calls: [{ words: 'three', risky: true, fails: false }],
  },
];

function chance(random: Random, at: number): StoryStep {
  const risky = random.chance(0.4);
  return {
    superseded: random.chance(0.3) ? pieces(random, 'void') : [],
    reasoning: random.chance(0.5) ? pieces(random, `reason ${at}`) : [],
    text: random.chance(0.7) ? pieces(random, `text ${at}`) : [],
    calls: Array.from({ length: random.between(1, 3) }, (_, call) => {
      return { words: `words ${at}.${call}`, risky: risky && call === 0, fails: random.chance(0.2) };
    }),
    breaks: false,
  };
}

function pieces(random: Random, word: string): readonly string[] {
  return Array.from({ length: random.between(1, 4) }, (_, at) => `${word} ${at} `);
}
