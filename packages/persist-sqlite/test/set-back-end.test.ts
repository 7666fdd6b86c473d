import { readFileSync, writeFileSync } from 'node:fs';
import { ConversationState } from '@conv/core';
import { copyConversation } from '@conv/store-kit';
import { MemoryStore } from '@conv/core/store';
import { makeTwins, see } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

const LAST = '(SELECT max(position) FROM commits WHERE position >> 32 = (SELECT key FROM conversations WHERE id = ?))';

/** Removes the newest commit of a conversation and sets its row back, as a restore of old pages does. */
function setBack(file: string, id: string, ...statements: readonly string[]): void {
  rawly(file, (database) => {
    for (const statement of statements) database.exec(statement);
    const events = `(SELECT events FROM commits WHERE position = ${LAST})`;
    database
      .prepare(`UPDATE conversations SET next_seq = next_seq - 1, next_event = next_event - ${events} WHERE id = ?`)
      .run(id, id);
    database.prepare(`DELETE FROM commits WHERE position = ${LAST}`).run(id);
  });
}

test('P4: a row that was set back with the newest commit gone hides no loss: the snapshot proves the end', async () => {
  const first = await freshStore();
  const { strict, lax } = await makeTwins(first, 5);
  await first.close();
  setBack(first.file, strict);
  const store = await freshStore({ file: first.file });
  const seen = await see(store, strict);
  expect(seen).toMatchObject({ lost: [6], words: Array<string>(4).fill('strict'), fields: { damaged: true } });
  expect(seen.findings).toContain('log lost');
  await expect(copyConversation(strict, store, new MemoryStore())).rejects.toMatchObject({
    code: 'CORRUPT',
    message: expect.stringContaining('commit 6 of the source') as string,
  });
  expect(await see(store, lax)).toMatchObject({ lost: [], findings: [] });
  await store.check(strict, { repair: true });
  expect(await see(store, strict)).toMatchObject({ lost: [6], findings: ['log known'] });
});

test('P4: the copy of the settings proves the commit that changed them without the snapshot', async () => {
  const first = await freshStore();
  const { strict } = await makeTwins(first, 5);
  const state = await ConversationState.open(await first.open(strict, { owner: 'next' }), { id: strict });
  await state.update({ set: { maxIterations: 3 } });
  await state.close();
  await first.close();
  setBack(first.file, strict, 'DELETE FROM snapshots');
  const seen = await see(await freshStore({ file: first.file }), strict);
  expect(seen).toMatchObject({ lost: [7], fields: { maxIterations: 3, damaged: true } });
});

test('P4: check finds lost events in the index without the snapshot and the copy of the settings', async () => {
  const first = await freshStore();
  const { strict } = await makeTwins(first, 5);
  await first.close();
  setBack(first.file, strict, 'DELETE FROM snapshots');
  const { findings } = await (await freshStore({ file: first.file })).check(strict);
  expect(findings).toMatchObject([
    { part: 'end', severity: 'lost', message: expect.stringContaining('event 4') as string },
  ]);
});

test('P4: a row that repair put back has a copy of its settings again', async () => {
  const first = await freshStore();
  const { strict } = await makeTwins(first, 2);
  await first.close();
  rawly(first.file, (database) => database.prepare('DELETE FROM conversations WHERE id = ?').run(strict));
  const store = await freshStore({ file: first.file });
  expect((await store.check(undefined, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  const { findings } = await store.check(strict, { repair: true });
  expect(findings).toContainEqual(
    expect.objectContaining({ message: 'its row has no copy of its settings', repaired: true }),
  );
  expect((await store.check(strict)).findings).toEqual([]);
  expect(await (await store.read(strict))?.kept?.()).toMatchObject([{ fields: { maxIterations: 5 } }]);
});

test('P4: a row that is restored by the marks of a killed process opens beside the row of its span', async () => {
  const first = await freshStore();
  const { strict, lax } = await makeTwins(first, 2);
  const journal = await first.open(strict, { owner: 'killed' });
  const beside = ['-ends', '-kept'].map((end) => [first.file + end, readFileSync(first.file + end)] as const);
  await journal.close();
  await first.close();
  rawly(first.file, (database) => database.prepare('DELETE FROM conversations WHERE id = ?').run(strict));
  // A killed process leaves these files beside the database.
  for (const [name, bytes] of beside) writeFileSync(name, bytes);
  const store = await freshStore({ file: first.file });
  expect(await see(store, lax)).toMatchObject({ lost: [], findings: [] });
  expect(await see(store, strict)).toMatchObject({
    lost: [],
    words: ['strict', 'strict'],
    fields: { maxIterations: 5 },
  });
  await (await store.open(strict, { owner: 'next' })).close();
});
