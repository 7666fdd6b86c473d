import { randomUUID } from 'node:crypto';
import { getActiveResourcesInfo } from 'node:process';
import { type ConversationStore, isStoreError, MemoryStore } from '@conv/core/store';
import { copyConversation } from '@conv/store-kit';
import { FaultyDisk, SimulatedDisk } from '@conv/testing-disk';
import { stepsInCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { FsStore, type Disk } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';

const ROOT = '/made/here/store';
const codes = ['EMFILE', 'ENOSPC', 'EIO', 'EROFS'] as const;

/** As for the life of a conversation: every call meets an error, and CONV_EVERY_FAULT=1 tries each error at each call. */
const turns = process.env['CONV_EVERY_FAULT'] === '1' ? codes.map((_, turn) => turn) : [0];

/** CI tries every fifth call. */
const { first, step } = stepsInCi(5);

/** The results of the lists, checks, repairs and backups of a store. */
interface Met {
  readonly errors: unknown[];
  readonly findings: unknown[];
  /** The number of conversations in a list; undefined if the list failed. */
  readonly listed: number | undefined;
}

async function upkeep(disk: Disk, id: string): Promise<Met> {
  const store = new FsStore({ directory: ROOT, disk });
  const errors: unknown[] = [];
  const findings: unknown[] = [];
  const attempt = async <Value>(action: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await action();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  const first = await attempt(() => store.list({ limit: 1, total: true }));
  const page = first?.next;
  if (page !== undefined) await attempt(() => store.list({ limit: 1, page }));
  for (const [of, repair] of [
    [undefined, false],
    [id, false],
    [id, true],
  ] as const)
    findings.push(...((await attempt(() => store.check(of, { repair })))?.findings ?? []));
  await attempt(() => backUp(id, store, disk));
  await attempt(() => store.close());
  return { errors, findings, listed: first?.total };
}

/** Copies a conversation out of a store, and into another one on the same disk; there it may be copied again. */
async function backUp(id: string, store: ConversationStore, disk: Disk): Promise<void> {
  const memory = new MemoryStore();
  const files = new FsStore({ directory: `/made/here/backup-${String(backups)}`, disk });
  try {
    await copyConversation(id, store, memory);
    await copyConversation(id, store, files);
  } finally {
    await Promise.all([memory.close(), files.close()]);
  }
}

/** The number of the present backup folder. Each case has its own, so that its copy meets the same calls. */
let backups = 0;

/** A disk with two conversations that were closed in order, and the id of one. */
async function written(): Promise<{ disk: SimulatedDisk; id: string }> {
  const disk = new SimulatedDisk();
  const store = new FsStore({ directory: ROOT, disk });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'writer' });
  await author.begin(journal);
  for (const text of ['hello', 'again']) await author.say(journal, text);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
  await author.say(journal, 'behind');
  await journal.close();
  await store.fork(author.id, randomUUID(), { patch: {} });
  await store.close();
  return { disk, id: author.id };
}

function timers(): number {
  return getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test.each(turns)(
  'P1 P13: a disk error in a list, check, repair or backup is typed, and the next one works, turn %i',
  async (turn) => {
    const { disk, id } = await written();
    const quiet = new FaultyDisk(disk);
    const whole: Met = { errors: [], findings: [], listed: 2 };
    expect(await upkeep(quiet.disk, id)).toEqual(whole);
    expect(quiet.calls).toBeGreaterThan(100);
    const before = timers();
    const wrong: string[] = [];
    for (let number = first; number < quiet.calls; number += step) {
      backups++;
      const code = codes[(number + turn) % codes.length] ?? 'EIO';
      let met = `${code} at call ${number}`;
      const faulty = new FaultyDisk(disk, (call) => {
        if (call.number !== number) return undefined;
        met = `${met}, ${call.name} ${call.subject}`;
        return code;
      });
      const { errors } = await upkeep(faulty.disk, id);
      for (const error of errors) if (!isStoreError(error)) wrong.push(`${met}: ${String(error)}`);
      const { files, watches } = faulty.held;
      if (files.length + watches > 0) wrong.push(`${met}: holds ${files.join(', ')} and ${watches} watches`);
      const later = await upkeep(new FaultyDisk(disk).disk, id);
      if (later.errors.length + later.findings.length > 0 || later.listed !== whole.listed)
        wrong.push(`${met}: later ${JSON.stringify(later)} ${String(later.errors[0])}`);
    }
    expect(wrong).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before);
  },
  300_000,
);
