import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreError, toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author, commitIds, message } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/**
 * A process that is stopped after the flush of a commit, and continues after another process took over. `inNextEpoch`: the commit is the
 * first of an epoch that the process began itself, because the disk was full.
 */
async function stopped({ inNextEpoch = false } = {}) {
  const directory = await freshFolder();
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let armed = false;
  let isFull = false;
  /** The disk takes half of one write, and then no more bytes. */
  let writesLeft = 1;
  const fillUp: Disk['write'] = (file, bytes, position) =>
    writesLeft-- > 0 ? nodeDisk.write(file, bytes.subarray(0, bytes.length / 2), position) : 0;
  const pause = async (): Promise<void> => {
    armed = false;
    arrived.resolve();
    await gate.promise;
  };
  const disk: Disk = {
    ...nodeDisk,
    write: (file, bytes, position) => (isFull ? fillUp(file, bytes, position) : nodeDisk.write(file, bytes, position)),
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
  if (inNextEpoch) {
    const fields = author.fields;
    isFull = true;
    const refused = { id: randomUUID(), events: [message('too long', fields.leafEventId)] };
    const refusal: unknown = await journal.append(refused, fields).catch((error: unknown) => error);
    if (!isStoreError(refusal, 'FULL')) throw new Error('expected the full disk to refuse the commit');
    isFull = false;
  }
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

test('P1: an append to a conversation that was deleted meanwhile rejects FENCED', async () => {
  const { author, next, late, go } = await stopped();
  await next.delete(author.id);
  go();
  await expect(late).rejects.toMatchObject({ code: 'FENCED' });
  expect(await next.read(author.id)).toBeUndefined();
});

test.each([
  ['in the first epoch of its owner', false],
  ['in a later epoch of its owner', true],
])('P1: an append %s rejects OUTCOME_UNKNOWN while no successor has decided', async (_, inNextEpoch) => {
  const { directory, author, journal, late, go } = await stopped({ inNextEpoch });
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
