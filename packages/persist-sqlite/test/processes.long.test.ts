import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { toCommitSeq, type JournalReader } from '@conv/core/store';
import { ownIdentity, type ProcessIdentity } from '@conv/store-kit/system';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodeSqlite } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { expireOwners } from './expire-owners.ts';
import { freshFile, freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';
import { Writer } from './writer.ts';

async function numbered(reader: JournalReader | undefined): Promise<string[]> {
  const lines: string[] = [];
  for await (const { seq, id } of reader?.commits() ?? []) lines.push(`${seq} ${id}`);
  return lines;
}

describe('a killed owner', () => {
  test.each([1, 16])(
    'P1 P4: the acknowledged commits of a killed owner are there at once for the next, %i in flight',
    async (width) => {
      const [file, id] = [await freshFile(), randomUUID()];
      const acknowledged: string[] = [];
      for (let round = 1; round <= 4; round++) {
        const writer = new Writer(file, id, Infinity, width);
        await writer.until(({ length }) => length > 25 * round);
        await writer.kill();
        acknowledged.push(...writer.acknowledged);
      }
      const store = await freshStore({ file });
      const read = await numbered(await store.read(id));
      const journal = await store.open(id, { owner: 'last' });
      const found = await numbered(journal);
      expect(read).toEqual(found);
      expect(found.map((line) => Number(line.split(' ')[0]))).toEqual(found.map((_, at) => at));
      expect(acknowledged.filter((line) => !found.includes(line))).toEqual([]);
      expect(await store.integrityCheck()).toEqual([]);
    },
  );

  test.runIf(process.platform === 'linux')(
    'P2: a killed owner that its parent has not reaped counts as dead',
    async () => {
      const [file, id] = [await freshFile(), randomUUID()];
      const program = join(import.meta.dirname, 'writer-process.ts');
      // the shell becomes a program that never reaps the process that the shell had started
      const script = '"$@" & echo "pid $!"; exec sleep 1000';
      const parent = spawn('sh', ['-c', script, 'sh', process.execPath, program, file, id, 'Infinity'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void parent.kill('SIGKILL'));
      const lines: string[] = [];
      for await (const line of createInterface({ input: parent.stdout })) if (lines.push(line) > 5) break;
      const pid = Number(lines.find((line) => line.startsWith('pid '))?.slice(4));
      process.kill(pid, 'SIGKILL');
      await vi.waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), { timeout: 100_000 });
      const store = await freshStore({ file });
      await store.open(id, { owner: 'successor' });
    },
  );

  test('P2: an owner that was stopped and taken over from is fenced when it continues, and adds nothing', async () => {
    const [file, id] = [await freshFile(), randomUUID()];
    const writer = new Writer(file, id, Infinity);
    await writer.until(({ length }) => length > 10);
    await stopOutsideTransaction(writer, file);
    await expireOwners(file, nodeSqlite);
    const store = await freshStore({ file });
    const journal = await store.open(id, { owner: 'successor' });
    const author = new Author();
    await author.say(journal, 'after the takeover');
    writer.process.kill('SIGCONT');
    await writer.ended();
    expect(writer.lines.at(-1)).toBe('FENCED');
    await author.say(journal, 'still ours');
    const found = await numbered(journal);
    expect(writer.acknowledged.filter((line) => !found.includes(line))).toEqual([]);
    expect((await commitIds(journal)).slice(-2)).toEqual(author.ids);
  });

  /** Waits until all threads have seen the signal, because until then a thread may still begin a transaction. */
  async function stopped(pid: number | undefined): Promise<void> {
    if (process.platform !== 'linux') return;
    const threads = `/proc/${pid}/task`;
    await vi.waitUntil(
      () => readdirSync(threads).every((thread) => readFileSync(`${threads}/${thread}/stat`, 'utf8').includes(') T ')),
      { timeout: 100_000 },
    );
  }

  /** Stops a process outside a transaction, because a stopped process with the lock of the database stops every writer. */
  async function stopOutsideTransaction(writer: Writer, file: string): Promise<void> {
    for (;;) {
      writer.process.kill('SIGSTOP');
      await stopped(writer.process.pid);
      const free = rawly(file, (database) => {
        database.exec('PRAGMA busy_timeout = 200');
        try {
          database.exec('BEGIN IMMEDIATE; ROLLBACK');
          return true;
        } catch {
          return false;
        }
      });
      if (free) return;
      const seen = writer.lines.length;
      writer.process.kill('SIGCONT');
      await writer.until(({ length }) => length > seen);
    }
  }
});

describe('several processes', () => {
  test('P2: one of several processes that make a conversation at once gets it, and the others reject OWNED', async () => {
    const [file, id] = [await freshFile(), randomUUID()];
    const writers = Array.from({ length: 4 }, () => new Writer(file, id, Infinity));
    await Promise.all(writers.map((writer) => writer.until((lines) => lines.length > 5 || lines.at(-1) === 'OWNED')));
    expect(writers.filter(({ lines }) => lines.length > 5)).toHaveLength(1);
    expect(writers.filter(({ lines }) => lines.length <= 5).map(({ lines }) => lines)).toEqual(
      Array(3).fill(['OWNED']),
    );
  });

  test('P1: several processes that write conversations of one file at once lose and mix no commits', async () => {
    const file = await freshFile();
    const writers = [randomUUID(), randomUUID(), randomUUID()].map((id) => ({
      id,
      writer: new Writer(file, id, 120, 4),
    }));
    await Promise.all(writers.map(({ writer }) => writer.ended()));
    const store = await freshStore({ file });
    for (const { id, writer } of writers) {
      expect(writer.lines.at(-1)).toBe('closed');
      expect(await numbered(await store.read(id))).toEqual(writer.acknowledged);
    }
  });

  test('P7: a watcher of another process gets every commit once and in order, over owners that come and go', async () => {
    const [file, id] = [await freshFile(), randomUUID()];
    const first = new Writer(file, id, 30);
    await first.until(({ length }) => length > 3);
    const store = await freshStore({ file, pollInterval: 10 });
    const reader = await store.read(id);
    const seen: string[] = [];
    const watching = (async () => {
      for await (const commit of reader?.watch(toCommitSeq(0), new AbortController().signal) ?? []) {
        seen.push(`${commit.seq} ${commit.id}`);
        if (seen.length === 61) break;
      }
    })();
    await first.ended();
    const second = new Writer(file, id, 30, 4);
    await second.ended();
    await watching;
    expect(seen).toEqual([...first.acknowledged, ...second.acknowledged]);
  });
});

describe('who counts as living', () => {
  async function owned(change: Partial<ProcessIdentity>, age = 0): Promise<() => Promise<unknown>> {
    const first = await freshStore();
    const author = new Author();
    await author.begin(await first.open(author.id, { owner: 'before' }));
    const identity = { ...ownIdentity(), ...change };
    rawly(first.file, (database) => {
      const sql =
        'UPDATE owners SET process = ?, renewed_at = renewed_at - ?, renewed_since_boot = renewed_since_boot - ?';
      database.prepare(sql).run(JSON.stringify(identity), age, age);
    });
    const second = await freshStore({ file: first.file });
    return () => second.open(author.id, { owner: 'next' });
  }

  const parent = { pid: process.ppid, startedAt: null };

  test('P2: a living process counts as the owner and is named', async () => {
    const open = await owned(parent);
    await expect(open()).rejects.toMatchObject({ code: 'OWNED', owner: { owner: 'before', epoch: 1 } });
  });

  test('P2: a living process whose heartbeat is too old may be taken over from', async () => {
    await (
      await owned(parent, 15_001)
    )();
  });

  test('P2: a process whose pid belongs to another process now does not count as living', async () => {
    await (
      await owned({ pid: process.ppid, startedAt: '1' })
    )();
  });

  test('P2: a missing process does not count as living', async () => {
    await (
      await owned({ pid: 2 ** 22 + 1 })
    )();
  });

  test('P2: a process of an earlier boot does not count as living', async () => {
    await (
      await owned({ boot: 'an earlier boot' })
    )();
  });

  test('P2: a process of another container counts as the owner while its heartbeat is fresh', async () => {
    const elsewhere = { pid: 1, namespace: 'pid:[1]' };
    const error: unknown = await (await owned(elsewhere))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'OWNED', owner: { until: expect.any(Number) as number } });
    await (
      await owned(elsewhere, 15_001)
    )();
  });
});
