import { randomUUID } from 'node:crypto';
import { toCommitSeq } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { Author, commitIds, watchIds } from '@conv/testing-harness';
import { administer, freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';
import { Writer } from './writer.ts';

describe('a killed owner', () => {
  test.each([1, 16])(
    'P1 P4: a killed owner loses and doubles no acknowledged commit; the next need not wait, %i in flight',
    async (width) => {
      const [schema, id] = [freshSchema(), randomUUID()];
      const acknowledged: string[] = [];
      for (let round = 1; round <= 4; round++) {
        const writer = new Writer(schema, id, Infinity, width);
        await writer.until(({ length }) => length > 20 * round);
        await writer.kill();
        acknowledged.push(...writer.acknowledged);
      }
      const { store } = openStore({ schema });
      const read = await commitIds(await store.read(id));
      const journal = await store.open(id, { owner: 'last' });
      const ids = await commitIds(journal);
      expect(journal.epoch).toBe(5);
      expect(read).toEqual(ids.slice(0, read.length));
      expect(new Set(ids).size).toBe(ids.length);
      expect(acknowledged.filter((one) => !ids.includes(one))).toEqual([]);
      expect(journal.damage).toEqual([]);
    },
  );
});

describe('several owners', () => {
  test('P2: a stopped owner that continues after a takeover is fenced and adds nothing', async () => {
    const [schema, id] = [freshSchema(), randomUUID()];
    const writer = new Writer(schema, id, Infinity);
    await writer.until(({ length }) => length > 10);
    writer.process.kill('SIGSTOP');
    const { store } = openStore({ schema });
    await expect(store.open(id, { owner: 'too early' })).rejects.toMatchObject({ code: 'OWNED' });
    await administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`);
    const journal = await store.open(id, { owner: 'successor' });
    const author = new Author(id);
    await author.say(journal, 'after the takeover');
    expect(await writer.resume()).toBe('FENCED');
    await author.say(journal, 'still ours');
    const ids = await commitIds(journal);
    expect(writer.acknowledged.filter((one) => !ids.includes(one))).toEqual([]);
    expect(ids.slice(-2)).toEqual(author.ids);
  });

  test('P2: one of several processes that open at once gets the conversation', async () => {
    const [schema, id] = [freshSchema(), randomUUID()];
    const writers = Array.from({ length: 4 }, () => new Writer(schema, id, Infinity));
    await Promise.all(writers.map((writer) => writer.until((lines) => lines.length > 5 || lines.at(-1) === 'OWNED')));
    expect(writers.filter(({ lines }) => lines.at(-1) !== 'OWNED')).toHaveLength(1);
    await Promise.all(writers.map((writer) => writer.kill()));
  });

  test('P2: owners that keep taking a conversation from each other lose, double and misnumber no commit', async () => {
    const { store, schema } = openStore();
    const id = randomUUID();
    const acknowledged: { id: string; seq: number }[] = [];
    const refusals: unknown[] = [];
    let left = 12;
    const contend = async (owner: string): Promise<void> => {
      const { store: own } = openStore({ schema });
      while (left > 0) {
        await administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`);
        try {
          const journal = await own.open(id, { owner });
          left--;
          for (;;) {
            const appended = Array.from({ length: 3 }, () =>
              journal.append({ id: randomUUID(), events: [] }, new Author(id).fields),
            );
            for (const outcome of await Promise.allSettled(appended)) {
              if (outcome.status === 'rejected') throw outcome.reason;
              acknowledged.push({ id: outcome.value.id, seq: outcome.value.seq });
            }
            if (left <= 0) {
              await journal.close();
              return;
            }
          }
        } catch (error) {
          refusals.push(error);
        }
      }
    };
    await store.list();
    await Promise.all(['a', 'b', 'c'].map(contend));
    for (const error of refusals) expect(error).toMatchObject({ code: expect.stringMatching(/^(FENCED|OWNED)$/) });
    const ids = await commitIds(await store.read(id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const one of acknowledged) expect(ids[one.seq]).toBe(one.id);
    const reader = await store.read(id);
    const epochs = (await Array.fromAsync(reader?.commits() ?? [])).map(({ epoch }) => epoch);
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
    expect(reader?.damage).toEqual([]);
  });
});

describe('a reader in another process', () => {
  test.each([
    ['listening', {}],
    ['looking for changes', { listen: false, pollInterval: 20 }],
  ] as const)(
    'P7 P11: watch shows every commit once and in order, over owners that come and go, %s',
    async (_, settings) => {
      const [schema, id] = [freshSchema(), randomUUID()];
      const first = new Writer(schema, id, 30);
      await first.until(({ length }) => length > 3);
      const { store } = openStore({ schema, ...settings });
      const reader = await store.read(id);
      const watching = watchIds(reader, 61);
      await first.ended();
      expect(first.lines.at(-1)).toBe('closed');
      await new Writer(schema, id, 30, 4).ended();
      expect(await watching).toEqual(await commitIds(await store.read(id)));
    },
  );

  test('P11: a message wakes a watcher without any look at the database', async () => {
    const { store, schema } = openStore();
    // so rare that the test would time out if it needed a look
    const { store: watcher } = openStore({ schema, pollInterval: 3_600_000 });
    const { author, journal } = await Author.open(store);
    const reader = await watcher.read(author.id);
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { id } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
        seen.push(id);
        if (seen.length === 30) stop.abort();
      }
    })();
    // messages sent before the watcher listens are lost; the first to arrive brings all earlier commits
    while (seen.length < 30) await author.say(journal, `message ${seen.length}`);
    await watching;
    expect(seen).toEqual(author.ids.slice(0, 30));
  });
});
