// The few functions of Node that the cases of the conformance suite use, for pages. They say less about a difference.
import { isSameJson, systemPlatform } from '@conv/core/platform';

/** A failed assertion. */
export class AssertionError extends Error {
  constructor({ message }: { readonly message: string }) {
    super(message);
    this.name = 'AssertionError';
  }
}

function check(holds: boolean, message: string | undefined, found: unknown, expected?: unknown): void {
  if (holds) return;
  throw new AssertionError({
    message: `${message ?? 'assertion'}: expected ${inspect(expected)}, found ${inspect(found)}`,
  });
}

async function rejection(
  promise: Promise<unknown> | (() => Promise<unknown>),
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await (typeof promise === 'function' ? promise() : promise);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** The assertions that the cases use. */
export const assert = {
  AssertionError,
  ok: (value: unknown, message?: string) => check(Boolean(value), message, value, true),
  equal: (found: unknown, expected: unknown, message?: string) =>
    check(Object.is(found, expected), message, found, expected),
  deepEqual: (found: unknown, expected: unknown, message?: string) =>
    check(isSameJson(found, expected), message, found, expected),
  match: (text: string, pattern: RegExp, message?: string) => check(pattern.test(text), message, text, String(pattern)),
  fail: (message: string) => check(false, message, 'this'),
  throws: (work: () => unknown) => {
    try {
      work();
    } catch {
      return;
    }
    check(false, 'throws', 'no error');
  },
  rejects: async (promise: Promise<unknown>) => check((await rejection(promise)) !== undefined, 'rejects', 'no error'),
  doesNotReject: async (promise: Promise<unknown>) =>
    check((await rejection(promise)) === undefined, 'does not reject', 'an error'),
};

/** Returns a value as text. */
export function inspect(value: unknown): string {
  return value instanceof Error ? String(value.stack) : (JSON.stringify(value) ?? String(value));
}

/** Returns a new id. */
export function randomUUID(): string {
  return crypto.randomUUID();
}

/** Pages cannot list listeners; the cases about them are left out. */
export function getEventListeners(): never {
  throw new Error('pages cannot list listeners');
}

/** Pages have no descriptors. */
export function readdirSync(): readonly string[] {
  return [];
}

/** Pages do not tell of their timers. */
export function getActiveResourcesInfo(): readonly string[] {
  return [];
}

/** Resolves after other work of the page had its turn. */
export const setImmediate: () => Promise<void> = systemPlatform.nextTurn;
