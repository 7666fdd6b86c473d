import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** A process that is stopped behind the flush of a commit, and goes on after another process took over. */
async function stopped() {
  const directory = await freshFolder();
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let armed = false;
  const pause = async (): Promise<void> => {
    armed = false;
    arrived.resolve();
    await gate.promise;
  };
  const disk: Disk = {
    ...nodeDisk,
    sync: async (file, site) => {
      await nodeDisk.sync(file, site);
      if (armed && site === 'group') await pause();
    },
  };
  const [zombie, next] = [new FsStore({ directory, disk }), new FsStore({ directory })];
  onTestFinished(async () => {
    await Promise.all([zombie.close(), next.close()]);
  });
  const author = new Author();
  const journal = await zombie.open(author.id, { owner: 'zombie' });
  await author.begin(journal);
  await author.say(journal, 'before');
  armed = true;
  const late = author.say(journal, 'late');
  late.catch(() => {});
  await arrived.promise;
  const folder = join(directory, toConversationKey(author.id));
  rmSync(join(folder, '.conv', 'owner.json'));
  rmSync(join(folder, 'owner_lease.json'), { force: true });
  return { directory, author, journal, next, late, go: () => gate.resolve() };
}

test('P1: an append whose commit the successor took over resolves, once, and nothing more is taken', async () => {
  const { author, journal, next, late, go } = await stopped();
  const successor = await next.open(author.id, { owner: 'successor' });
  await new Author(author.id).say(successor, 'of the successor');
  go();
  await late;
  expect(journal.lost.aborted).toBe(true);
  await expect(author.say(journal, 'more')).rejects.toMatchObject({ code: 'FENCED' });
  const ids = await commitIds(successor);
  expect(ids.slice(0, 3)).toEqual(author.acknowledged.map(({ id }) => id));
  expect(ids).toHaveLength(4);
});

test('P1: an append to what was deleted meanwhile rejects FENCED', async () => {
  const { author, next, late, go } = await stopped();
  await next.delete(author.id);
  go();
  await expect(late).rejects.toMatchObject({ code: 'FENCED' });
  expect(await next.read(author.id)).toBeUndefined();
});

test('P1: an append whose outcome cannot be found out rejects OUTCOME_UNKNOWN', async () => {
  const { directory, author, journal, late, go } = await stopped();
  const claimed = { ...nodeDisk, sync: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) };
  const dying = new FsStore({ directory, disk: claimed });
  await expect(dying.open(author.id, { owner: 'dies behind its claim' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await dying.close();
  go();
  await expect(late).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'FENCED' } });
  expect(journal.lost.aborted).toBe(true);
});
