import type { Conversation } from '@conv/core';
import { applicableCases, conversationConformance } from '@conv/conformance';
import { expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { open, play, story } from '../support/bench.ts';
import { features, makeConversation } from '../support/conversation-under-test.ts';
import { FakeVault } from '../support/fake-vault.ts';

const COMMANDS = ['sendMessage', 'run', 'pause', 'interrupt', 'approve', 'reject', 'answerCall', 'askAgent', 'fork'];

/** The conversation, which rests before each command: everything that it can make again is made again. */
function restless(conversation: Conversation): Conversation {
  return new Proxy(conversation, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...given: unknown[]) => unknown;
      if (!COMMANDS.includes(String(name))) return call;
      return async (...given: unknown[]) => {
        await (target as LocalConversation).rest();
        return call(...given);
      };
    },
  });
}

for (const { name, run } of applicableCases(conversationConformance, features))
  test(`P12: a conversation that rests before each command: ${name}`, () =>
    run({ make: (script) => makeConversation(script, restless), waitTimeout: 60_000 }));

test('P12: settings that a caller holds work on after a rest', async () => {
  let starts = 0;
  const start = (): void => void starts++;
  const { conversation } = await play({ start }, {}, { secrets: (vault) => new FakeVault(vault) });
  const { settings } = conversation;
  await conversation.rest();
  await settings.updateSecrets({ TOKEN: 'a-value-of-a-secret' });
  await conversation.rest();
  expect(conversation.settings).toBe(settings);
  expect(settings.secrets.map(({ name }) => name)).toEqual(['TOKEN']);
  await conversation.sendMessage('hello');
  await conversation.run();
  await conversation.rest();
  await conversation.sendMessage('a-value-of-a-secret');
  expect(JSON.stringify(await conversation.events.at(-1))).not.toContain('a-value-of-a-secret');
  await conversation.rest();
  await conversation.run();
  expect(await story(conversation)).toBe('system user agent user agent');
  // tools that were made stay
  expect(starts).toBe(1);
  await conversation.close();
});

test('P12: a conversation is closed while it rests, and refuses commands', async () => {
  const { conversation, store, agent } = await play();
  await conversation.rest();
  await conversation.close();
  await expect(conversation.sendMessage('late')).rejects.toMatchObject({ code: 'CLOSED' });
  await (await open(store, { agent, id: conversation.id, create: 'never' })).close();
});
