import { existsSync, readFileSync } from 'node:fs';

import { until } from './process-life.ts';

/** Milliseconds for a model to get to the third command. */
const TIMEOUT = 300_000;

/**
 * Waits until the slow command reports that it runs. Resolves with the pid of its shell, or with `undefined` if the run ends first.
 * Rejects if the run fails by itself, before it is cut off.
 */
export async function untilMarked(running: Promise<unknown>, marker: string): Promise<number | undefined> {
  let ended = false;
  const failed = running
    .finally(() => (ended = true))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  await until(() => ended || (existsSync(marker) && readFileSync(marker, 'utf8').trim() !== ''), TIMEOUT);
  if (!ended) return Number(readFileSync(marker, 'utf8'));
  const error = await failed;
  if (error !== undefined) throw error;
  return undefined;
}
