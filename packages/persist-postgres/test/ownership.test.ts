import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

const elsewhere = JSON.stringify({ pid: 1, startedAt: '1', boot: 'another machine', namespace: 'pid:[1]' });

/** Makes all leases end, as if their time had passed. */
function expire(schema: string): Promise<unknown> {
  return administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('an owner', () => {
  test('P2: an owner is named to others with the end of its lease, by the clock of the database', async () => {
    const { store, schema } = openStore({ leaseTimeout: 60_000 });
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

  test('P2: an owner may be taken over once its lease has ended by the clock of the database alone', async () => {
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

  test('P2: an owner that appends nothing keeps all its conversations by one heartbeat', async () => {
    const { store, schema } = openStore({ leaseTimeout: 5_000 });
    const all = await Promise.all(Array.from({ length: 20 }, () => Author.open(store)));
    const lease = async (): Promise<number> => {
      const rows = await administer<{ until: number }>(
        `SELECT extract(epoch FROM lease_until)::float8 AS until FROM "${schema}".owners`,
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.until ?? 0;
    };
    const first = await lease();
    await vi.waitUntil(async () => (await lease()) > first + 5.1, { timeout: 100_000 });
    const { store: other } = openStore({ schema });
    for (const { author, journal } of all) {
      await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
      expect(journal.epoch).toBe(1);
    }
  });

  test('P2: an owner that appends nothing learns by its next heartbeat that it was taken over', async () => {
    const { store, schema } = openStore({ leaseTimeout: 300 });
    const { author, journal } = await Author.open(store);
    const kept = await Author.open(store);
    const { store: other } = openStore({ schema });
    // the other store takes over between two heartbeats of the first owner
    await vi.waitUntil(
      async () => {
        await expire(schema);
        return other.open(author.id, { owner: 'b' }).then(
          () => true,
          () => false,
        );
      },
      { timeout: 100_000, interval: 0 },
    );
    await aborted(journal.lost);
    expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
    expect(kept.journal.lost.aborted).toBe(false);
    await kept.author.say(kept.journal, 'still mine');
  });

  test('P2: an owner on another machine counts as living while its lease lasts, dead or not', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    await administer(`UPDATE "${schema}".owners SET process = $1`, [elsewhere]);
    const { store: other } = openStore({ schema });
    await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
    await expect(other.delete(author.id)).rejects.toMatchObject({ code: 'OWNED' });
  });

  test('P2: an owner with the name of another owner is a different owner', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store, 'the same name');
    const { store: other } = openStore({ schema });
    await expect(other.open(author.id, { owner: 'the same name' })).rejects.toMatchObject({ code: 'OWNED' });
  });

  test('an owner that comes back after its lease ended continues unless it was taken over', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    await expire(schema);
    await author.say(journal, 'still there');
    expect(await commitIds(journal)).toEqual(author.ids);
  });

  test('an owner that closes gives up ownership at once, and leaves no row behind', async () => {
    const { store, schema } = openStore();
    const { author } = await Author.open(store);
    await store.close();
    expect(await administer(`SELECT token FROM "${schema}".owners`)).toEqual([]);
    const { store: other } = openStore({ schema });
    const journal = await other.open(author.id, { create: 'never', owner: 'b' });
    expect(journal.epoch).toBe(2);
  });
});

test('P2: restoring a backup under an owner fences the owner', async () => {
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
