import { expect, test } from 'vitest';

import { secretsOf } from '../src/configuration/webhook-settings.ts';
import { LivingVaults } from '../src/living-vaults.ts';

const url = 'https://example.org/hook';

function masked(text: string, headers: Readonly<Record<string, string>>): string {
  const vaults = new LivingVaults();
  vaults.hide(secretsOf([{ name: 'a', url, secrets: ['whsec_a-key-of-a-hook'], headers }]));
  return vaults.mask(text);
}

test('P9: keys of webhooks and credentials in their headers are hidden, with their scheme and without it', () => {
  const headers = { Authorization: 'Bearer token-of-a-hook', 'X-Api-Key': 'key-of-a-hook' };
  const text = 'whsec_a-key-of-a-hook, Bearer token-of-a-hook, token-of-a-hook, key-of-a-hook';
  expect(masked(text, headers)).toBe(Array(4).fill('<secret-hidden>').join(', '));
});

test('other headers of webhooks and short values are not hidden, because they occur in ordinary text', () => {
  const headers = {
    Accept: 'application/json',
    'X-Team': 'deployment',
    'X-Token': '1',
    Cookie: '',
    'X-Key': 'Basic a',
  };
  const text = 'application/json of the deployment has 1 Basic a';
  expect(masked(text, headers)).toBe(text);
});
