import { afterEach, expect, test, vi } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const HOUR = 3_600_000;

afterEach(() => vi.useRealTimers());

test.each([HOUR, -HOUR])(
  'P2: a clock that jumps by %i ms fences the owner before off, and nothing is lost',
  async (jump) => {
    const directory = await freshFolder();
    const first = new FsStore({ directory });
    const author = new Author();
    const journal = await first.open(author.id, { owner: 'before the jump' });
    await author.begin(journal);
    await author.say(journal, 'before');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jump });

    const second = new FsStore({ directory });
    const next = await second.open(author.id, { create: 'never', owner: 'after the jump' });
    await author.say(next, 'after');
    const kept = author.acknowledged.map(({ id }) => id);
    await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
    expect(journal.lost.aborted).toBe(true);
    expect(await commitIds(next)).toEqual(kept);
    await Promise.all([first.close(), second.close()]);
  },
);
