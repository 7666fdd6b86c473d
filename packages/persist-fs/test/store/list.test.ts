import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationSummary } from '@conv/core/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const FOLDERS = 2000;

/** A folder with many conversations of OpenHands: each no more than its `meta.json`. */
async function manyConversations(): Promise<string> {
  const directory = await freshFolder();
  for (let number = 0; number < FOLDERS; number++) {
    const folder = join(directory, number.toString(16).padStart(32, '0'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'meta.json'), JSON.stringify({ title: `number ${number}`, updated_at: '2026-01-01' }));
  }
  return directory;
}

test('P7: a list of thousands never blocks the process, reads a few folders at a time, and names each once', async () => {
  const directory = await manyConversations();
  let [reading, most] = [0, 0];
  const disk: Disk = {
    ...nodeDisk,
    readFile: async (path) => {
      most = Math.max(most, ++reading);
      return nodeDisk.readFile(path).finally(() => reading--);
    },
  };
  const store = new FsStore({ directory, disk });
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const found: ConversationSummary[] = [];
  const first = await store.list({ limit: 100 });
  counting = false;
  for (let page = first; ; page = await store.list({ limit: 100, page: page.next })) {
    found.push(...page.items);
    if (page.next === undefined || found.length >= 300) break;
  }
  expect(turns).toBeGreaterThan(FOLDERS / 16);
  expect(most).toBeLessThanOrEqual(16);
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  expect(found[0]?.title).toMatch(/^number \d+$/);
  rmSync(directory, { recursive: true });
  expect(await store.list()).toEqual({ items: [] });
  await store.close();
});

test.each(['always', 'deferred'] as const)(
  'a run is listed when it begins, with a mirror that is written %s',
  async (mirror) => {
    const directory = await freshFolder();
    const store = new FsStore({ directory, mirror });
    // nothing that waits for its time is written
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(async () => {
      vi.useRealTimers();
      await store.close();
    });
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'writer' });
    await author.begin(journal);
    await author.change(journal, { set: { executionStatus: 'running' } });
    const others = new FsStore({ directory });
    const status = async (): Promise<string | undefined> => (await others.list()).items[0]?.status;
    while ((await status()) !== 'running') await new Promise(setImmediate);
    await others.close();
  },
);
