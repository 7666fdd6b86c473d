import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Author, commitIds } from './conversation-author.ts';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

const elsewhere = JSON.stringify({ pid: 1, startedAt: '1', boot: 'another machine', namespace: 'pid:[1]' });

/** As if the lease had been over for a while. */
function expire(schema: string): Promise<unknown> {
  return administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('an owner', () => {
  test('P2: is named to others, with the time of the database until which it may be silent', async () => {
    const { store, schema } = openStore({ lease: 60_000 });
    const { author } = await Author.open(store, 'server-1 http://10.0.0.1:3000');
    const { store: other } = openStore({ schema });
    const [{ now } = { now: 0 }] = await administer<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    const error: unknown = await other.open(author.id, { owner: 'b' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'OWNED', owner: { owner: 'server-1 http://10.0.0.1:3000', epoch: 1 } });
    const until = (error as { owner: { until: number } }).owner.until;
    expect(until - now).toBeGreaterThan(30_000);
    expect(until - now).toBeLessThanOrEqual(60_000);
  });

  test('P2: that is silent for its lease may be taken over, not before, whatever the clocks of this machine say', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    const { store: other } = openStore({ schema });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
    await expire(schema);
    vi.setSystemTime(0);
    const next = await other.open(author.id, { owner: 'b' });
    expect(next.epoch).toBe(journal.epoch + 1);
    await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
  });

  test('P2: that appends nothing keeps its conversations by signs of life, one for all of them', async () => {
    const { store, schema } = openStore({ lease: 300 });
    const all = await Promise.all(Array.from({ length: 20 }, () => Author.open(store)));
    const lease = async (): Promise<number> => {
      const rows = await administer<{ until: number }>(
        `SELECT extract(epoch FROM lease_until)::float8 AS until FROM "${schema}".owners`,
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.until ?? 0;
    };
    const first = await lease();
    await vi.waitUntil(async () => (await lease()) > first + 0.6, { timeout: 100_000 });
    const { store: other } = openStore({ schema });
    for (const { author, journal } of all) {
      await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
      expect(journal.epoch).toBe(1);
    }
  });

  test('P2: learns by its next sign of life that it was taken over, also when it appends nothing', async () => {
    const { store, schema } = openStore({ lease: 300 });
    const { author, journal } = await Author.open(store);
    const kept = await Author.open(store);
    const { store: other } = openStore({ schema });
    // between two signs of life of the first owner
    await vi.waitUntil(
      async () => {
        await expire(schema);
        return other.open(author.id, { owner: 'b' }).then(
          () => true,
          () => false,
        );
      },
      { timeout: 10_000, interval: 0 },
    );
    await aborted(journal.lost);
    expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
    expect(kept.journal.lost.aborted).toBe(false);
    await kept.author.say(kept.journal, 'still mine');
  });

  test('P2: on another machine counts as living as long as its lease lasts, dead or not', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    await administer(`UPDATE "${schema}".owners SET process = $1`, [elsewhere]);
    const { store: other } = openStore({ schema });
    await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
    await expect(other.delete(author.id)).rejects.toMatchObject({ code: 'OWNED' });
  });

  test('P2: with the name of another one is another one', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store, 'the same name');
    const { store: other } = openStore({ schema });
    await expect(other.open(author.id, { owner: 'the same name' })).rejects.toMatchObject({ code: 'OWNED' });
  });

  test('that comes back after its lease was over, and was not taken over, goes on', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    await expire(schema);
    await author.say(journal, 'still there');
    expect(await commitIds(journal)).toEqual(author.ids);
  });

  test('that closes gives up at once, and leaves nothing of itself', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    await store.close();
    expect(await administer(`SELECT token FROM "${schema}".owners`)).toEqual([]);
    const { store: other } = openStore({ schema });
    const journal = await other.open(author.id, { create: 'never', owner: 'b' });
    expect(journal.epoch).toBe(2);
  });
});

test('P2: a backup that was restored under an owner fences it off', async () => {
  const { store, schema } = openStore();
  const { author, journal } = await Author.open(store);
  await author.say(journal, 'in the backup');
  await author.say(journal, 'not in the backup');
  await administer(
    `DELETE FROM "${schema}".commits WHERE seq = 2; UPDATE "${schema}".heads SET next_seq = 2, next_event = 1`,
  );
  await expect(author.say(journal, 'after the restoration')).rejects.toMatchObject({ code: 'FENCED' });
  expect(journal.lost.aborted).toBe(true);
});

test('P12: 300 conversations of one store are written at once over ten connections', async () => {
  const { store } = openStore();
  const all = await Promise.all(Array.from({ length: 300 }, () => Author.open(store)));
  for (let round = 0; round < 3; round++)
    await Promise.all(all.map(({ author, journal }) => author.say(journal, randomUUID())));
  for (const { author, journal } of all.slice(0, 20)) expect(await commitIds(journal)).toEqual(author.ids);
  let listed = 0;
  for (let page: string | undefined, more = true; more;) {
    const { items, next } = await store.list({ limit: 100, ...(page === undefined ? {} : { page }) });
    listed += items.length;
    page = next;
    more = next !== undefined;
  }
  expect(listed).toBe(300);
});
