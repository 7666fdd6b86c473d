import assert from 'node:assert/strict';

import { projections, foldJournal, type StateFields, type StatePatch } from '@conv/core';
import type { Event } from '@conv/core/events';
import { type ConversationStore, type EventIndex, readEvents, toCommitSeq } from '@conv/core/store';
import { type Author, RECORD } from './author.ts';
import { openReader, plainEvents, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

/** Cases about forks: their contents, and their independence of the source. */
export const forkingCases: readonly StoreConformanceCase[] = [
  storeCase('a fork has the events of its source with ids, parents and numbers', async (bench) => {
    const { store } = bench;
    const { source } = await branched(bench);
    const id = await forked(bench, source.id);
    const events = await eventsOf(store, id);
    assert.deepEqual(plainEvents(events.map(({ event }) => event)), plainEvents(source.events));
    assert.deepEqual(
      events.map(({ index }) => index),
      source.events.map((_, at) => at),
    );
  }),
  storeCase('a fork has the state of its source, changed by its own patch', async (bench) => {
    const { store, platform } = bench;
    const { source } = await branched(bench);
    const id = platform.id();
    const patch: StatePatch = {
      set: { id, title: 'the fork', executionStatus: 'idle' },
      unset: ['agentState'],
      add: { tags: { forked: 'yes' } },
    };
    await store.fork(source.id, id, { patch });
    const { stats, ...fields } = await fieldsOf(store, id);
    const { stats: kept, ...expected } = source.fields;
    assert.deepEqual(stats, kept);
    assert.deepEqual(
      plain(fields),
      plain({ ...expected, ...patch.set, agentState: {}, tags: { ...expected.tags, forked: 'yes' } }),
    );
  }),
  storeCase('a fork from an event has the path to it and nothing else, numbered from 0', async (bench) => {
    const { store } = bench;
    const { source, path } = await branched(bench);
    const id = await forked(bench, source.id, path.at(-1)?.id);
    const events = await eventsOf(store, id);
    assert.deepEqual(plainEvents(events.map(({ event }) => event)), plainEvents(path));
    assert.deepEqual(
      events.map(({ index }) => index),
      path.map((_, at) => at),
    );
    assert.equal((await fieldsOf(store, id)).leafEventId, path.at(-1)?.id);
  }),
  storeCase('a fork from an event is no less strict: it has the current policy, analyzer and limits', async (bench) => {
    const { store } = bench;
    const { source, path } = await branched(bench);
    const id = await forked(bench, source.id, path[0]?.id);
    const { confirmationPolicy, securityAnalyzer, maxIterations, hookConfig } = await fieldsOf(store, id);
    const now = source.fields;
    assert.deepEqual(plain(confirmationPolicy), plain(now.confirmationPolicy));
    assert.deepEqual(plain(securityAnalyzer), plain(now.securityAnalyzer));
    assert.deepEqual(plain(hookConfig), plain(now.hookConfig));
    assert.equal(maxIterations, now.maxIterations);
  }),
  storeCase('a fork keeps the call records of its source', async (bench) => {
    const { store, begin } = bench;
    const source = await begin();
    await source.append({ events: 1, records: [RECORD] });
    await source.append({ events: 1, records: [RECORD, RECORD] });
    await source.journal.close();
    const id = await forked(bench, source.id);
    const records = async (of: string): Promise<unknown> =>
      ((await readStored(store, of)) as { records?: unknown[] }[]).flatMap((commit) => commit.records ?? []);
    assert.deepEqual(await records(id), await records(source.id));
    assert.deepEqual(plain((await fieldsOf(store, id)).stats), plain(source.fields.stats));
  }),
  storeCase('a snapshot of the source never shows in its fork', async (bench) => {
    const { store } = bench;
    const source = await straight(bench);
    await source.reopen(store);
    const saved = { seq: toCommitSeq(1), version: 7, data: { of: 'the source' } };
    await source.journal.saveSnapshot(saved);
    await source.journal.close();
    const id = await forked(bench, source.id, source.events[1]?.id);
    const whole = await forked(bench, source.id);
    source.journal = await store.open(source.id, { create: 'never', owner: 'author' });
    await source.append({ events: 1 });
    const later = { seq: toCommitSeq(2), version: 7, data: { of: 'the source, later' } };
    await source.journal.saveSnapshot(later);
    for (const [fork, never] of [
      [id, [saved, later]],
      [whole, [later]],
    ] as const) {
      const journal = await store.open(fork, { create: 'never', owner: 'fork' });
      const snapshot = await journal.snapshot();
      for (const wrong of never) assert.notDeepEqual(snapshot, wrong);
      await journal.close();
    }
  }),
  storeCase('forking to an id that is taken rejects EXISTS and changes nothing', async (bench) => {
    const { store, begin } = bench;
    const { source } = await branched(bench);
    const taken = await begin();
    await taken.append({ events: 1 });
    await taken.journal.close();
    await rejectsWith('EXISTS', 'fork', store.fork(source.id, taken.id, { patch: {} }));
    assert.deepEqual(await readStored(store, taken.id), taken.written);
  }),
  storeCase('forking a missing conversation rejects NOT_FOUND and makes nothing', async ({ store, platform }) => {
    await rejectsWith('NOT_FOUND', 'fork', store.fork(platform.id(), platform.id(), { patch: {} }));
    assert.deepEqual((await store.list()).items, []);
  }),
  storeCase('forking from a missing event rejects NOT_FOUND and makes nothing', async (bench) => {
    const { store, platform } = bench;
    const { source } = await branched(bench);
    const fork = store.fork(source.id, platform.id(), { from: platform.id(), patch: {} });
    await rejectsWith('NOT_FOUND', 'fork', fork);
    assert.equal((await store.list()).items.length, 1);
  }),
  storeCase('deleting the source of a fork does not harm the fork', async (bench) => {
    const { store } = bench;
    const { source } = await branched(bench);
    const id = await forked(bench, source.id);
    const before = await readStored(store, id);
    await store.delete(source.id);
    assert.deepEqual(await readStored(store, id), before);
    const journal = await store.open(id, { create: 'never', owner: 'a' });
    await journal.close();
  }),
  storeCase('deleting a fork does not harm its source', async (bench) => {
    const { store } = bench;
    const { source } = await branched(bench);
    await store.delete(await forked(bench, source.id));
    assert.deepEqual(await readStored(store, source.id), source.written);
    await source.reopen(store);
    await source.append({ events: 1 });
  }),
  storeCase('appends to a fork do not show in its source, nor the reverse', async (bench) => {
    const { store, platform } = bench;
    const source = await straight(bench);
    const count = source.events.length;
    const id = await forked(bench, source.id);
    await source.reopen(store);
    await source.append({ events: 2 });
    assert.equal((await eventsOf(store, id)).length, count);
    const journal = await store.open(id, { create: 'never', owner: 'fork' });
    const event = source.message('in the fork', source.events[count - 1]?.id ?? null);
    await journal.append({ id: platform.id(), events: [event] }, source.fields);
    await journal.close();
    const events = await eventsOf(store, id);
    assert.deepEqual(
      events.map(({ index }) => index),
      Array.from({ length: count + 1 }, (_, at) => at),
    );
    assert.equal(events.at(-1)?.event.id, event.id);
    assert.deepEqual(await readStored(store, source.id), source.written);
  }),
  storeCase('a conversation can be forked while it is written', async (bench) => {
    const { store } = bench;
    const source = await straight(bench);
    await source.reopen(store);
    await source.append({ events: 1 });
    const id = await forked(bench, source.id);
    assert.deepEqual(plainEvents((await eventsOf(store, id)).map(({ event }) => event)), plainEvents(source.events));
    await source.append({ events: 1 });
  }),
  storeCase('a fork is listed with the values of its patch', async (bench) => {
    const { store, platform } = bench;
    const { source } = await branched(bench);
    const id = platform.id();
    await store.fork(source.id, id, {
      patch: { set: { id, title: 'listed', forkedFrom: { conversationId: source.id, eventId: null } } },
    });
    const item = (await store.list()).items.find((one) => one.id === id);
    assert.equal(item?.title, 'listed');
    assert.deepEqual(plain(item.forkedFrom), { conversationId: source.id, eventId: null });
  }),
  storeCase('a fork can be forked', async (bench) => {
    const { store } = bench;
    const source = await straight(bench);
    const second = await forked(bench, await forked(bench, source.id));
    assert.deepEqual(
      plainEvents((await eventsOf(store, second)).map(({ event }) => event)),
      plainEvents(source.events),
    );
  }),
  storeCase('values that an owner re-encrypted are what readers, the next owner and every fork have', async (bench) => {
    const { store, begin } = bench;
    const source = await begin(encrypted('older'));
    await source.append({ events: 3 });
    await source.journal.saveSnapshot(source.snapshot);
    await source.reopen(store);
    const renewed = encrypted('newer');
    await source.append({ patch: { set: renewed } });
    await source.reopen(store);
    const states = [(await projections.readState(source.journal)).fields];
    await source.journal.close();
    for (const from of [undefined, source.events[0]?.id])
      states.push(await fieldsOf(store, await forked(bench, source.id, from)));
    for (const fields of [...states, await fieldsOf(store, source.id)]) {
      const { agent, secretRegistry, hiddenValues } = fields;
      assert.deepEqual(plain({ agent, secretRegistry, hiddenValues }), renewed);
    }
  }),
];

/** Returns all fields that hold ciphertext, as they are under one secret key. */
function encrypted(key: string): Pick<StateFields, 'agent' | 'secretRegistry' | 'hiddenValues'> {
  return {
    agent: { kind: 'Agent', llm: { model: 'a/model', api_key: `model key under the ${key} one` } },
    secretRegistry: { secret_sources: { TOKEN: { kind: 'StaticSecret', value: `token under the ${key} one` } } },
    hiddenValues: [`value of before under the ${key} one`],
  };
}

/** Makes a closed conversation of three messages. */
async function straight({ begin }: StoreBench): Promise<Author> {
  const source = await begin();
  await source.append({ events: 3 });
  await source.journal.close();
  return source;
}

/** Makes a closed conversation with two branches. `path` leads to the end of the first; HEAD is that of the second. */
async function branched({ begin }: StoreBench): Promise<{ source: Author; path: Author['events'] }> {
  const source = await begin({
    confirmationPolicy: { kind: 'NeverConfirm' },
    agentState: { notes: 'n' },
  });
  await source.append({ events: 3 });
  const root = source.events[1]?.id ?? null;
  const tail = [source.events[0], source.events[1], source.events[2]].flatMap((event) => (event ? [event] : []));
  const second = source.message('second branch', root);
  await source.append({ events: [second, source.message('its end', second.id)], patch: { add: { tags: { a: '1' } } } });
  const strict: Partial<StateFields> = {
    confirmationPolicy: { kind: 'AlwaysConfirm' },
    maxIterations: 7,
    hookConfig: { stop: [] },
  };
  await source.append({ patch: { set: { ...strict, securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } } } });
  await source.journal.close();
  return { source, path: tail };
}

async function forked({ store, platform }: StoreBench, id: string, from?: string): Promise<string> {
  const newId = platform.id();
  await store.fork(id, newId, { ...(from === undefined ? {} : { from }), patch: { set: { id: newId } } });
  return newId;
}

async function eventsOf(
  store: ConversationStore,
  id: string,
): Promise<readonly { readonly event: Event; readonly index: EventIndex }[]> {
  const reader = await openReader(store, id);
  const events = await Array.fromAsync(readEvents(reader, 0, reader.end.event));
  await reader.close();
  return events;
}

async function fieldsOf(store: ConversationStore, id: string): Promise<StateFields> {
  const reader = await openReader(store, id);
  const { fields } = await foldJournal(reader);
  await reader.close();
  return fields;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
