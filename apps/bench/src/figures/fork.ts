import { randomUUID } from 'node:crypto';

import { median, time, type Figure } from '../figure.ts';
import { makeConversation, Place } from '../place.ts';

/** Forking a whole conversation: until the fork can be used, and until its files for other programs are there. */
export async function fork(size: number, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  const store = place.store();
  const id = await makeConversation(store, size);
  const [usable, complete]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const newId = randomUUID();
    const start = performance.now();
    usable.push(await time(() => store.fork(id, newId, { patch: { set: { id: newId } } })));
    await store.mirrorComplete(newId);
    complete.push(performance.now() - start);
  }
  return [figure(`fs.fork.usable.${size}`, median(usable), 50), figure(`fs.fork.view.${size}`, median(complete), 2000)];
}

function figure(name: string, value: number, limit: number): Figure {
  return { name, value, unit: 'ms', baseline: null, ratio: null, target: { of: 'value', is: 'at most', limit } };
}
