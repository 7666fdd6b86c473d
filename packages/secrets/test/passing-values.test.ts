import { SECRET_MASK } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { createSecretVault } from '../src/index.ts';

const tokensOf = (kind: string, length: number): string[] =>
  Array.from({ length }, (_, number) => `${kind}-number-${String(number).padStart(4, '0')}`);

const tokens = tokensOf('token', 20);

test('P9: values that expire are masked until then, and forgotten when there are twice as many', () => {
  let now = 0;
  const vault = createSecretVault({ platform: { ...systemPlatform, now: () => now } });
  vault.hide(['a-value-for-ever']);
  vault.hide(tokens, { until: 1000 });
  const newer = tokensOf('newer', 20);
  const text = `a-value-for-ever ${tokens.join(' ')} the-newest-token`;
  expect(vault.masker.mask(text)).not.toContain('token-number');
  const { version } = vault.masker;
  now = 1000;
  vault.hide(newer, { until: 2000 });
  expect(vault.masker.mask(text)).not.toContain('token-number');
  vault.hide(['the-newest-token'], { until: 2000 });
  expect(vault.masker.mask(text)).toBe(`${SECRET_MASK} ${tokens.join(' ')} ${SECRET_MASK}`);
  // texts that were masked before are masked anew
  expect(vault.masker.version).toBeGreaterThan(version);
});

test('P9: a value that expires stays masked if it is hidden for ever, too, in either order', () => {
  const vault = createSecretVault({ platform: { ...systemPlatform, now: () => 1000 } });
  vault.hide(['first-for-ever']);
  vault.hide(['first-for-ever', 'second-for-ever', ...tokens], { until: 500 });
  expect(vault.masker.mask('second-for-ever')).toBe('second-for-ever');
  vault.hide(['second-for-ever']);
  vault.hide(['second-for-ever', ...tokens], { until: 500 });
  expect(vault.masker.mask('first-for-ever second-for-ever')).toBe(`${SECRET_MASK} ${SECRET_MASK}`);
});

test('values that come one by one are looked through a few times, however many they are', () => {
  let looks = 0;
  const vault = createSecretVault({
    platform: {
      ...systemPlatform,
      now: () => {
        looks++;
        return 0;
      },
    },
  });
  for (const token of tokensOf('token', 2000)) vault.hide([token], { until: 1000 });
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(10);
});
