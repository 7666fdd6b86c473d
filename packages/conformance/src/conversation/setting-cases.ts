import assert from 'node:assert/strict';

import { SECRET_MASK, type SecurityAnalyzerDescription } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { defineTool } from '@conv/core/tool';
import { z } from 'zod';
import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { plainState, refuses } from './expect-conversation.ts';

const VALUE = 'correct horse "battery" staple';

const secretCase = casesWhen(conversationCase, ({ secrets }) => secrets === true);

/** Cases about changes of settings: their effect, and what stays. */
export const settingCases: readonly ConversationConformanceCase[] = [
  conversationCase('settings survive a restart', async ({ make }) => {
    const under = await make({ turns: [] });
    const { settings } = under.conversation;
    await settings.setConfirmationPolicy({ kind: 'ConfirmRisky' });
    await settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    await settings.setLimits({ maxIterations: 12 });
    await settings.setTags({ team: 'a', cost: '7' });
    await settings.setTitle('A title');
    const { state } = await under.reopen();
    assert.deepEqual(
      { ...state.confirmationPolicy },
      { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
    );
    assert.equal(state.securityAnalyzer?.['kind'], 'LLMSecurityAnalyzer');
    assert.deepEqual([state.maxIterations, state.title], [12, 'A title']);
    assert.deepEqual({ ...state.tags }, { team: 'a', cost: '7' });
  }),
  conversationCase('P13: an invalid setting rejects INVALID_INPUT and changes nothing', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    const { settings } = conversation;
    const before = plainState(conversation.state);
    await refuses(
      'INVALID_INPUT',
      'an unknown policy',
      settings.setConfirmationPolicy({ kind: 'Sometimes' as 'AlwaysConfirm' }),
    );
    await refuses(
      'INVALID_INPUT',
      'a bad threshold',
      settings.setConfirmationPolicy({ kind: 'ConfirmRisky', threshold: 'UNKNOWN' as 'LOW' }),
    );
    await refuses(
      'INVALID_INPUT',
      'an analyzer without a kind',
      settings.setSecurityAnalyzer({} as SecurityAnalyzerDescription),
    );
    for (const limit of [0, -1, 1.5, Number.NaN])
      await refuses('INVALID_INPUT', `a limit of ${limit}`, settings.setLimits({ maxIterations: limit }));
    await refuses('INVALID_INPUT', 'a tag key with a capital', settings.setTags({ Team: 'a' }));
    await refuses('INVALID_INPUT', 'a long tag', settings.setTags({ team: 'x'.repeat(257) }));
    assert.deepEqual(plainState(conversation.state), before);
  }),
  conversationCase('limits that are not named in a change stay', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    await conversation.settings.setLimits({ maxIterations: 3, maxBudgetPerRun: 0.5, maxBudget: 2, toolTimeout: 1500 });
    await conversation.settings.setLimits({ maxBudget: 1 });
    const { maxIterations, maxBudgetPerRun, maxBudget, toolTimeout } = conversation.state;
    assert.deepEqual([maxIterations, maxBudgetPerRun, maxBudget, toolTimeout], [3, 0.5, 1, 1500]);
  }),
  conversationCase('P13: a title loses the blanks around it, and blanks alone are refused', async (bench) => {
    const { conversation, open } = await bench.make({ turns: [] });
    const { features, history, settings, state } = conversation;
    await settings.setTitle(' A title\n');
    assert.equal(state.title, 'A title');
    for (const blank of ['', '   ', '\n']) await refuses('INVALID_INPUT', 'setTitle', settings.setTitle(blank));
    assert.equal(state.title, 'A title');
    if (!features.fork) return;
    for (const blank of ['   ', '\n']) await refuses('INVALID_INPUT', 'fork', history.fork({ title: blank }));
    const forked = await open(await history.fork({ title: ' The fork ' }));
    assert.equal(forked.state.title, 'The fork');
    await forked.close();
  }),
  conversationCase('tags replace all that were there, and a title can be taken away', async ({ make }) => {
    const { conversation, reopen } = await make({ turns: [] });
    const { settings } = conversation;
    await settings.setTags({ team: 'a', cost: '7' });
    await settings.setTags({ team: 'b' });
    await settings.setTitle('A title');
    await settings.setTitle(null);
    for (const { state } of [conversation, await reopen()]) {
      assert.deepEqual({ ...state.tags }, { team: 'b' });
      assert.equal(state.title, null);
    }
  }),
  conversationCase('subscribers get a change of a setting as a change of the state', async ({ make, patiently }) => {
    const { conversation } = await make({ turns: [] });
    const told = Promise.withResolvers<string | null>();
    conversation.subscribe({
      onStateChange: ({ title }, before) => {
        if (title === 'New') told.resolve(before.title);
      },
    });
    await conversation.settings.setTitle('New');
    assert.equal(await patiently('the change of the title', told.promise), null);
  }),
  secretCase('secrets that are not named in an update stay', async ({ make }) => {
    const { conversation } = await make({ turns: [], secrets: { FIRST: 'first-value-of-many' } });
    await conversation.settings.updateSecrets({ SECOND: 'second-value-of-many' });
    assert.deepEqual(conversation.settings.secrets.map(({ name }) => name).toSorted(), ['FIRST', 'SECOND']);
  }),
  secretCase(
    'P9: a secret is masked in the errors of tools and of the model, in the log and where they are thrown',
    async ({ make }) => {
      const door = defineTool({
        name: 'open_door',
        description: 'Opens the door.',
        input: z.object({}),
        execute: () => {
          throw new Error(`wrong passphrase ${VALUE}`);
        },
      });
      const fails = { error: `no answer to ${VALUE}` };
      const turns = [fails, { calls: [{ name: 'open_door', arguments: {} }] }, { text: 'It stays shut.' }];
      const { conversation } = await make({ turns, tools: [door], secrets: { PASSPHRASE: VALUE } });
      await conversation.sendMessage('Go');
      const error = await refuses('RUN_FAILED', 'run', conversation.run());
      for (let one: unknown = error; one instanceof Error; one = one.cause)
        assert.ok(!`${one.message} ${one.stack}`.includes('battery'), `"${one.name}" says the value`);
      assert.equal((await conversation.run()).status, 'finished');
      const events = await conversation.events.slice();
      assert.ok(!JSON.stringify(events).includes('battery'));
      const failed = events.find((event) => isEvent(event, 'AgentErrorEvent'));
      assert.match(failed?.error ?? '', new RegExp(SECRET_MASK));
      const ended = events.find((event) => isEvent(event, 'ConversationErrorEvent'));
      assert.match(ended?.detail ?? '', new RegExp(SECRET_MASK));
    },
  ),
];
