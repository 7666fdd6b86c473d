import { makeTwins, see, seeRepaired, type Twins } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

const STRICT = { confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 5 };

interface Made {
  readonly twins: Twins;
  /** Changes rows while no store has the database open, and opens it. `$own` and `$other` stand for the keys. */
  readonly harm: (...statements: readonly string[]) => Promise<SqliteStore>;
}

async function made(): Promise<Made> {
  const first = await freshStore();
  const { file } = first;
  const twins = await makeTwins(first, 5);
  let open: SqliteStore = first;
  const harm = async (...statements: readonly string[]): Promise<SqliteStore> => {
    await open.close();
    rawly(file, (database) => {
      const rows = database.prepare('SELECT id, key FROM conversations').all();
      const keyOf = (id: string): string => String(rows.find((row) => row['id'] === id)?.['key']);
      const named = (sql: string): string =>
        sql.replaceAll('$own', keyOf(twins.strict)).replaceAll('$other', keyOf(twins.lax));
      for (const statement of statements) database.exec(named(statement));
    });
    open = await freshStore({ file });
    return open;
  };
  return { twins, harm };
}

/** The statement that puts columns of the other conversation's row in the place of those of its twin. */
function copied(table: string, columns: readonly string[], own = 'key = $own', other = 'key = $other'): string {
  const names = columns.join(', ');
  return `UPDATE ${table} SET (${names}) = (SELECT ${names} FROM ${table} WHERE ${other}) WHERE ${own}`;
}

test.each([1, 2, 6])('P4: the row of commit %i of another conversation is a lost commit', async (seq) => {
  const { twins, harm } = await made();
  const columns = ['epoch', 'first_event', 'events', 'crc', 'body'];
  const at = (key: string): string => `position = (${key} << 32) | ${seq}`;
  const store = await harm(copied('commits', columns, at('$own'), at('$other')));
  const seen = await see(store, twins.strict);
  expect(seen).toMatchObject({ lost: [seq], fields: { ...STRICT, damaged: true } });
  expect(seen.findings).toContain('log lost');
  expect(seen.words).not.toContain('lax---');
  expect(await see(store, twins.lax)).toMatchObject({ lost: [], findings: [] });
});

test('P4: the snapshot of another conversation changes no state; check names it and repair removes it', async () => {
  const { twins, harm } = await made();
  const rows = ['conversation = $own', 'conversation = $other'] as const;
  const store = await harm(copied('snapshots', ['seq', 'version', 'crc', 'data'], ...rows));
  const expected = { lost: [], fields: { ...STRICT, damaged: false, id: twins.strict } };
  const seen = { ...expected, findings: ['snapshot damaged'] };
  const after = { ...expected, findings: [] };
  expect(await seeRepaired(store, twins.strict)).toMatchObject({ seen, repaired: [true], after });
});

test('P4: the settings of another conversation are not used; check names them and repair renews them', async () => {
  const { twins, harm } = await made();
  const store = await harm(copied('conversations', ['kept']));
  const { seen, repaired, after } = await seeRepaired(store, twins.strict);
  expect([seen.findings, repaired, after.findings]).toEqual([['summary damaged'], [true], []]);
  const lost = 'DELETE FROM commits WHERE position = ($own << 32) | 1';
  const again = await harm('DELETE FROM snapshots', lost);
  expect(await see(again, twins.strict)).toMatchObject({ lost: [1], fields: { ...STRICT, damaged: true } });
});

test('P4: a lost commit is not taken to have had the settings of another conversation', async () => {
  const { twins, harm } = await made();
  const lost = 'DELETE FROM commits WHERE position = ($own << 32) | 1';
  const store = await harm(copied('conversations', ['kept']), 'DELETE FROM snapshots', lost);
  const seen = await see(store, twins.strict);
  expect(seen).toMatchObject({ lost: [1], fields: { damaged: true, confirmationPolicy: STRICT.confirmationPolicy } });
  expect(seen.fields.maxIterations).not.toBe(9);
});

test('P4: the numbers of another conversation in the row of one hide no commit and show none of the other', async () => {
  const { twins, harm } = await made();
  const longer = 'UPDATE conversations SET next_seq = 4, next_event = 2, epoch = 9 WHERE key = $other';
  const store = await harm(longer, copied('conversations', ['epoch', 'next_seq', 'next_event', 'updated_at']));
  const seen = await see(store, twins.strict);
  expect(seen).toMatchObject({ words: Array<string>(5).fill('strict'), lost: [], fields: STRICT });
  expect(seen.findings).toEqual(['end damaged']);
  await store.check(twins.strict, { repair: true });
  expect((await see(store, twins.strict)).findings).toEqual([]);
});

test('P4: the listed columns of another conversation are named by check, and repair renews them', async () => {
  const { twins, harm } = await made();
  const columns = ['title', 'status', 'created_at', 'tags', 'parent_id', 'forked_from'];
  const store = await harm(copied('conversations', columns));
  expect((await see(store, twins.strict)).findings).toEqual(['summary stale']);
  expect((await store.check(twins.strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  const { items } = await store.list();
  expect(items.find(({ id }) => id === twins.strict)?.title).toBe('strict title');
});

test('P4: the span of another conversation is damage, and none of its commits is shown', async () => {
  const { twins, harm } = await made();
  const rows = ['conversation = $own', 'conversation = $other'] as const;
  const store = await harm(copied('spans', ['first_seq', 'end_seq', 'end_event', 'log', 'crc'], ...rows));
  await expect(see(store, twins.strict)).rejects.toMatchObject({ code: 'CORRUPT' });
  await store.check(twins.strict, { repair: true });
  expect(await see(store, twins.strict)).toMatchObject({ words: Array<string>(5).fill('strict'), findings: [] });
});

test('P6: a fork from an event has a copy of its settings before anything is appended to it', async () => {
  const store = await freshStore();
  const { strict } = await makeTwins(store, 3);
  const reader = await store.read(strict);
  const head = reader && (await Array.fromAsync(reader.commits())).at(-1)?.events[0]?.id;
  const fork = '00000000-0000-4000-8000-00000000000f';
  await store.fork(strict, fork, { from: head ?? '', patch: { set: { id: fork } } });
  expect(await (await store.read(fork))?.kept?.()).toMatchObject([{ fields: STRICT }]);
});
