import assert from 'node:assert/strict';

import { isEvent } from '@conv/core/events';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationUnderTest,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, story } from './expect-conversation.ts';
import { waitingTool } from './waiting-tool.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;
const WAIT = { name: 'wait', arguments: {} };

/** Cases about approval: the calls that wait for it, and the effect of approving, of rejecting and of a message. */
export const approvalCases: readonly ConversationConformanceCase[] = [
  conversationCase('calls that need approval are stored, nothing runs, and the run ends waiting', async (bench) => {
    const { conversation, modelRequests } = await waiting(bench);
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    assert.deepEqual(await story(conversation, 2), ['action', 'action']);
    assert.equal(conversation.state.pendingActions.length, 2);
    assert.equal(modelRequests(), 1);
  }),
  conversationCase('a run while waiting approves what is pending', async (bench) => {
    const { conversation } = await waiting(bench);
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'result', 'agent']);
  }),
  conversationCase(
    'P10: a run that approves nothing does not begin while calls wait, and begins after a message',
    async (bench) => {
      const { conversation, modelRequests } = await waiting(bench);
      assert.equal((await conversation.run({ approves: false })).status, 'waiting_for_confirmation');
      assert.deepEqual(await story(conversation, 2), ['action', 'action']);
      assert.equal(modelRequests(), 1);
      await conversation.sendMessage('Do without');
      assert.equal((await conversation.run({ approves: false })).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'reject', 'reject', 'user', 'agent']);
    },
  ),
  conversationCase(
    'P10: a run executes the calls that were approved by name, and the others wait on',
    async (bench) => {
      const { conversation } = await waiting(bench);
      const [first, second] = conversation.state.pendingActions;
      assert.ok(first && second);
      await conversation.approve([second.id]);
      assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
      assert.deepEqual(await story(conversation, 2), ['action', 'action']);
      assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
      assert.deepEqual(idsOf(conversation), [first.id]);
      const done = await conversation.events.at(-1);
      assert.ok(
        done && isEvent(done, 'ObservationEvent') && done.action_id === second.id,
        'the second call has its result',
      );
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'result', 'agent']);
    },
  ),
  conversationCase('one call can be approved and another one rejected', async (bench) => {
    const { conversation } = await waiting(bench);
    const [first, second] = conversation.state.pendingActions;
    assert.ok(first && second);
    await conversation.approve([first.id]);
    await conversation.reject([second.id], 'not this one');
    assert.equal((await conversation.run()).status, 'finished');
    const events = await conversation.events.slice(4);
    const rejected = events.find((event) => isEvent(event, 'UserRejectObservation'));
    const done = events.find((event) => isEvent(event, 'ObservationEvent'));
    assert.deepEqual([rejected?.action_id, rejected?.rejection_reason], [second.id, 'not this one']);
    assert.equal(done?.action_id, first.id);
  }),
  conversationCase('rejecting gives every pending call its result and makes the conversation idle', async (bench) => {
    const { conversation, modelRequests } = await waiting(bench);
    await conversation.reject(undefined, 'no');
    assert.equal(conversation.state.executionStatus, 'idle');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'reject', 'reject']);
    assert.deepEqual(conversation.state.pendingActions, []);
    assert.equal((await conversation.run()).status, 'finished');
    assert.equal(modelRequests(), 2);
  }),
  conversationCase('rejecting one of two keeps the other one waiting', async (bench) => {
    const { conversation } = await waiting(bench);
    const [first, second] = conversation.state.pendingActions;
    await conversation.reject([first?.id ?? '']);
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    assert.deepEqual(
      conversation.state.pendingActions.map(({ id }) => id),
      [second?.id],
    );
  }),
  conversationCase(
    'approving or rejecting an action that is not pending rejects UNKNOWN_ACTION and changes nothing',
    async (bench) => {
      const { conversation } = await waiting(bench);
      const before = conversation.state.pendingActions.map(({ id }) => id);
      await refuses('UNKNOWN_ACTION', 'approve', conversation.approve([bench.platform.id()]));
      await refuses('UNKNOWN_ACTION', 'reject', conversation.reject([before[0] ?? '', bench.platform.id()]));
      assert.deepEqual(
        conversation.state.pendingActions.map(({ id }) => id),
        before,
      );
      assert.deepEqual(await story(conversation, 2), ['action', 'action']);
    },
  ),
  conversationCase('P10: a message while waiting rejects what is pending first', async (bench) => {
    const { conversation } = await waiting(bench);
    assert.equal((await conversation.sendMessage('Do something else')).queued, false);
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'reject', 'reject', 'user']);
    assert.equal(conversation.state.executionStatus, 'idle');
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase(
    'P10: a message during an approved call rejects unapproved calls, and the same run answers it',
    async ({ make, patiently }) => {
      const { tool, started, release, calls } = waitingTool();
      const turns = [{ calls: [WAIT, WAIT] }, { text: 'Understood.' }];
      const { conversation, modelRequests } = await make({ turns, tools: [tool], confirmationPolicy: ALWAYS });
      await conversation.sendMessage('Go');
      assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
      const [first, second] = idsOf(conversation);
      assert.ok(first !== undefined && second !== undefined);
      await conversation.approve([first]);
      const running = conversation.run();
      await patiently('the call to start', started);
      const sent = await conversation.sendMessage('Not the other one');
      assert.equal(sent.queued, true);
      release();
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.equal(calls(), 1, 'the tool was called for what was approved alone');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'reject', 'user', 'agent']);
      const [done, rejected, message] = await conversation.events.slice(4);
      assert.ok(done && isEvent(done, 'ObservationEvent') && done.action_id === first);
      assert.ok(rejected && isEvent(rejected, 'UserRejectObservation') && rejected.action_id === second);
      assert.equal(message?.id, sent.id);
      assert.equal(modelRequests(), 2);
      assert.equal(await conversation.finalResponse(), 'Understood.');
      assert.deepEqual([conversation.state.queue, conversation.state.pendingActions], [[], []]);
    },
  ),
  conversationCase('a finish or a think call alone needs no approval', async ({ make }) => {
    const turns = [
      { calls: [{ name: 'think', arguments: { thought: 'hm' } }] },
      { calls: [{ name: 'finish', arguments: { message: 'ok' } }] },
    ];
    const { conversation } = await make({ turns, confirmationPolicy: ALWAYS });
    await conversation.sendMessage('Go');
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase('P10: ConfirmRisky asks for calls of unknown risk unless told otherwise', async ({ make }) => {
    for (const [confirm, status] of [
      [true, 'waiting_for_confirmation'],
      [false, 'finished'],
    ] as const) {
      const policy = { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: confirm } as const;
      const { conversation } = await make({
        turns: [{ calls: [echo('a')] }, { text: 'ok' }],
        tools: [echoTool],
        confirmationPolicy: policy,
      });
      await conversation.sendMessage('Go');
      assert.equal((await conversation.run()).status, status);
    }
  }),
  conversationCase('P10: ConfirmRisky with an analyzer asks for calls of at least its threshold', async ({ make }) => {
    for (const [risk, status] of [
      ['LOW', 'finished'],
      ['MEDIUM', 'waiting_for_confirmation'],
      ['HIGH', 'waiting_for_confirmation'],
    ] as const) {
      const { conversation } = await make({ ...risky(risk), securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } });
      await conversation.sendMessage('Go');
      assert.equal((await conversation.run()).status, status, `risk ${risk}`);
    }
  }),
  conversationCase('P10: every risk is unknown without an analyzer, whatever the model says', async ({ make }) => {
    const { conversation } = await make(risky('LOW'));
    await conversation.sendMessage('Go');
    assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
  }),
  conversationCase(
    'P10: confirmation mode is active when an analyzer is set and the policy may ask',
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      const { settings, state } = conversation;
      assert.deepEqual([state.isConfirmationModeActive, state.confirmationPolicyActive], [false, false]);
      await settings.setConfirmationPolicy(ALWAYS);
      assert.deepEqual(
        [conversation.state.isConfirmationModeActive, conversation.state.confirmationPolicyActive],
        [false, true],
      );
      await settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
      assert.deepEqual(
        [conversation.state.isConfirmationModeActive, conversation.state.confirmationPolicyActive],
        [true, true],
      );
      await settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
      assert.equal(conversation.state.isConfirmationModeActive, false);
    },
  ),
  conversationCase('pause while waiting changes nothing', async (bench) => {
    const { conversation } = await waiting(bench);
    await conversation.pause();
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    assert.deepEqual(await story(conversation, 2), ['action', 'action']);
  }),
  conversationCase('a laxer policy while waiting approves nothing by itself', async (bench) => {
    const { conversation } = await waiting(bench);
    await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
    assert.equal(conversation.state.pendingActions.length, 2);
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'result', 'agent']);
  }),
  conversationCase('P5: calls that wait for approval still wait after reopening, and have not run', async (bench) => {
    const under = await waiting(bench);
    const before = under.conversation.state.pendingActions.map(({ id }) => id);
    const conversation = await under.reopen();
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    assert.deepEqual(
      conversation.state.pendingActions.map(({ id }) => id),
      before,
    );
    assert.deepEqual(await story(conversation, 2), ['action', 'action']);
    assert.equal((await conversation.run()).status, 'finished');
  }),
];

/** Returns a script with one call of this risk, under a policy that asks from MEDIUM on. */
function risky(risk: 'LOW' | 'MEDIUM' | 'HIGH'): ConversationScript {
  return {
    turns: [{ calls: [{ ...echo('a'), risk }] }, { text: 'Done.' }],
    // The tool is declared read-only, but the risk that the model states still counts.
    tools: [echoTool],
    confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: true },
  };
}

/** Makes a conversation that waits for approval of two calls. */
async function waiting({ make }: ConversationBench): Promise<ConversationUnderTest> {
  const turns = [{ calls: [echo('a'), echo('b')] }, { text: 'Done.' }];
  const under = await make({ turns, tools: [echoTool], confirmationPolicy: ALWAYS });
  await under.conversation.sendMessage('Go');
  assert.equal((await under.conversation.run()).status, 'waiting_for_confirmation');
  return under;
}

function idsOf({ state }: ConversationUnderTest['conversation']): readonly string[] {
  return state.pendingActions.map(({ id }) => id);
}
