import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { isRegistryError, type RegistryErrorCode } from '@conv/store-kit/registry';

/** Passes when `promise` rejects with a registry error of this code. */
export async function rejects(code: RegistryErrorCode, what: string, promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => new Error('nothing: it resolved'),
    (error: unknown) => error,
  );
  assert.ok(isRegistryError(outcome, code), `${what} rejects with ${code}, but did with ${inspect(outcome)}`);
}
