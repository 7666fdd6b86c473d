import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Author } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';

/** Copies an open database and the files beside it, as they are when its process is killed. Resolves with the path of the copy. */
export async function leftBy(store: { readonly file: string }): Promise<string> {
  const file = await freshFile();
  for (const end of ['', '-wal', '-ends', '-kept']) copyFileSync(store.file + end, file + end);
  return file;
}

/**
 * Makes the files that a killed process leaves: an owner that acknowledged everything, its write-ahead log and the files beside
 * it.
 */
export async function killed(
  messages: number,
  leaseTimeout = 15_000,
): Promise<{ readonly file: string; readonly author: Author }> {
  const made = await freshStore();
  await (await made.open(randomUUID(), { owner: 'makes the database' })).close();
  await made.close();
  const store = await freshStore({ file: made.file, leaseTimeout });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'NeverConfirm' } } });
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at}`);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  return { file: await leftBy(store), author };
}

/** Flips one bit of a byte of a file. */
export function flip(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
