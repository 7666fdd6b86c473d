import { ConversationState } from '@conv/core';
import { makeTwins, see, seeRepaired, type Twins } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import type { PostgresStore } from '../src/index.ts';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

const STRICT = { confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 5 };

interface Made {
  readonly store: PostgresStore;
  readonly twins: Twins;
  /** Changes rows as damage does: no trigger sees it. `@.` stands for the schema, `$own` and `$other` for the keys. */
  readonly harm: (sql: string) => Promise<void>;
}

async function made(): Promise<Made> {
  const { store, schema } = openStore();
  const twins = await makeTwins(store, 5);
  const keys = await administer<{ id: string; key: string }>(`SELECT id::text, key FROM "${schema}".heads`);
  const keyOf = (id: string): string => keys.find((row) => row.id === id)?.key ?? '';
  const harm = async (sql: string): Promise<void> => {
    const text = sql
      .replaceAll('@.', `"${schema}".`)
      .replaceAll('$own', keyOf(twins.strict))
      .replaceAll('$other', keyOf(twins.lax));
    await administer(`SET session_replication_role = replica; ${text}; SET session_replication_role = origin`);
  };
  return { store, twins, harm };
}

/** The statement that puts columns of the other conversation's row in the place of those of its twin. */
function copied(table: string, columns: readonly string[], key = 'key', and = 'true'): string {
  const set = columns.map((column) => `${column} = b.${column}`).join(', ');
  return `UPDATE @.${table} a SET ${set} FROM @.${table} b WHERE a.${key} = $own AND b.${key} = $other AND ${and}`;
}

test.each([1, 2, 6])('P4: the row of commit %i of another conversation is a lost commit', async (seq) => {
  const { store, twins, harm } = await made();
  const columns = ['epoch', 'first_event', 'events', 'crc', 'id', 'body'];
  await harm(copied('commits', columns, 'log', `a.seq = ${seq} AND b.seq = ${seq}`));
  const [own, other] = [await see(store, twins.strict), await see(store, twins.lax)];
  expect(own).toMatchObject({ lost: [seq], fields: { ...STRICT, damaged: true } });
  expect([own.findings.includes('log lost'), own.words.includes('lax---')]).toEqual([true, false]);
  expect([other.lost, other.findings]).toEqual([[], []]);
});

test('P4: the snapshot of another conversation changes no state; check names it and repair removes it', async () => {
  const { store, twins, harm } = await made();
  await harm(copied('snapshots', ['seq', 'version', 'data', 'crc']));
  const own = { lost: [], fields: { ...STRICT, damaged: false, id: twins.strict } };
  expect(await seeRepaired(store, twins.strict)).toMatchObject({
    seen: { ...own, findings: ['snapshot damaged'] },
    repaired: [true],
    after: { ...own, findings: [] },
  });
});

test('P4: the settings of another conversation are not used; check names them and repair renews them', async () => {
  const { store, twins, harm } = await made();
  await harm(copied('summaries', ['kept']));
  expect(await seeRepaired(store, twins.strict)).toMatchObject({
    seen: { findings: ['summary damaged'] },
    repaired: [true],
    after: { findings: [] },
  });
  // the copy tells the settings of a lost commit
  await harm('DELETE FROM @.snapshots; DELETE FROM @.commits WHERE log = $own AND seq = 1');
  expect(await see(store, twins.strict)).toMatchObject({ lost: [1], fields: { ...STRICT, damaged: true } });
});

test('P4: a lost commit is not taken to have had the settings of another conversation', async () => {
  const { store, twins, harm } = await made();
  await harm(`${copied('summaries', ['kept'])}; DELETE FROM @.snapshots`);
  await harm('DELETE FROM @.commits WHERE log = $own AND seq = 1');
  const { fields, lost } = await see(store, twins.strict);
  expect(lost).toEqual([1]);
  expect(fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  expect(fields.maxIterations).not.toBe(9);
});

test('P4: the numbers of another conversation in the row of one are damage that its log corrects', async () => {
  const { store, twins, harm } = await made();
  await harm(copied('heads', ['epoch', 'turn', 'next_seq', 'next_event', 'own_from', 'seal']));
  const seen = await see(store, twins.strict);
  expect(seen).toMatchObject({ words: Array<string>(5).fill('strict'), lost: [], fields: STRICT });
  expect(seen.findings).toEqual(['end damaged']);
  expect((await store.check(twins.strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  expect((await see(store, twins.strict)).findings).toEqual([]);
});

test('P4: the listed columns of another conversation are named by check, and repair renews them', async () => {
  const { store, twins, harm } = await made();
  await harm(copied('summaries', ['title', 'status', 'created_at', 'tags', 'parent_id', 'forked_from']));
  expect((await see(store, twins.strict)).findings).toEqual(['summary stale']);
  expect((await store.check(twins.strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  const { items } = await store.list();
  expect(items.find(({ id }) => id === twins.strict)?.title).toBe('strict title');
});

test('P4: the copy of the settings proves the end of a log whose row and newest commits are lost together', async () => {
  const { store, twins, harm } = await made();
  await harm(`UPDATE @.heads SET next_seq = 1 WHERE key = $own; DELETE FROM @.commits WHERE log = $own AND seq > 0`);
  await harm('DELETE FROM @.snapshots');
  const seen = await see(store, twins.strict);
  expect(seen).toMatchObject({ lost: [1], fields: { ...STRICT, damaged: true } });
  expect(seen.findings).toContain('log lost');
});

test.each(['origin', 'replica'])(
  'P4: swapped ids in heads, changed with the role %s, show no conversation under a foreign id',
  async (role) => {
    const { store, schema } = openStore();
    const { strict, lax } = await makeTwins(store, 5);
    const swap = (to: string, from: string): string => `UPDATE "${schema}".heads SET id = '${to}' WHERE id = '${from}'`;
    const aside = crypto.randomUUID();
    const swaps = [swap(aside, strict), swap(strict, lax), swap(lax, aside)].join(';');
    await administer(`SET session_replication_role = ${role}; ${swaps}; SET session_replication_role = origin`);
    for (const [id, word] of [
      [strict, 'strict'],
      [lax, 'lax---'],
    ] as const) {
      const seen = await see(store, id).catch((error: unknown) => error);
      const own = { words: Array<string>(5).fill(word), fields: { id } };
      expect(seen).toMatchObject(seen instanceof Error ? { code: 'CORRUPT' } : own);
      // With the triggers the row is whole: only the log tells that it is another one's.
      const expected = role === 'origin' ? new RegExp(`${id}.*${id === strict ? lax : strict}`) : /./;
      expect(String(seen)).toMatch(expected);
    }
    for (const id of [strict, lax, strict, lax]) await store.check(id, { repair: true }).catch(() => {});
    if (role === 'origin') return;
    // The rows that list the conversations still have the ids, so repair puts these back.
    expect(await see(store, strict)).toMatchObject({ words: Array<string>(5).fill('strict'), findings: [] });
    expect(await see(store, lax)).toMatchObject({ words: Array<string>(5).fill('lax---'), findings: [] });
  },
);

test.each([
  ['its snapshot', ''],
  ['the copy of its settings', 'DELETE FROM @.snapshots;'],
])('P4: a row that was set back with the newest commit gone hides no loss: %s proves the end', async (_, first) => {
  const { store, schema } = openStore();
  const { strict } = await makeTwins(store, 5);
  const state = await ConversationState.open(await store.open(strict, { owner: 'next' }), { id: strict });
  await state.update({ set: { maxIterations: 3 } });
  await state.close();
  const own = `(SELECT key FROM @.heads WHERE id = '${strict}')`;
  const text = `${first} DELETE FROM @.commits WHERE log = ${own} AND seq = 7;
    UPDATE @.heads SET next_seq = 7 WHERE id = '${strict}'`;
  await administer(text.replaceAll('@.', `"${schema}".`));
  const seen = await see(store, strict);
  expect(seen).toMatchObject({ lost: [7], words: Array<string>(5).fill('strict') });
  expect(seen.fields).toMatchObject({ maxIterations: 3, damaged: true });
  expect(seen.findings).toContain('log lost');
  await store.check(strict, { repair: true });
  expect(await see(store, strict)).toMatchObject({ lost: [7], findings: ['log known'] });
});

test('P4: check finds the lost events of a row that was set back, without snapshot and copy of settings', async () => {
  const { store, schema } = openStore();
  const { strict, lax } = await makeTwins(store, 5);
  const own = `(SELECT key FROM @.heads WHERE id = '${strict}')`;
  const text = `DELETE FROM @.snapshots; UPDATE @.summaries SET kept = NULL;
    DELETE FROM @.commits WHERE log = ${own} AND seq = 6;
    UPDATE @.heads SET next_seq = 6, next_event = 4 WHERE id = '${strict}'`;
  await administer(text.replaceAll('@.', `"${schema}".`));
  for (const repair of [false, true]) {
    const { findings } = await store.check(strict, { repair });
    expect(findings).toContainEqual({
      part: 'end',
      severity: 'lost',
      message: expect.stringContaining('events up to number 4, and the log ends before event 4') as string,
      repaired: false,
    });
  }
  expect((await store.check(lax)).findings).toEqual([]);
});
