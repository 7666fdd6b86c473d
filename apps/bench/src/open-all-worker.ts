import { ConversationState } from '@conv/core';
import { drafts } from '@conv/core/events';
import { FsStore } from '@conv/persist-fs';

import { withoutEventFiles } from './without-event-files.ts';

const [directory = '', ...ids] = process.argv.slice(2);

/** Resident bytes, after garbage was collected and its pages were given back, which a usual collection leaves for later. */
function resident(): number {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return process.memoryUsage.rss();
}

const store = new FsStore({ directory, mirror: 'deferred', disk: withoutEventFiles });
const before = resident();
let delivered = 0;
const open: ConversationState[] = [];
for (const id of ids) {
  const state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
  state.subscribe({ onEvent: () => void delivered++ });
  await state.append([drafts.pause()]);
  open.push(state);
}
await Promise.all(open.map((state) => state.delivered(1000)));
if (delivered !== ids.length) throw new Error(`${delivered} events of ${ids.length} were delivered`);
process.stdout.write(`${resident() - before}\n`);
for (const state of open) await state.close();
await store.close();
