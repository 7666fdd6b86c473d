import assert from 'node:assert/strict';

import { SECRET_MASK, STUCK_CODE, STUCK_SENDER } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, textOf } from './expect-conversation.ts';
import { waitingTool } from './waiting-tool.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;
const NEVER = { kind: 'NeverConfirm' } as const;
const RISKY = { kind: 'ConfirmRisky' } as const;
const WAIT = { name: 'wait', arguments: {} };
const VALUE = 'correct horse "battery" staple';

const secretCase = casesWhen(conversationCase, ({ secrets }) => secrets === true);

/** Cases about supervision: the policy in force, limits, secrets, loops. */
export const controlCases: readonly ConversationConformanceCase[] = [
  conversationCase('P10: a stricter policy revokes what a looser one allowed', async (bench) => {
    const waiting = waitingTool();
    const { conversation } = await bench.make({
      turns: [{ calls: [WAIT, WAIT] }, { text: 'Done.' }],
      tools: [waiting.tool],
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await bench.patiently('the first call', waiting.started);
    await conversation.settings.setConfirmationPolicy(ALWAYS);
    waiting.release();
    assert.equal((await running).status, 'waiting_for_confirmation');
    assert.equal(waiting.calls(), 1);
    assert.equal(conversation.state.pendingActions.length, 1);
    assert.equal((await conversation.run()).status, 'finished');
    assert.equal(waiting.calls(), 2);
  }),
  conversationCase('P10: an action that a person approved stays approved under a stricter policy', async (bench) => {
    const { conversation } = await bench.make({
      turns: [{ calls: [echo('one')] }, { text: 'Done.' }],
      tools: [echoTool],
      confirmationPolicy: RISKY,
      securityAnalyzer: { kind: 'LLMSecurityAnalyzer' },
    });
    await conversation.sendMessage('go');
    assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
    await conversation.approve();
    await conversation.settings.setConfirmationPolicy(ALWAYS);
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase('P10: a looser policy approves no waiting action', async (bench) => {
    const waiting = waitingTool();
    const { conversation, reopen } = await bench.make({
      turns: [{ calls: [WAIT] }, { text: 'Done.' }],
      tools: [waiting.tool],
      confirmationPolicy: ALWAYS,
    });
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.settings.setConfirmationPolicy(NEVER);
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    const again = await reopen();
    assert.equal(again.state.executionStatus, 'waiting_for_confirmation');
    assert.equal(waiting.calls(), 0);
  }),
  conversationCase('an action that waits for a person shows its risk until it has a result', async (bench) => {
    const { conversation, reopen } = await bench.make({
      turns: [{ calls: [{ ...WAIT, risk: 'HIGH' }] }, { text: 'Done.' }],
      tools: [waitingTool().tool],
      confirmationPolicy: RISKY,
      securityAnalyzer: { kind: 'LLMSecurityAnalyzer' },
    });
    await conversation.sendMessage('go');
    await conversation.run();
    const [action] = conversation.state.pendingActions;
    assert.ok(action);
    assert.equal(conversation.state.assessments[action.id]?.risk, 'HIGH');
    const again = await reopen();
    assert.equal(again.state.assessments[action.id]?.risk, 'HIGH');
    await again.reject();
    assert.deepEqual(again.state.assessments, {});
  }),
  conversationCase(
    'P10: an analyzer that cannot be asked rates everything HIGH',
    async (bench) => {
      const { conversation } = await bench.make({
        turns: [{ calls: [WAIT] }],
        tools: [waitingTool().tool],
        confirmationPolicy: { ...RISKY, confirm_unknown: false },
        securityAnalyzer: { kind: 'AnalyzerOfTomorrow' as 'LLMSecurityAnalyzer' },
      });
      await conversation.sendMessage('go');
      assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
      const [action] = conversation.state.pendingActions;
      assert.equal(action && conversation.state.assessments[action.id]?.risk, 'HIGH');
    },
    ({ unknownAnalyzers = true }) => unknownAnalyzers,
  ),
  conversationCase('P4: limits are kept when a conversation is opened again', async (bench) => {
    const { conversation, reopen } = await bench.make({ turns: [] });
    const limits = { maxIterations: 3, maxBudgetPerRun: 0.5, maxBudget: 2, toolTimeout: 1500 };
    await conversation.settings.setLimits(limits);
    await conversation.settings.setStuckDetection(false);
    const { maxIterations, maxBudgetPerRun, maxBudget, toolTimeout, stuckDetection } = (await reopen()).state;
    assert.deepEqual({ maxIterations, maxBudgetPerRun, maxBudget, toolTimeout }, limits);
    assert.equal(stuckDetection, false);
  }),
  conversationCase('P13: a limit out of its range is refused, and none is changed', async (bench) => {
    const { conversation } = await bench.make({ turns: [] });
    const { settings, state } = conversation;
    for (const limit of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never]) {
      for (const name of ['maxBudgetPerRun', 'maxBudget', 'toolTimeout'] as const) {
        await refuses(
          'INVALID_INPUT',
          `${name} of ${String(limit)}`,
          settings.setLimits({ maxIterations: 9, [name]: limit }),
        );
      }
    }
    assert.equal(state.maxIterations, 500);
    assert.equal(state.maxBudget, null);
  }),
  secretCase('P9: a secret is masked in messages, arguments and results, and known by its name', async (bench) => {
    const { conversation, reopen } = await bench.make({
      turns: [{ calls: [echo(`it is ${VALUE}`)] }, { text: `You said ${VALUE}.` }],
      tools: [echoTool],
      secrets: { PASSPHRASE: { value: VALUE, description: 'opens the door' } },
    });
    await conversation.sendMessage(`My passphrase is ${VALUE}.`);
    await conversation.run();
    assert.deepEqual(conversation.settings.secrets, [{ name: 'PASSPHRASE', description: 'opens the door' }]);
    const events = await conversation.events.slice();
    assert.equal(textOf(events[1]), `My passphrase is ${SECRET_MASK}.`);
    assert.equal(textOf(events.at(-1)), `You said ${SECRET_MASK}.`);
    assert.ok(!JSON.stringify([events, conversation.state.secretRegistry]).includes('battery'));
    const again = await reopen();
    assert.ok(!JSON.stringify(await again.events.slice()).includes('battery'));
    assert.deepEqual(
      again.settings.secrets.map(({ name }) => name),
      ['PASSPHRASE'],
    );
  }),
  secretCase('P9: a secret that comes later is masked from then on, even where it stood before', async (bench) => {
    const { conversation } = await bench.make({ turns: [{ text: 'Noted.' }] });
    await conversation.sendMessage(`My passphrase is ${VALUE}.`);
    await conversation.settings.updateSecrets({ PASSPHRASE: VALUE });
    assert.equal(textOf(await conversation.events.at(1)), `My passphrase is ${SECRET_MASK}.`);
    await conversation.sendMessage(`Again: ${VALUE}`);
    assert.equal(textOf(await conversation.events.at(-1)), `Again: ${SECRET_MASK}`);
    await conversation.settings.updateSecrets({ PASSPHRASE: null });
    assert.deepEqual(conversation.settings.secrets, []);
    await conversation.sendMessage(`And again: ${VALUE}`);
    assert.equal(textOf(await conversation.events.at(-1)), `And again: ${SECRET_MASK}`);
  }),
  secretCase('P13: a secret with an invalid name is refused, and no error shows its value', async (bench) => {
    const { conversation } = await bench.make({ turns: [] });
    for (const name of ['', 'two words', '1ST', 'PATH', 'A-B']) {
      const error = await refuses('INVALID_INPUT', name, conversation.settings.updateSecrets({ [name]: VALUE }));
      assert.ok(!error.message.includes('battery'));
    }
    assert.deepEqual(conversation.settings.secrets, []);
  }),
  conversationCase(
    'an agent that repeats itself is warned once and then stopped, and a message lets it continue',
    async (bench) => {
      const { conversation, modelRequests } = await bench.make({
        turns: Array.from({ length: 30 }, () => ({ calls: [echo('again')] })),
        tools: [echoTool],
      });
      await conversation.sendMessage('go');
      assert.equal((await conversation.run()).status, 'stuck');
      assert.ok(modelRequests() < 10, `stopped after ${modelRequests()} answers`);
      const events = await conversation.events.slice();
      const warnings = events.filter(
        (event) => isEvent(event, 'MessageEvent') && event.sender?.startsWith(STUCK_SENDER),
      );
      assert.equal(warnings.length, 1);
      const last = events.at(-1);
      assert.ok(last && isEvent(last, 'ConversationErrorEvent') && last.code === STUCK_CODE);
      await conversation.sendMessage('try something else');
      assert.equal(conversation.state.executionStatus, 'idle');
      const before = modelRequests();
      assert.equal((await conversation.run()).status, 'stuck');
      assert.ok(modelRequests() > before + 1, 'the new message starts over');
    },
    ({ stuckDetection }) => stuckDetection === true,
  ),
];
