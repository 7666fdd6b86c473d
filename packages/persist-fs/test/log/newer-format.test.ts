import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { toConversationKey } from '@conv/core/store';
import { expect, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const MAGIC = Buffer.of(0xff, 0x63, 0x76, 0x00);

/** Gives every frame of a log the format that a newer version would write, or takes it back. */
function setFormat(file: string, format: number): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    bytes[at + 39] = format;
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 40)), at + 40);
  }
  writeFileSync(file, bytes);
}

test('P4 P13: a log of a newer format rejects UNSUPPORTED, names both formats, and is left as it is', async () => {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  await author.say(journal, 'from the future');
  await store.close();
  const folder = join(directory, toConversationKey(author.id), '.conv');
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.wal')) ?? '');
  setFormat(file, 2);
  const found = readFileSync(file);

  const other = new FsStore({ directory });
  const message = /format 2 of a newer version, this one knows 1/;
  for (const attempt of [() => other.open(author.id, { owner: 'older' }), () => other.read(author.id)]) {
    const error: unknown = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringMatching(message) as string });
  }
  expect(readFileSync(file)).toEqual(found);
  await other.close();

  setFormat(file, 1);
  const again = new FsStore({ directory });
  const reopened = await again.open(author.id, { owner: 'newer' });
  expect(await commitIds(reopened)).toEqual(author.acknowledged.map(({ id }) => id));
  await again.close();
});
