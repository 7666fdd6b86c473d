import { type Cipher, ConversationState } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { expect, test } from 'vitest';

import { loginRecords, trialRecords } from '../../src/logins/login-records.ts';
import { receiverRecords } from '../../src/receivers/receiver-records.ts';
import { renewSecrets } from '../../src/settings/renew-secrets.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { cipherOf } from '../support/test-cipher.ts';

const ID = 'c0ffee00-0000-4000-8000-000000000001';

test('P9: a conversation and settings with a secret that no key opens are left, whatever else was renewed', async () => {
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const value = (cipher: Cipher) => ({ kind: 'StaticSecret' as const, value: cipher.encrypt('token-value') });
  const state = await ConversationState.open(await store.open(ID, { owner: 'test' }), {
    id: ID,
    secretRegistry: { OURS: value(cipherOf('old')), THEIRS: value(cipherOf('lost')) },
  });
  await state.close();
  await new SettingsStore(registry, cipherOf('lost')).secrets.set('DEPLOY', 'value', null);
  const cipher = cipherOf('new', 'old');
  const left: (string | undefined)[] = [];
  const settingsStore = new SettingsStore(registry, cipher);
  const renew = (): ReturnType<typeof renewSecrets> =>
    renewSecrets({ store, settingsStore, cipher, left: (_, id) => void left.push(id) });
  expect(await renew()).toEqual({ renewed: 1, current: 0 });
  expect(await renew()).toEqual({ renewed: 0, current: 0 });
  expect(left).toEqual([undefined, ID, undefined, ID]);
});

test('P9: logins, trials and receivers of an earlier key are encrypted with the newest one', async () => {
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const of = (cipher: Cipher) => ({
    logins: loginRecords(registry, cipher),
    trials: trialRecords(registry, cipher),
    receivers: receiverRecords(registry, cipher),
  });
  for (const records of Object.values(of(cipherOf('old')))) await records.replace('one', { token: 'value' }, null);
  const cipher = cipherOf('new', 'old');
  const settingsStore = new SettingsStore(registry, cipher);
  const left: unknown[] = [];
  await renewSecrets({ store, settingsStore, cipher, ...of(cipher), left: (error) => void left.push(error) });
  for (const records of Object.values(of(cipherOf('new'))))
    expect(await records.get('one')).toMatchObject({ value: { token: 'value' } });
  expect(left).toEqual([]);
});
