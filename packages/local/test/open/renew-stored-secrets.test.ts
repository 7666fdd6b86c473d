import { ConversationState, type Cipher } from '@conv/core';
import { isStoreError, MemoryStore } from '@conv/core/store';
import { beforeEach, expect, test } from 'vitest';

import { renewStoredSecrets } from '../../src/index.ts';

const ID = 'c0ffee00-0000-4000-8000-000000000001';

/** Stands in for the wire's cipher: a token names its key. */
function cipherOf(newest: string, older: readonly string[] = []): Cipher {
  const encrypt = (plain: string): string => `gAAAAA ${newest} ${plain}`;
  const decrypt = (token: string, keys: readonly string[] = [newest, ...older]): string | undefined => {
    const [start, key = '', plain] = token.split(' ');
    return start === 'gAAAAA' && keys.includes(key) ? plain : undefined;
  };
  const renew = (text: string): string => {
    const plain = decrypt(text, older);
    return plain === undefined ? text : encrypt(plain);
  };
  return { encrypt, decrypt: (token) => decrypt(token), renew };
}

const both = cipherOf('new', ['old']);
let store: MemoryStore;

beforeEach(async () => {
  store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const encrypted = cipherOf('old');
  const state = await ConversationState.open(journal, {
    id: ID,
    executionStatus: 'running',
    agent: { kind: 'Agent', llm: { model: 'x', api_key: encrypted.encrypt('sk-of-model') } },
    secretRegistry: { TOKEN: { kind: 'StaticSecret', value: encrypted.encrypt('token-value') } },
    hiddenValues: [encrypted.encrypt('an-earlier-value')],
  });
  await state.close();
});

async function stored(): Promise<{ text: string; commits: number; status: string }> {
  const journal = await store.open(ID, { create: 'never', owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  const { agent, secretRegistry, hiddenValues, executionStatus: status } = state.fields;
  const commits = journal.end.seq;
  await state.close();
  return { text: JSON.stringify([agent, secretRegistry, hiddenValues]), commits, status };
}

function plainsIn(text: string, cipher: Cipher): readonly (string | undefined)[] {
  return (text.match(/gAAAAA [^"]+/g) ?? []).map((token) => cipher.decrypt(token));
}

test('P9: one commit encrypts every secret of a conversation with the newest key and changes nothing else', async () => {
  const before = await stored();
  expect(await renewStoredSecrets(ID, { store, cipher: both })).toBe(true);
  const after = await stored();
  expect(plainsIn(after.text, cipherOf('new'))).toEqual(['sk-of-model', 'token-value', 'an-earlier-value']);
  expect(after).toMatchObject({ commits: before.commits + 1, status: 'running' });
});

test('a conversation without a secret of an older key is left as it is, also while another process has it', async () => {
  await renewStoredSecrets(ID, { store, cipher: both });
  const { commits } = await stored();
  const journal = await store.open(ID, { create: 'never', owner: 'another' });
  expect(await renewStoredSecrets(ID, { store, cipher: both })).toBe(false);
  await journal.close();
  expect((await stored()).commits).toBe(commits);
  expect(await renewStoredSecrets('c0ffee00-0000-4000-8000-00000000000f', { store, cipher: both })).toBe(false);
});

test('a conversation that another process has is refused, and keeps its secrets', async () => {
  const { text } = await stored();
  const journal = await store.open(ID, { create: 'never', owner: 'another' });
  const outcome = await renewStoredSecrets(ID, { store, cipher: both }).catch((error: unknown) => error);
  expect(isStoreError(outcome, 'OWNED')).toBe(true);
  await journal.close();
  expect((await stored()).text).toBe(text);
});

test('a conversation can be renewed again after it was', async () => {
  await renewStoredSecrets(ID, { store, cipher: both });
  expect(await renewStoredSecrets(ID, { store, cipher: cipherOf('next', ['new', 'old']) })).toBe(true);
  expect(plainsIn((await stored()).text, cipherOf('next'))).toHaveLength(3);
});
