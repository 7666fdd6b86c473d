import { foldJournal } from '@conv/core';
import type { Journal, JournalReader } from '@conv/core/store';
import { expect, vi } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { commitIds } from '@conv/testing-harness';
import { freshStore } from './fresh-folder.ts';

/** Opens a conversation as soon as its owner counts as gone. */
export function takenOver(store: SqliteStore, id: string, owner: string): Promise<Journal> {
  return vi.waitFor(() => store.open(id, { owner }), { timeout: 100_000, interval: 20 });
}

/** Returns the numbers of the commits that a reader names as lost. */
export function lostOf(reader: JournalReader): readonly number[] {
  return reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step));
}

/** Reads with a read-only store and with a writing store, and compares their results. Resolves with the common result. */
export async function openedBoth(
  file: string,
  id: string,
): Promise<{ readonly ids: readonly string[]; readonly lost: readonly number[]; readonly policy: unknown }> {
  const reading = await freshStore({ file, readOnly: true });
  const reader = (await reading.read(id)) as JournalReader;
  const seen = { ids: await commitIds(reader), lost: lostOf(reader) };
  await reading.close();
  const store = await freshStore({ file });
  const again = (await store.read(id)) as JournalReader;
  const { fields } = await foldJournal(again);
  const found = { ids: await commitIds(again), lost: lostOf(again) };
  expect(found).toEqual(seen);
  await store.close();
  return { ...found, policy: fields.confirmationPolicy['kind'] };
}
