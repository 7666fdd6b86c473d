import type { Environment } from '@conv/agent';
import type { Cipher } from '@conv/core';
import { fernetCipher } from '@conv/secrets';

import { secretKey } from './secret-key-variable.ts';

/** Returns the cipher for stored keys and secrets. Without a key in the environment they are not stored. */
export function atRest(environment?: Environment): { readonly cipher?: Cipher } {
  const key = secretKey(environment);
  return key === '' ? {} : { cipher: fernetCipher(key) };
}
