import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { toConversationKey } from '@conv/core/store';
import { commitIds, watchIds, WriterProcess } from '@conv/testing-harness';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FsStore, nodeDisk } from '../../src/index.ts';
import { encodeOwner, readOwner, type OwnerRecord } from '../../src/log/owner-file.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Runs a process that writes a conversation, until the test ends. */
class Writer extends WriterProcess {
  constructor(directory: string, id: string, limit: number, width = 1) {
    super(join(import.meta.dirname, '../support/writer-process.ts'), [directory, id, limit, width]);
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }
}

function paths(directory: string, id: string): { folder: string; owner: string; lease: string } {
  const folder = join(directory, toConversationKey(id));
  return { folder, owner: join(folder, '.conv', 'owner.json'), lease: join(folder, 'owner_lease.json') };
}

describe('a killed owner', () => {
  test.each([1, 16])(
    'P1 P4: the acknowledged commits of a killed owner are there at once for the next, %i in flight',
    async (width) => {
      const [directory, id] = [await freshFolder(), randomUUID()];
      const acknowledged: string[] = [];
      for (let round = 1; round <= 4; round++) {
        const writer = new Writer(directory, id, Infinity, width);
        await writer.until(({ length }) => length > 20 * round);
        writer.process.kill('SIGKILL');
        await writer.ended();
        acknowledged.push(...writer.acknowledged);
      }
      const store = new FsStore({ directory });
      const reader = await store.read(id);
      const read = reader ? await commitIds(reader) : [];
      const journal = await store.open(id, { owner: 'last' });
      const ids = await commitIds(journal);
      expect(read).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
      expect(acknowledged.filter((one) => !ids.includes(one))).toEqual([]);
      await store.mirrorComplete(id);
      const files = readdirSync(join(paths(directory, id).folder, 'events')).filter((name) =>
        name.startsWith('event-'),
      );
      expect(files.length).toBe(journal.end.event);
      await store.close();
    },
  );

  test.runIf(process.platform === 'linux')('P2: a process that its parent has not reaped is dead', async () => {
    const [directory, id] = [await freshFolder(), randomUUID()];
    const program = join(import.meta.dirname, '../support/writer-process.ts');
    // what the shell becomes does not wait for the process that the shell had started
    const parent = spawn(
      'sh',
      ['-c', '"$@" & echo "pid $!"; exec sleep 1000', 'sh', process.execPath, program, directory, id, 'Infinity'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void parent.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: parent.stdout })) if (lines.push(line) > 5) break;
    const pid = Number(lines.find((line) => line.startsWith('pid '))?.slice(4));
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), { timeout: 100_000 });
    const store = new FsStore({ directory });
    await store.open(id, { owner: 'successor' });
    await store.close();
  });

  test('P2: a stopped owner that continues after it was taken over is fenced off and adds nothing', async () => {
    const [directory, id] = [await freshFolder(), randomUUID()];
    const writer = new Writer(directory, id, Infinity);
    await writer.until(({ length }) => length > 10);
    writer.process.kill('SIGSTOP');
    // The successor must find no heartbeat, as if the last one were long ago.
    rmSync(paths(directory, id).owner);
    rmSync(paths(directory, id).lease);
    const store = new FsStore({ directory });
    const journal = await store.open(id, { owner: 'successor' });
    const author = new Author(id);
    await author.say(journal, 'after the takeover');
    expect(await writer.resume()).toBe('FENCED');
    await author.say(journal, 'still ours');
    const ids = await commitIds(journal);
    expect(writer.acknowledged.filter((one) => !ids.includes(one))).toEqual([]);
    expect(ids.slice(-2)).toEqual(author.acknowledged.map((commit) => commit.id));
    await store.close();
  });

  test('P2: one of several processes that open at once after a kill gets the conversation', async () => {
    const [directory, id] = [await freshFolder(), randomUUID()];
    const writers = Array.from({ length: 4 }, () => new Writer(directory, id, Infinity));
    await Promise.all(writers.map((writer) => writer.until(({ length }) => length > 0)));
    await Promise.all(
      writers.map((writer) =>
        writer.until((lines) => lines.length > 5 || ['OWNED', 'FENCED'].includes(lines.at(-1) ?? '')),
      ),
    );
    const alive = writers.filter(({ lines }) => lines.length > 5);
    expect(alive).toHaveLength(1);
    for (const writer of writers) writer.process.kill('SIGKILL');
  });
});

describe('a reader in another process', () => {
  test('P7: watch shows every commit once and in order, over owners that come and go', async () => {
    const [directory, id] = [await freshFolder(), randomUUID()];
    const first = new Writer(directory, id, 30);
    await first.until(({ length }) => length > 0);
    const store = new FsStore({ directory });
    await first.until(({ length }) => length > 3);
    const reader = await store.read(id);
    const watching = watchIds(reader, 61);
    await first.ended();
    const second = new Writer(directory, id, 30, 4);
    await second.ended();
    const seen = await watching;
    expect(first.lines.at(-1)).toBe('closed');
    const again = await store.read(id);
    expect(seen).toEqual(await commitIds(again));
    await store.close();
  });
});

describe('who counts as living', () => {
  async function withOwner(
    change: (record: OwnerRecord) => Partial<OwnerRecord>,
  ): Promise<{ store: FsStore; id: string }> {
    const directory = await freshFolder();
    const author = new Author();
    const first = new FsStore({ directory });
    await author.begin(await first.open(author.id, { owner: 'before' }));
    await first.close();
    const { owner } = paths(directory, author.id);
    const record = readOwner(nodeDisk, owner) as OwnerRecord;
    writeFileSync(owner, encodeOwner({ ...record, released: false, renewedAt: Date.now(), ...change(record) }));
    const store = new FsStore({ directory });
    onTestFinished(() => store.close());
    return { store, id: author.id };
  }

  const other = (record: OwnerRecord, process: Partial<OwnerRecord['process']>): Partial<OwnerRecord> => ({
    process: { ...record.process, ...process },
  });

  test('P2: a living process counts as living', async () => {
    const { store, id } = await withOwner((record) =>
      other(record, { pid: process.ppid, startTime: startTime(process.ppid) }),
    );
    await expect(store.open(id, { owner: 'next' })).rejects.toMatchObject({
      code: 'OWNED',
      owner: { owner: 'before' },
    });
  });

  test('P2: a process whose pid was given to another one does not count as living', async () => {
    const { store, id } = await withOwner((record) => other(record, { pid: process.ppid, startTime: '1' }));
    await store.open(id, { owner: 'next' });
  });

  test('P2: a process before the last boot does not count as living', async () => {
    const { store, id } = await withOwner((record) => other(record, { bootId: 'an earlier boot' }));
    await store.open(id, { owner: 'next' });
  });

  test('P2: a process in another container counts as living while its heartbeat is fresh', async () => {
    const elsewhere = (record: OwnerRecord): Partial<OwnerRecord> => other(record, { pid: 1, pidNamespace: 'pid:[1]' });
    const fresh = await withOwner(elsewhere);
    const error: unknown = await fresh.store.open(fresh.id, { owner: 'next' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'OWNED', owner: { until: expect.any(Number) as number } });
    const stale = await withOwner((record) => ({ ...elsewhere(record), renewedAt: Date.now() - record.patience - 1 }));
    await stale.store.open(stale.id, { owner: 'next' });
  });

  function startTime(pid: number): string {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  }
});
