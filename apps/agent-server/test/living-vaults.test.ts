import { systemPlatform } from '@conv/core/platform';
import { createSecretVault } from '@conv/secrets';
import { expect, test } from 'vitest';

import { LivingVaults } from '../src/living-vaults.ts';

test('P9: a token is hidden in the log and in new conversations until it expires, and a key for ever', () => {
  let now = 0;
  const vaults = new LivingVaults({ ...systemPlatform, now: () => now });
  const make = vaults.remembering(createSecretVault);
  vaults.hide(['a-key-of-the-server']);
  vaults.hide(['an-old-token-of-ann'], 1000);
  const text = 'a-key-of-the-server an-old-token-of-ann';
  expect([vaults.mask(text), make({}).masker.mask(text)]).toEqual(Array(2).fill('<secret-hidden> <secret-hidden>'));
  now = 1000;
  const later = '<secret-hidden> an-old-token-of-ann';
  expect(make({}).masker.mask(text)).toBe(later);
});

test('P9: a token that is shown again stays hidden until the later of both times', () => {
  let now = 0;
  const vaults = new LivingVaults({ ...systemPlatform, now: () => now });
  const make = vaults.remembering((options) =>
    createSecretVault({ ...options, platform: { ...systemPlatform, now: () => now } }),
  );
  const living = make({});
  for (const until of [1000, 2000, 500]) vaults.hide(['a-token-of-ann'], until);
  now = 1500;
  const masked = [
    vaults.mask('a-token-of-ann'),
    living.masker.mask('a-token-of-ann'),
    make({}).masker.mask('a-token-of-ann'),
  ];
  expect(masked).toEqual(Array(3).fill('<secret-hidden>'));
});

test('P9: the log hides a key of four letters, and looks for no expired token at each that is shown', () => {
  let looks = 0;
  const vaults = new LivingVaults({ ...systemPlatform, now: () => looks++ });
  vaults.hide(['abcd']);
  for (let shown = 0; shown < 300; shown++) vaults.hide([`token-${shown}-of-ann`], Number.MAX_SAFE_INTEGER);
  expect(vaults.mask('abcd token-7-of-ann token-299-of-ann')).toBe('<secret-hidden> <secret-hidden> <secret-hidden>');
  expect(looks).toBeLessThan(40);
});

test('P9: the log asks the vaults with values of their own alone, before and after a key is hidden in all', () => {
  const vaults = new LivingVaults();
  let asked = 0;
  const make = vaults.remembering((options) => {
    const vault = createSecretVault(options);
    const mask = vault.masker.mask.bind(vault.masker);
    vault.masker.mask = (text) => {
      asked += 1;
      return mask(text);
    };
    return vault;
  });
  vaults.hide(['a-key-of-the-server']);
  const living = Array.from({ length: 5 }, () => make({}));
  const [own] = living;
  own?.hide(['a-secret-of-ann']);
  for (const also of [[], ['another-key-of-the-server']]) {
    asked = 0;
    vaults.hide(also);
    const masked = vaults.mask(['a-key-of-the-server', 'a-secret-of-ann', ...also].join(' '));
    expect([masked, asked]).toEqual([
      Array(2 + also.length)
        .fill('<secret-hidden>')
        .join(' '),
      1,
    ]);
  }
  living[4]?.hide(['a-secret-of-bob']);
  expect(vaults.mask('a-secret-of-bob')).toBe('<secret-hidden>');
  expect(living).toHaveLength(5);
});
