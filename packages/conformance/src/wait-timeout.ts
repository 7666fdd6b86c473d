import assert from 'node:assert/strict';

import { timers, type Platform } from '@conv/core/platform';

/** Milliseconds that a case waits for what must come, unless its context says otherwise. */
export const DEFAULT_TIMEOUT = 4_000;

/** `promise`, or a failure that names `what` when it takes longer than `waitTimeout` milliseconds. */
export async function within<T>(
  platform: Platform,
  waitTimeout: number,
  what: string,
  promise: Promise<T>,
): Promise<T> {
  if (await timers.settlesWithin(platform, waitTimeout, promise)) return promise;
  throw new assert.AssertionError({ message: `waited ${waitTimeout} ms for ${what}` });
}
