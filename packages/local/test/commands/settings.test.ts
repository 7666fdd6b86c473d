import { describe, expect, test } from 'vitest';

import type { LocalSettings } from '../../src/index.ts';
import { play } from '../support/bench.ts';

describe('settings', () => {
  test.each<[string, (settings: LocalSettings) => Promise<void>]>([
    [
      'a policy of no known kind',
      (settings) => settings.setConfirmationPolicy({ kind: 'Sometimes' as 'AlwaysConfirm' }),
    ],
    ['a policy that is none', (settings) => settings.setConfirmationPolicy(null as never)],
    ['an analyzer without a kind', (settings) => settings.setSecurityAnalyzer({} as never)],
    ['an analyzer that is none', (settings) => settings.setSecurityAnalyzer(undefined as never)],
    ['a limit that is misspelt', (settings) => settings.setLimits({ maxBudgetPerRuns: 1 } as object)],
    ['a limit of 0', (settings) => settings.setLimits({ maxIterations: 0 })],
    ['a limit of Infinity', (settings) => settings.setLimits({ maxIterations: Number.POSITIVE_INFINITY })],
    ['a tag value of 257 characters', (settings) => settings.setTags({ a: 'x'.repeat(257) })],
    ['tags that are none', (settings) => settings.setTags(null as never)],
    ['tags in a list', (settings) => settings.setTags(['a'] as never)],
    ['a title that is no text', (settings) => settings.setTitle(7 as never)],
    ['an empty title', (settings) => settings.setTitle('')],
    ['a title of 201 characters', (settings) => settings.setTitle('x'.repeat(201))],
    ['an analyzer that is not JSON', (settings) => settings.setSecurityAnalyzer({ kind: 'X', n: Number.NaN } as never)],
  ])('P13: %s rejects INVALID_INPUT and stores nothing', async (_, change) => {
    const { conversation, store } = await play();
    const { appends } = store;
    await expect(change(conversation.settings)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(store.appends).toBe(appends);
  });

  test('settings are one commit each, without an event, and hold from the next run on', async () => {
    const { conversation, store } = await play({ think: () => ['work'] });
    const { settings } = conversation;
    const { appends } = store;
    await settings.setLimits({ maxIterations: 1 });
    await settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    await settings.setSecurityAnalyzer(null);
    await settings.setTitle('t');
    await settings.setTitle(null);
    await settings.setTags({ a: 'x'.repeat(256) });
    expect([store.appends - appends, conversation.events.length]).toEqual([6, 0]);
    await conversation.sendMessage('go');
    expect(await conversation.run()).toMatchObject({ status: 'error', iterations: 1 });
  });
});
