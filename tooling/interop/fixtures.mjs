import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Conversations that the reference wrote, and its readings of them. */
export const FIXTURES = fileURLToPath(new URL('../../testing/fixtures', import.meta.url));

/** The `OH_SECRET_KEY` of the server that wrote the fixtures. Public on purpose: it protects test values. */
export const SECRET_KEY = 'test-secret-key';

/**
 * The conversation folders directly below a folder, by id. Rejects when there is none, so that a check over them cannot
 * pass by having seen nothing.
 */
export async function conversationsBelow(parent) {
  const names = (await readdir(parent)).filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
  if (names.length === 0) throw new Error(`No conversation folder in ${parent}`);
  return names.map((id) => ({ id, folder: join(parent, id) }));
}

/** The description committed for a fixture. */
export async function readGolden(id) {
  return JSON.parse(await readFile(join(FIXTURES, 'golden', `${id}.json`), 'utf8'));
}
