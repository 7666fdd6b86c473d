import { createSecretVault } from '@conv/secrets';
import { expect, test } from 'vitest';

import { LivingVaults } from '../src/living-vaults.ts';

test('P9: a token is hidden in the log and in new conversations until it expires, and a key for ever', () => {
  let now = 0;
  const vaults = new LivingVaults({ now: () => now });
  const make = vaults.remembering(createSecretVault);
  vaults.hide(['a-key-of-the-server']);
  vaults.hide(['an-old-token-of-ann'], 1000);
  const text = 'a-key-of-the-server an-old-token-of-ann';
  expect([vaults.mask(text), make({}).masker.mask(text)]).toEqual(Array(2).fill('<secret-hidden> <secret-hidden>'));
  now = 1000;
  const later = '<secret-hidden> an-old-token-of-ann';
  expect(make({}).masker.mask(text)).toBe(later);
});
