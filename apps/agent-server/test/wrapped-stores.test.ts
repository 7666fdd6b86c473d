import { applicableCases, storeConformance, type StoreUnderTest } from '@conv/conformance';
import { MemoryStore, type ConversationStore, type Journal } from '@conv/core/store';
import { tracedStore } from '@conv/otel';
import { watchedStore } from '@conv/otel/work';
import { alter, lostJournalMembers, lostStoreMembers } from '@conv/testing-harness';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';

const tracer = new TracerProvider({ spanProcessors: [] }).getTracer('test');

const wrappers: Readonly<Record<string, (store: ConversationStore) => ConversationStore>> = {
  watchedStore: (store) => watchedStore(store, {}, () => {}),
  tracedStore: (store) => tracedStore(store, { tracer }),
};

describe.each(Object.entries(wrappers))('%s', (_, wrap) => {
  test('the wrapper passes on every member of a store', async () => {
    expect(await lostStoreMembers(wrap)).toEqual([]);
  });

  test('P4: the wrapper passes on every member of a journal, the copies of the state too', async () => {
    const opened = (journal: Journal): Promise<Journal> =>
      wrap(alter<ConversationStore>(new MemoryStore(), { open: async () => journal })).open('any', { owner: 'test' });
    expect(await lostJournalMembers(opened)).toEqual([]);
  });

  test('the wrapper passes on what only this kind of store has', () => {
    const store = Object.freeze(Object.assign(new MemoryStore(), { incomplete: () => ['one'] }));
    expect((wrap(store) as typeof store).incomplete()).toEqual(['one']);
  });
});

describe('a traced store', () => {
  const make = async (): Promise<StoreUnderTest> => {
    const store = tracedStore(new MemoryStore(), { tracer });
    return { store, again: async () => store, dispose: () => store.close() };
  };
  const { features } = new MemoryStore();
  const cases = applicableCases(storeConformance, { ...features, takeOver: false });
  test.each(cases)('$name', ({ run }) => run({ make }));
});
