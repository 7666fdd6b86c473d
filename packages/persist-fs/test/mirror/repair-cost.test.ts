import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author, message } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Counts the bytes that are read from logs, and the event files that are begun. */
function countingDisk(): { readonly disk: Disk; readonly counts: { logBytes: number; eventFiles: number } } {
  const logs = new Set<number>();
  const counts = { logBytes: 0, eventFiles: 0 };
  const disk: Disk = {
    ...nodeDisk,
    open: (path, mode) => {
      if (mode === 'create' && path.includes('/events/')) counts.eventFiles++;
      const file = nodeDisk.open(path, mode);
      if (path.endsWith('.wal')) logs.add(file);
      return file;
    },
    close: (file) => {
      logs.delete(file);
      nodeDisk.close(file);
    },
    read: (file, target, position) => {
      const count = nodeDisk.read(file, target, position);
      if (logs.has(file)) counts.logBytes += count;
      return count;
    },
  };
  return { disk, counts };
}

test('a close that waits for a look at all event files reads the log little and rewrites no whole file', async () => {
  const directory = await freshFolder();
  const { disk, counts } = countingDisk();
  const store = new FsStore({ directory, disk });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  for (let commit = 0; commit < 4; commit++) {
    const events = Array.from({ length: 256 }, () => message('a message of some length', null));
    await journal.append({ id: randomUUID(), events }, author.fields);
  }
  await journal.close();
  const folder = join(directory, toConversationKey(author.id));
  const names = readdirSync(join(folder, 'events')).sort();
  rmSync(join(folder, 'events', names[700] as string));
  Object.assign(counts, { logBytes: 0, eventFiles: 0 });
  await (await store.open(author.id, { owner: 'ours again' })).close();
  expect(readdirSync(join(folder, 'events')).sort()).toEqual(names);

  expect(counts.eventFiles).toBe(1);
  expect(counts.logBytes).toBeLessThan(8 * statSync(join(folder, '.conv', 'epoch-00000001.wal')).size);
});
