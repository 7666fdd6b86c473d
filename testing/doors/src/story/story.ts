import { randomTurn } from './random-story.ts';
import { QUIET, type StoryTurn } from './story-turn.ts';
import { TOLD_STORIES } from './told-stories.ts';

/** A person's decision on a call that waits. */
export interface Choice {
  readonly approved: boolean;
  /** The words that the call is to run with instead of its own. */
  readonly words?: string;
}

/** The number of messages that a client of a story sends. Before them, one turn is played that no client sees. */
export const TURNS = 2;

/** The number of runs that are played by default and in CI. */
export const RUNS: number = TOLD_STORIES.length;

/** The image of all stories. */
export const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

/** The reason of a rejection. */
export const REASON = 'Not this one.';

/** Returns the message that begins a turn. The agent knows from it what to answer. */
export function messageOf(seed: number, turn: number): string {
  return `story ${seed}, turn ${turn}`;
}

/** Returns the turn of a message; `undefined` if the message is of no story. */
export function turnFor(message: string): StoryTurn | undefined {
  const [, seed, turn] = /^story (\d+), turn (\d+)$/.exec(message) ?? [];
  return seed === undefined ? undefined : turnOf(Number(seed), Number(turn));
}

/** Returns a turn of a story. The first stories are told, each for frames that the others lack; later ones are random. */
export function turnOf(seed: number, turn: number): StoryTurn {
  if (turn === 0) return BEFORE;
  return TOLD_STORIES[seed]?.turns[turn - 1] ?? randomTurn(seed, turn);
}

/** Returns what a person decides on a call with these words: they are rejected, changed or approved. */
export function choiceFor(words: string): Choice {
  if (words.startsWith('no ')) return { approved: false };
  return { approved: true, ...(words.startsWith('other ') ? { words: words.replace('other', 'better') } : {}) };
}

const BEFORE: StoryTurn = { hasImage: false, steps: [{ ...QUIET, text: ['Before ', 'the client.'] }] };
