import { drafts } from '@conv/core/events';
import { MemoryStore, type ConversationStore, type JournalReader } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { expect, onTestFinished, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { only, StreamingAgent } from '@conv/testing-harness';
import { isState, textsOf, type Frame } from '../support/test-socket.ts';

const isFullState = (frame: Frame): boolean => frame['type'] === 'transient' && isState(frame, 'full_state');
const seqs = (frames: readonly Frame[]): readonly unknown[] =>
  frames.flatMap(({ type, seq }) => (type === 'durable' ? [seq] : []));

/** Returns a store whose readers are notified of other writers only when `heard` resolves, and can read at any time. */
function late(store: ConversationStore, heard: Promise<void>): ConversationStore {
  const lateReader = (reader: JournalReader): JournalReader =>
    new Proxy(reader, {
      get: (target, key) => {
        if (key === 'watch') {
          return async function* (...watched: Parameters<JournalReader['watch']>) {
            await heard;
            yield* target.watch(...watched);
          };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  return {
    features: store.features,
    open: (id, options) => store.open(id, options),
    read: async (id) => {
      const reader = await store.read(id);
      return reader && lateReader(reader);
    },
    list: (query) => store.list(query),
    fork: (id, newId, options) => store.fork(id, newId, options),
    delete: (id) => store.delete(id),
    check: (id, options) => store.check(id, options),
    close: () => store.close(),
  };
}

test('P11: a server that hears of events late sends none again that the client got from another server', async () => {
  const store = new MemoryStore();
  const heard = Promise.withResolvers<void>();
  const bench = await startBench({ store: late(store, heard.promise) });
  const agent = new StreamingAgent();
  const elsewhere = await openLocalConversation(
    { storeAt: () => store, agents: only(agent) },
    { agent, store, workspace: bench.folder },
  );
  onTestFinished(() => elsewhere.close());
  const append = (text: string): Promise<unknown> => elsewhere.state.append([drafts.environmentMessage(text)]);
  await append('one');
  const first = bench.open(`session/${elsewhere.id}?after_seq=-1`);
  await first.find(isFullState);
  await append('two');
  await append('three');
  // it has seen all three at another server
  const second = bench.open(`session/${elsewhere.id}?after_seq=2`);
  await second.opened();
  heard.resolve();
  await second.find(isFullState);
  await append('four');
  for (const socket of [first, second]) await socket.until((frames) => textsOf(frames).includes('four'));
  expect([seqs(first.frames), seqs(second.frames)]).toEqual([[0, 1, 2, 3], [3]]);
  expect(second.frames.filter(({ type }) => type === 'error')).toEqual([]);
});
