import assert from 'node:assert/strict';

/** Milliseconds that a case waits for what must come, unless its context says otherwise. */
export const DEFAULT_TIMEOUT = 4_000;

/** `promise`, or a failure that names `what` when it takes longer than `waitTimeout` milliseconds. */
export async function within<T>(waitTimeout: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: `waited ${waitTimeout} ms for ${what}` })),
      waitTimeout,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
