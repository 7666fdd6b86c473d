import { MemoryStore } from '@conv/core/store';
import { checkStore, copyConversation } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

const TABLES = ['commits', 'event_ids', 'heads', 'inherited', 'snapshots', 'summaries'];

/** Resolves with all rows of conversations, as text. */
async function rowsOf(schema: string): Promise<readonly string[]> {
  const sql = TABLES.map((table) => `SELECT '${table}' || t::text AS row FROM "${schema}".${table} t`).join(
    ' UNION ALL ',
  );
  const rows = await administer<{ row: string }>(`${sql} ORDER BY row`);
  expect(rows.length).toBeGreaterThan(TABLES.length);
  return rows.map(({ row }) => row);
}

test('a repair that finds nothing, and a copy that is refused, leave every row as it is', async () => {
  const source = new MemoryStore();
  const { author, journal } = await Author.open(source);
  await author.say(journal, 'one');
  const { store, schema } = openStore();
  await copyConversation(author.id, source, store);
  const there = await store.open(author.id, { owner: 'author' });
  await new Author(author.id).say(there, 'there');
  await there.close();
  await author.say(journal, 'here');
  const before = await rowsOf(schema);
  const found = (await Array.fromAsync(checkStore(store, { repair: true }))).flatMap(({ findings }) => findings);
  expect(found).toEqual([]);
  await expect(copyConversation(author.id, source, store)).rejects.toMatchObject({ code: 'EXISTS' });
  expect(await rowsOf(schema)).toEqual(before);
});
