import process from 'node:process';

import type { Environment } from '@conv/agent';
import type { Cipher } from '@conv/core';
import { fernetCipher } from '@conv/secrets';

/** The variable that OpenHands takes its key from, so that its server reads what this program encrypts. */
export const KEY_VARIABLE = 'OH_SECRET_KEY';

/** Returns the cipher for stored keys and secrets. Without a key in the environment they are not stored. */
export function atRest(environment: Environment = process.env): { readonly cipher?: Cipher } {
  const key = environment[KEY_VARIABLE] ?? '';
  return key === '' ? {} : { cipher: fernetCipher(key) };
}
