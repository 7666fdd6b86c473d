import assert from 'node:assert/strict';

import type { Conversation } from '@conv/core';
import type { GoalVerdict } from '@conv/core/events';
import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { refuses, story, textOf } from './expect-conversation.ts';
import type { ModelTurn } from './model-script.ts';

const goalCase = casesWhen(conversationCase, ({ goals }) => goals === true);

const reached: GoalVerdict = { score: 1, complete: true };

/** Returns the answer of a judge that finds `what` missing. */
function missing(what: string, more: Pick<ModelTurn, 'asked' | 'after'> = {}): ModelTurn {
  return { text: JSON.stringify({ score: 0.5, complete: false, missing: what }), ...more };
}

const convinced: ModelTurn = { text: JSON.stringify(reached) };

/** Returns the status of a goal, whether it is active, and its round. */
function goalOf({ goal }: Conversation): unknown {
  return goal.status && [goal.status.status, goal.status.active, goal.status.iteration];
}

/** The pursuit of goals. */
export const goalCases: readonly ConversationConformanceCase[] = [
  goalCase(
    'a goal is worked on in rounds until the judge is convinced, and each round says what is missing',
    async ({ make }) => {
      const { conversation } = await make({
        turns: [{ text: 'Written.' }, missing('the tests'), { text: 'Tested.' }, convinced],
      });
      assert.equal(conversation.goal.status, undefined);
      const outcome = await conversation.goal.pursue('Ship it.');
      assert.deepEqual(outcome, { status: 'complete', rounds: 2, verdict: reached });
      assert.deepEqual(goalOf(conversation), ['complete', false, 2]);
      assert.deepEqual(await story(conversation), ['system', 'user', 'agent', 'user', 'agent']);
      assert.equal(textOf(await conversation.events.at(1)), 'Ship it.');
      assert.match(textOf(await conversation.events.at(3)), /the tests/);
    },
  ),
  goalCase('a goal ends as capped when its rounds are used up, and cannot be resumed', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Written.' }, missing('the tests')] });
    const { status, rounds, verdict } = await conversation.goal.pursue('Ship it.', { maxIterations: 1 });
    assert.deepEqual([status, rounds, verdict?.missing], ['capped', 1, 'the tests']);
    assert.deepEqual(goalOf(conversation), ['capped', false, 1]);
    assert.equal((await story(conversation)).at(-1), 'agent');
    await refuses('INVALID_INPUT', 'resuming a capped goal', conversation.goal.resume());
  }),
  goalCase(
    'a message of the user interrupts a goal; a resumed goal continues its count, even after a restart',
    async ({ make, patiently }) => {
      const asked = Promise.withResolvers<void>();
      const never = new Promise<void>(() => {});
      const { conversation, reopen } = await make({
        turns: [
          { text: 'Written.' },
          missing('the tests'),
          { text: 'Tested.' },
          missing('never said', { asked: () => asked.resolve(), after: never }),
          { text: 'With a picture.' },
          convinced,
        ],
      });
      const pursued = conversation.goal.pursue('Ship it.');
      await patiently('the second round', asked.promise);
      await conversation.sendMessage('Add a picture.');
      const { status, rounds } = await patiently('the end of the pursuit', pursued);
      assert.deepEqual([status, rounds], ['interrupted', 1]);
      const again = await reopen();
      assert.deepEqual(goalOf(again), ['interrupted', false, 1]);
      assert.deepEqual(await again.goal.resume(), { status: 'complete', rounds: 2, verdict: reached });
    },
  ),
  conversationCase(
    'P4: a goal whose process was killed is interrupted, and no round is counted twice',
    async ({ make, patiently }) => {
      const asked = Promise.withResolvers<void>();
      const { conversation, kill } = await make({
        turns: [
          { text: 'Written.' },
          missing('the tests'),
          { text: 'Never said.', asked: () => asked.resolve(), after: new Promise<void>(() => {}) },
          { text: 'Tested.' },
          convinced,
        ],
      });
      conversation.goal.pursue('Ship it.').catch(() => {});
      await patiently('the second round', asked.promise);
      const again = await kill?.();
      assert.ok(again);
      assert.deepEqual(goalOf(again), ['interrupted', false, 1]);
      assert.deepEqual(await again.goal.resume(), { status: 'complete', rounds: 2, verdict: reached });
    },
    ({ goals, kill }) => goals === true && kill,
  ),
  goalCase('stop ends a goal as interrupted, and does nothing without one', async ({ make, patiently }) => {
    const asked = Promise.withResolvers<void>();
    const { conversation } = await make({
      turns: [
        { text: 'Written.' },
        missing('never said', { asked: () => asked.resolve(), after: new Promise<void>(() => {}) }),
      ],
    });
    await conversation.goal.stop();
    const pursued = conversation.goal.pursue('Ship it.');
    await patiently('the judge', asked.promise);
    await refuses('BUSY', 'a second goal', conversation.goal.pursue('Another.'));
    await conversation.goal.stop();
    const { status, rounds } = await patiently('the end of the pursuit', pursued);
    assert.deepEqual([status, rounds], ['interrupted', 0]);
    assert.deepEqual(goalOf(conversation), ['interrupted', false, 0]);
  }),
  goalCase('a judge that fails completes nothing', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Written.' }, { error: 'no judge here' }, convinced] });
    const { status, rounds } = await conversation.goal.pursue('Ship it.');
    assert.deepEqual([status, rounds], ['interrupted', 0]);
    assert.deepEqual(await conversation.goal.resume(), { status: 'complete', rounds: 1, verdict: reached });
  }),
  goalCase(
    'P13: a blank objective, no rounds and nothing to resume are refused and change nothing',
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      await refuses('INVALID_INPUT', 'a blank objective', conversation.goal.pursue(' \n'));
      for (const maxIterations of [0, -1, 1.5])
        await refuses('INVALID_INPUT', `${maxIterations} rounds`, conversation.goal.pursue('It.', { maxIterations }));
      await refuses('INVALID_INPUT', 'resuming nothing', conversation.goal.resume());
      assert.equal(conversation.goal.status, undefined);
      assert.equal(conversation.events.length, 0);
    },
  ),
];
