import { randomUUID } from 'node:crypto';

import type { ConversationStore } from '@conv/core/store';
import type { Random } from '@conv/testing-harness';

import { lifeOf, live } from './live.ts';
import type { Life } from './target.ts';

/** Ways in which the last owner of a recorded conversation ends. */
const ENDINGS = ['closed', 'killed', 'taken over', 'taken over and killed', 'forked'] as const;

/** Plan of a life that is played before a conversation is recorded. */
export interface LifePlan {
  readonly ending: (typeof ENDINGS)[number];
  /** The number of steps of its first owner. */
  readonly steps: number;
}

/** The recorded conversations: each way to end with a long log and with a short log, which is cheaper to check. */
export const LIVES: readonly (LifePlan & { readonly name: string })[] = [6, 2].flatMap((steps) =>
  ENDINGS.map((ending) => ({ ending, steps, name: `${ending} after ${steps} steps` })),
);

/**
 * Plays the life of a conversation in a store of its own and calls `record` at the moment at which it is to be kept: while its owner
 * still has it when that one is killed, and behind its end otherwise.
 */
export async function playLife(
  { ending, steps }: LifePlan,
  store: ConversationStore,
  random: Random,
  record: (life: Life) => void | Promise<void>,
): Promise<void> {
  const id = randomUUID();
  let state = await live(await store.open(id, { owner: 'first' }), id, random, steps);
  if (ending.startsWith('taken over')) {
    await state.close();
    state = await live(await store.open(id, { owner: 'second' }), id, random, Math.ceil(steps / 2));
  }
  if (ending === 'forked') {
    await state.close();
    const fork = randomUUID();
    await store.fork(id, fork, { patch: { set: { id: fork } } });
    state = await live(await store.open(fork, { owner: 'of the fork' }), fork, random, Math.ceil(steps / 2));
  }
  const life = await lifeOf(state);
  if (ending.endsWith('killed')) await record(life);
  await state.close();
  await store.close();
  if (!ending.endsWith('killed')) await record(life);
}
