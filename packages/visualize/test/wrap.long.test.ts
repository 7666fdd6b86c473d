import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { expect, test } from 'vitest';

test.each([
  ['words', 'some words '],
  ['a single word', 'x'],
  ['wide characters', '日本語'],
])('a line of 5 MB of %s is broken within 128 MB of memory', async (_, text) => {
  const worker = new Worker(new URL('wrap-worker.ts', import.meta.url), {
    workerData: { text, bytes: 5_000_000, columns: 76 },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  const [rows] = (await once(worker, 'message')) as [number];
  expect(rows).toBeGreaterThan(40_000);
  await worker.terminate();
});
