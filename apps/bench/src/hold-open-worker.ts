import { ConversationState } from '@conv/core';
import { drafts } from '@conv/core/events';
import { FsStore } from '@conv/persist-fs';

const [directory = '', id = ''] = process.argv.slice(2);
const store = new FsStore({ directory, mirror: 'deferred' });
const state = await ConversationState.open(await store.open(id, { owner: 'to be killed', create: 'never' }));
for (let event = 0; event < 100; event++) await state.append([drafts.pause()]);
process.stdout.write('ready\n');
setInterval(() => {}, 60_000);
