import { Author } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

/** Makes a closed database with one conversation of some messages. */
async function made(messages: number): Promise<{ readonly file: string; readonly author: Author }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at}`);
  await store.close();
  return { file: store.file, author };
}

test('P4: a repair records the loss of two neighbouring commits, and both are known from then on', async () => {
  const { file, author } = await made(6);
  rawly(file, (raw) => raw.exec('UPDATE commits SET crc = crc + 1 WHERE position & 4294967295 IN (3, 4)'));
  const store = await freshStore({ file });
  const lost = (await store.check(author.id)).findings;
  expect(lost).toMatchObject([3, 4].map(() => ({ part: 'log', severity: 'lost' })));
  const known = [3, 4].map((seq) => ({
    part: 'log',
    severity: 'known',
    message: expect.stringMatching(new RegExp(`^commit ${seq} cannot be read`)) as string,
  }));
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject(known);
  expect((await store.check(author.id)).findings).toMatchObject(known);
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject(known);
});
