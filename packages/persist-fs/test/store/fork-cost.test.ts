import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationKey } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const MIB = 1024 * 1024;

/** A disk that counts the bytes that were read through it. */
class CountingDisk {
  bytes = 0;
  readonly disk: Disk = {
    ...nodeDisk,
    read: (file, target, position) => {
      const read = nodeDisk.read(file, target, position);
      this.bytes += read;
      return read;
    },
  };
}

/** A closed conversation whose last commit has a message of a mebibyte, in a store of its own. */
async function longCommit(): Promise<{ directory: string; id: string; store: FsStore; counted: CountingDisk }> {
  const [directory, counted, author] = [await freshFolder(), new CountingDisk(), new Author()];
  const store = new FsStore({ directory, disk: counted.disk });
  onTestFinished(() => store.close());
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  await author.say(journal, 'x'.repeat(MIB));
  await journal.close();
  return { directory, id: author.id, store, counted };
}

describe('the cost of a fork', () => {
  test('P12: a fork reads the last commit of its source twice: to believe its file, and to find HEAD', async () => {
    const { id, store, counted } = await longCommit();
    counted.bytes = 0;
    await store.fork(id, randomUUID(), { patch: {} });
    expect(counted.bytes).toBeGreaterThan(MIB);
    expect(counted.bytes).toBeLessThan(3 * MIB);
  });

  test('P12: a fork can be used before the first file of its events is written', async () => {
    const { directory, id, store } = await longCommit();
    const fork = randomUUID();
    await store.fork(id, fork, { patch: {} });
    const events = (): readonly string[] => readdirSync(join(directory, toConversationKey(fork), 'events'));
    expect(events()).toEqual([]);
    await store.mirrorComplete(fork);
    expect(events().length).toBeGreaterThan(0);
  });

  test('P4: a check of a fork waits for the files of its events, and finds none of them stale', async () => {
    const { id, store } = await longCommit();
    const fork = randomUUID();
    await store.fork(id, fork, { patch: {} });
    expect((await store.check(fork)).findings).toEqual([]);
  });

  test('P4: a check of a fork whose files are being written ends with the reason of its signal', async () => {
    const { id, store } = await longCommit();
    const [fork, stop] = [randomUUID(), new AbortController()];
    await store.fork(id, fork, { patch: {} });
    const checking = store.check(fork, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(checking).rejects.toThrow('enough');
  });
});
