import { randomUUID } from 'node:crypto';

import type { ConversationStore } from '@conv/core/store';
import type { Random } from '@conv/testing-harness';

import { lifeOf, live } from './live.ts';
import type { Life } from './target.ts';

/** How the last owner of a recorded conversation ended. */
export const ENDINGS = ['closed', 'killed', 'taken over', 'taken over and killed', 'forked'] as const;

/** How a recorded conversation ended. */
export type Ending = (typeof ENDINGS)[number];

/**
 * Plays the life of a conversation in a store of its own and calls `record` at the moment at which it is to be kept: while its owner
 * still has it when that one is killed, and behind its end otherwise.
 */
export async function playLife(
  ending: Ending,
  store: ConversationStore,
  random: Random,
  record: (life: Life) => void | Promise<void>,
): Promise<void> {
  const id = randomUUID();
  let state = await live(await store.open(id, { owner: 'first' }), id, random, 6);
  if (ending.startsWith('taken over')) {
    await state.close();
    state = await live(await store.open(id, { owner: 'second' }), id, random, 4);
  }
  if (ending === 'forked') {
    await state.close();
    const fork = randomUUID();
    await store.fork(id, fork, { patch: { set: { id: fork } } });
    state = await live(await store.open(fork, { owner: 'of the fork' }), fork, random, 3);
  }
  const life = await lifeOf(state);
  if (ending.endsWith('killed')) await record(life);
  await state.close();
  await store.close();
  if (!ending.endsWith('killed')) await record(life);
}
