import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { BUCKET, testBucket } from './test-bucket.ts';
import { nameOf, storedIds, Writer } from './writer.ts';

const KILLS = 3;

test('P4: all commits that a killed process acknowledged are there for the next, once and in order', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  await writer.journal.close();
  const acknowledged = writer.acknowledged.map(nameOf);
  for (let round = 0; round < KILLS; round++) {
    ahead += 60_000;
    const file = join(import.meta.dirname, 'writer-process.ts');
    const child = spawn(process.execPath, [file, bucket.server.url, BUCKET, writer.id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let count = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (++count === 60 + 45 * round) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  }
  const stored = await storedIds(bucket.store(), writer.id);
  expect(stored.map((name) => Number(name.split(' ')[0]))).toEqual(stored.map((_, at) => at));
  const found = new Set(stored);
  expect(acknowledged.filter((name) => !found.has(name))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(KILLS * 60);
}, 120_000);
