import { setImmediate as turn } from 'node:timers/promises';

import { toEventIndex } from '@conv/core/store';

import { openRemoteConversation, RemoteWorkspace } from '../../src/index.ts';

/** Follows a conversation from its first event on up to `until`, reads all of it once more, and says what memory it took at most. */
const [url = '', id = '', until = '0'] = process.argv.slice(2);
const { gc } = globalThis;
if (!gc) throw new Error('it needs --expose-gc');

const held = (): number => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const conversation = await openRemoteConversation({}, { workspace: new RemoteWorkspace({ url }), id, create: 'never' });
const before = held();
let most = before;
const seen = Promise.withResolvers<void>();
const measure = (index: number): void => {
  if (index % 1000 === 0) most = Math.max(most, held());
};
conversation.subscribe(
  {
    onEvent: (_, index) => {
      measure(index);
      if (index === 0) process.send?.('follows');
      if (index === Number(until) - 1) seen.resolve();
    },
  },
  { from: toEventIndex(0) },
);
await seen.promise;
let read = 0;
for await (const _ of conversation.events) measure(read++);
await turn();
most = Math.max(most, held());
process.send?.({ read, megabytes: (most - before) / 1024 / 1024 });
await conversation.close();
process.disconnect();
