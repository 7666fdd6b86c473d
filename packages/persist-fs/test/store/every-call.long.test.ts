import { getActiveResourcesInfo } from 'node:process';
import { isStoreError, type Journal } from '@conv/core/store';
import { FaultyDisk, SimulatedDisk } from '@conv/testing-disk';
import { stepsInCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { FsStore, type Disk } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';

const ROOT = '/made/here/store';

/** Plays the life of a store. Collects the errors that its calls reject with, and continues. */
async function life(disk: Disk, author: Author, fork: string): Promise<readonly unknown[]> {
  const store = new FsStore({ directory: ROOT, disk });
  const errors: unknown[] = [];
  const attempt = async <Value>(action: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await action();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  const journal = await attempt(() => store.open(author.id, { owner: 'ours' }));
  if (journal) await write(journal, author, attempt);
  await attempt(() => store.mirrorComplete(author.id));
  const reader = await attempt(() => store.read(author.id));
  if (reader) {
    await attempt(() => commitIds(reader));
    await attempt(() => reader.locate(author.acknowledged.at(-1)?.events[0]?.id ?? ''));
    if (reader.end.seq > 0) await attempt(() => firstSeen(reader));
    await attempt(() => reader.close());
  }
  await attempt(() => store.list());
  await attempt(() => store.fork(author.id, fork, { patch: {} }));
  const from = author.acknowledged.flatMap(({ events }) => events)[0]?.id;
  if (from !== undefined) await attempt(() => store.fork(author.id, new Author().id, { from, patch: {} }));
  if (journal) await attempt(() => journal.close());
  await attempt(async () => (await store.open(author.id, { owner: 'again', create: 'never' })).close());
  await attempt(() => store.delete(fork));
  await attempt(() => store.close());
  return errors;
}

async function write(
  journal: Journal,
  author: Author,
  attempt: (action: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  // The first commit says whose log it is, so nothing else is written before it is stored.
  for (let tried = 0; tried < 2 && journal.end.seq === 0; tried++) await attempt(() => author.begin(journal));
  await attempt(() => author.say(journal, 'hello'));
  await attempt(() => author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } }));
  await attempt(() => author.say(journal, 'again'));
  await attempt(() => journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} }));
}

/** Watches until the first commit comes. */
async function firstSeen(reader: { watch: Journal['watch']; end: Journal['end'] }): Promise<void> {
  const controller = new AbortController();
  for await (const _ of reader.watch((reader.end.seq - 1) as Journal['end']['seq'], controller.signal))
    controller.abort();
}

function timers(): number {
  return getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

/** Resolves with the number of calls in a life that nothing disturbs. */
async function undisturbed(): Promise<number> {
  const faulty = new FaultyDisk(new SimulatedDisk());
  expect(await life(faulty.disk, new Author(), new Author().id)).toEqual([]);
  return faulty.calls;
}

// Every call meets an error in a whole run of the suite; the errors take turns. CONV_EVERY_FAULT=1 tries each error at each call.
const codes = ['EMFILE', 'ENOSPC', 'EIO', 'EROFS'] as const;
const everyFault = process.env['CONV_EVERY_FAULT'] === '1';

/** CI tries every fifth call. All errors still take turns, because their number has no factor five. */
const { first, step } = stepsInCi(5);

describe('an error of any call of the disk', () => {
  test.each(everyFault ? codes.map((_, turn) => turn) : [0])(
    'P1 P13: an error of any disk call is typed, leaves nothing held, and the next attempt works, turn %i',
    async (turn) => {
      const calls = await undisturbed();
      expect(calls).toBeGreaterThan(200);
      const before = timers();
      const wrong: string[] = [];
      for (let number = first; number < calls; number += step) {
        const code = codes[(number + turn) % codes.length] ?? 'EIO';
        const simulated = new SimulatedDisk();
        let met = '';
        const faulty = new FaultyDisk(simulated, (call) => {
          if (call.number !== number) return undefined;
          met = `${code} at call ${number}, ${call.name} ${call.subject}`;
          return code;
        });
        const [author, fork] = [new Author(), new Author().id];
        const errors = await life(faulty.disk, author, fork);
        for (const error of errors) if (!isStoreError(error)) wrong.push(`${met}: ${String(error)}`);
        const { files, watches } = faulty.held;
        if (files.length + watches > 0) wrong.push(`${met}: holds ${files.join(', ')} and ${watches} watches`);
        const again = new FaultyDisk(simulated);
        const kept = author.acknowledged.map(({ id }) => id);
        const later = await life(again.disk, author, new Author().id);
        for (const error of later) wrong.push(`${met}: later ${String(error)}`);
        const store = new FsStore({ directory: ROOT, disk: simulated });
        const reader = await store.read(author.id);
        const found = reader ? await commitIds(reader) : [];
        if (kept.some((id) => !found.includes(id))) wrong.push(`${met}: an acknowledged commit is gone`);
        await store.close();
      }
      expect(wrong).toEqual([]);
      expect(timers()).toBeLessThanOrEqual(before);
    },
    300_000,
  );
});
