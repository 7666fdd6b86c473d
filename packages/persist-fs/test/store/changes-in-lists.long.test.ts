import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationId, toConversationKey } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { all, foreign, keyOf, MANY, title } from '../support/foreign-folders.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

async function titleIn(store: FsStore, number: number): Promise<string | null | undefined> {
  return (await all(store)).find(({ id }) => id === toConversationId(keyOf(number)))?.title;
}

describe('what changes', () => {
  test('P7: a change inside a folder by OpenHands shows within 5 seconds, even when the size is the same', async () => {
    const { platform, pass } = stoppedClock();
    const directory = await foreign(MANY);
    const store = new FsStore({ directory, platform });
    expect(await titleIn(store, 7)).toBe('number 7');
    title(directory, 7, 'Number 7');
    pass(5000);
    expect(await titleIn(store, 7)).toBe('Number 7');
    title(directory, 7, 'NUMBER 7');
    pass(2500);
    await store.list();
    pass(2500);
    expect(await titleIn(store, 7)).toBe('NUMBER 7');
    await store.close();
  });

  test('P1: a change here, or by coming and going, shows at once, also among many', async () => {
    const { platform } = stoppedClock();
    const directory = await foreign(MANY);
    const [store, other] = [new FsStore({ directory, platform }), new FsStore({ directory, platform })];
    await Promise.all([all(store), all(other)]);
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await store.mirrorComplete(author.id);
    expect((await other.list({ limit: 1 })).items.map(({ id }) => id)).toEqual([author.id]);
    await author.change(journal, { set: { title: 'changed here' } });
    await store.mirrorComplete(author.id);
    expect((await store.list({ limit: 1 })).items[0]?.title).toBe('changed here');
    await author.change(journal, { set: { title: 'and closed' } });
    await journal.close();
    expect((await store.list({ limit: 1 })).items[0]?.title).toBe('and closed');
    await other.delete(author.id);
    expect(await all(store)).toHaveLength(MANY);
    await Promise.all([store.close(), other.close()]);
  });
});

test('P2: a folder that another program renamed is listed under its new name alone', async () => {
  const directory = await foreign(3);
  const store = new FsStore({ directory });
  await store.list();
  renameSync(join(directory, keyOf(1)), join(directory, keyOf(9)));
  const keys = (await store.list()).items.map(({ id }) => toConversationKey(id));
  expect(keys.sort()).toEqual([0, 2, 9].map(keyOf));
  await store.close();
});
