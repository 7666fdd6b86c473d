import { SECRET_MASK, type Hooks } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { play } from '../support/bench.ts';
import { fakeCipher } from '../support/fake-vault.ts';
import { GIVEN, OTHER, stored, VALUE, VAULT, withSecret } from '../support/secret-bench.ts';

test('P9: hooks that hold the value of a secret are refused, and are told to name it', async () => {
  const command = { type: 'command', command: `say ${VALUE}` } as const;
  const hooks: Hooks = {
    config: { stop: [{ matcher: '*', hooks: [command] }] },
    start: () => {
      throw new Error('they are not to be started');
    },
  };
  await expect(play({}, { ...GIVEN, hooks }, VAULT)).rejects.toThrow(/INVALID_INPUT.*the name of the secret instead/);
});

test('P9: a fork has no value in its title and tags', async () => {
  const { conversation, store } = await withSecret();
  const id = await conversation.history.fork({ title: `of ${VALUE}`, tags: { note: VALUE } });
  expect(await stored(store, id)).not.toContain(VALUE);
});

test('P9: two conversations of one process know nothing of each other’s secrets', async () => {
  const sessions: ToolSession[] = [];
  const script = { onStart: (session: ToolSession) => void sessions.push(session) };
  const one = await withSecret(script, { secrets: { TOKEN: VALUE } });
  const other = await withSecret(script, { secrets: { TOKEN: OTHER, KEY: VALUE + OTHER } });
  await one.conversation.run();
  await other.conversation.run();
  const [first, second] = sessions.map(({ secrets }) => secrets);
  const { signal } = new AbortController();
  const named = await Promise.all(
    [first, second].map(async (secrets) => secrets?.environmentFor('$TOKEN $KEY', signal)),
  );
  expect(named.map((each) => each?.environment)).toEqual([{ TOKEN: VALUE }, { TOKEN: OTHER, KEY: VALUE + OTHER }]);
  expect(second?.masker.mask(`${VALUE} ${OTHER}`)).toBe(`${VALUE} ${SECRET_MASK}`);
});

test('P12: a value that a source answers with is added to what is stored, not stored again with all others', async () => {
  const { conversation } = await withSecret({}, { ...GIVEN, cipher: fakeCipher() });
  for (const value of ['first-rotation', 'second-rotation', 'third-rotation'])
    await conversation.settings.updateSecrets({ TOKEN: value });
  const commits = await Array.fromAsync(conversation.history.commits());
  const added = commits.flatMap(({ patch }) => patch?.add?.hiddenValues?.length ?? []);
  expect(added).toEqual([1, 1, 1]);
  expect(conversation.state.hiddenValues).toHaveLength(3);
});
