import type { Cipher } from '@conv/core';
import { expect, test } from 'vitest';

import { descriptionSecrets } from '../../src/descriptions/index.ts';

const cipher: Cipher = { encrypt: (text) => `gAAAAA${text}`, decrypt: (token) => token.slice('gAAAAA'.length) };

// a folder that an earlier version wrote may still have them
test('P9: variables that an old description has for a program are secrets', () => {
  const agent = { kind: 'ACPAgent', acp_command: ['cat'], acp_env: { SERVICE: 'value-of-a-variable' } };
  const written = (mode: 'redacted' | 'encrypted') =>
    descriptionSecrets.mapSecrets(agent, descriptionSecrets.secretWriter(mode, cipher));
  expect(JSON.stringify(written('redacted'))).not.toContain('value-of-a-variable');
  expect(written('encrypted')).toMatchObject({ acp_env: { SERVICE: 'gAAAAAvalue-of-a-variable' } });
  expect(descriptionSecrets.mapSecrets(written('encrypted'), descriptionSecrets.secretReader(cipher))).toEqual(agent);
});
