import { PostgresStore } from '@conv/persist-postgres';

import { median, time, type Figure } from '../figure.ts';
import { Fleet } from '../load/fleet.ts';
import { readConversation, sendMessage } from '../load/requests.ts';
import { servedConversation } from '../place.ts';

/** Number of commits without a snapshot that an owner has appended when it is killed. */
const UNFINISHED = 100;

/**
 * Measures the time of a message to another server right after the owner of its conversation has died: the conversation is taken
 * over, loaded and appended to. The owner was on the same machine, so that no server waits for its lease.
 */
export async function fleetTakeover(size: number, rounds: number): Promise<readonly Figure[]> {
  await using fleet = await Fleet.start(0);
  const store = new PostgresStore({ connectionString: fleet.connectionString });
  const id = await servedConversation(store, { directory: fleet.directory, size });
  const small = await servedConversation(store, { directory: fleet.directory, size: 1 });
  await store.close();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [owner, heir] = [await fleet.add(), await fleet.add()];
    await owner.ask('append', { id, commits: UNFINISHED, each: 1, bytes: 1024, every: 0 });
    // what is compiled with the first conversation of a process is no cost of this one
    for (let nth = 0; nth < 20; nth++) await sendMessage(heir, small, { run: false });
    await readConversation(heir, id);
    await owner[Symbol.asyncDispose]();
    times.push(await time(() => sendMessage(heir, id, { run: false })));
    await heir[Symbol.asyncDispose]();
  }
  // what opening after a kill may take on files, whatever the length
  const target = { of: 'value', is: 'at most', limit: 150 } as const;
  return [{ name: `fleet.takeover.${size}`, value: median(times), unit: 'ms', baseline: null, ratio: null, target }];
}
