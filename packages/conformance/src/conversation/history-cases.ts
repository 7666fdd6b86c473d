import assert from 'node:assert/strict';

import { toCommitSeq } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
  type ConversationSuiteFeatures,
  type ConversationUnderTest,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { finished, plainState, refuses, story, textOf } from './expect-conversation.ts';
import type { ScriptedCall } from './model-script.ts';
import { waitingTool } from './waiting-tool.ts';

const forkCase = casesWhen(conversationCase, ({ fork }) => fork);
const commits = (features: { readonly commits: boolean }): boolean => features.commits;
const kill = (features: { readonly kill: boolean }): boolean => features.kill;
const killedAtRest = ({ kill: kills, keepsRuns }: ConversationSuiteFeatures): boolean => kills && keepsRuns !== true;
const killedAndKept = ({ kill: kills, keepsRuns }: ConversationSuiteFeatures): boolean => kills && keepsRuns === true;

/** Cases about forks, branches, replay, and what a restart or the death of an owner leaves. */
export const historyCases: readonly ConversationConformanceCase[] = [
  forkCase('a fork holds the same events, is idle, and develops independently', async (bench) => {
    const { conversation, open } = await twoTurns(bench);
    const before = await conversation.events.slice();
    const id = await conversation.history.fork({ title: 'the fork' });
    const forked = await open(id);
    assert.deepEqual(await forked.events.slice(), before);
    assert.deepEqual([forked.id, forked.state.executionStatus, forked.state.title], [id, 'idle', 'the fork']);
    assert.deepEqual(forked.state.forkedFrom?.conversationId, conversation.id);
    assert.equal(forked.state.metrics.llmCallCount, 0);
    await forked.sendMessage('In the fork');
    assert.equal((await forked.run()).status, 'finished');
    assert.deepEqual(await conversation.events.slice(), before);
    await forked.close();
  }),
  forkCase('a fork from an event holds the path to it and nothing else', async (bench) => {
    const { conversation, open } = await twoTurns(bench);
    const path = await conversation.events.slice(0, 3);
    const forked = await open(await conversation.history.fork({ from: path.at(-1)?.id ?? '' }));
    assert.deepEqual(await forked.events.slice(), path);
    assert.equal(forked.state.leafEventId, path.at(-1)?.id);
    await forked.close();
  }),
  forkCase('P10: a fork is no less strict than its source', async (bench) => {
    const { conversation, open } = await twoTurns(bench);
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    await conversation.settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    await conversation.settings.setLimits({ maxIterations: 7 });
    const first = await conversation.events.at(1);
    for (const from of [undefined, first?.id ?? '']) {
      const forked = await open(await conversation.history.fork(from === undefined ? {} : { from }));
      assert.equal(forked.state.confirmationPolicy['kind'], 'AlwaysConfirm');
      assert.equal(forked.state.securityAnalyzer?.['kind'], 'LLMSecurityAnalyzer');
      assert.equal(forked.state.maxIterations, 7);
      await forked.close();
    }
  }),
  forkCase('forking from an unknown event rejects UNKNOWN_EVENT', async (bench) => {
    const { conversation } = await twoTurns(bench);
    await refuses('UNKNOWN_EVENT', 'fork', conversation.history.fork({ from: bench.platform.id() }));
  }),
  forkCase(
    'forking to a taken id rejects EXISTS, forking to an id that is not a UUID rejects INVALID_INPUT',
    async (bench) => {
      const { conversation } = await twoTurns(bench);
      await refuses('EXISTS', 'fork', conversation.history.fork({ id: conversation.id }));
      await refuses('INVALID_INPUT', 'fork', conversation.history.fork({ id: '../x' }));
    },
  ),
  conversationCase('moving HEAD gives the status that follows from its branch', async (bench) => {
    const { conversation } = await twoTurns(bench);
    const events = await conversation.events.slice();
    const statuses: string[] = [];
    for (const at of [1, 2, 4, 5, 6]) {
      await conversation.history.navigateTo(events[at]?.id ?? '');
      statuses.push(conversation.state.executionStatus);
    }
    assert.deepEqual(statuses, ['idle', 'finished', 'waiting_for_confirmation', 'idle', 'finished']);
    assert.deepEqual(await conversation.events.slice(), events);
  }),
  conversationCase('going back and continuing makes a second branch and deletes nothing', async (bench) => {
    const { conversation } = await twoTurns(bench);
    const before = await conversation.events.slice();
    await conversation.history.navigateTo(before[2]?.id ?? '');
    assert.equal(conversation.state.leafEventId, before[2]?.id);
    assert.deepEqual((await conversation.state.conversationHistory()).map(textOf), ['First', 'One.']);
    await conversation.sendMessage('Another way');
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual((await conversation.state.conversationHistory()).map(textOf), [
      'First',
      'One.',
      'Another way',
      'Three.',
    ]);
    assert.deepEqual(await conversation.events.slice(0, before.length), before);
    assert.equal((await conversation.events.leaves()).length, 2);
    assert.deepEqual(await conversation.events.branch(before.at(-1)?.id ?? ''), before);
  }),
  conversationCase('going back before the first event starts a new tree', async (bench) => {
    const { conversation } = await twoTurns(bench);
    await conversation.history.navigateTo(null);
    assert.deepEqual([conversation.state.leafEventId, conversation.state.headIsEmpty], [null, true]);
    await conversation.sendMessage('From the start');
    assert.deepEqual((await conversation.state.conversationHistory()).map(textOf), ['From the start']);
    assert.equal((await conversation.events.leaves()).length, 2);
  }),
  conversationCase('moving HEAD to an unknown event rejects UNKNOWN_EVENT and changes nothing', async (bench) => {
    const { conversation } = await twoTurns(bench);
    const head = conversation.state.leafEventId;
    await refuses('UNKNOWN_EVENT', 'navigateTo', conversation.history.navigateTo(bench.platform.id()));
    assert.equal(conversation.state.leafEventId, head);
  }),
  conversationCase('going back during a run rejects BUSY', async ({ make, patiently }) => {
    const { tool, started, release } = waitingTool();
    const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }];
    const { conversation } = await make({ turns, tools: [tool] });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await patiently('the call to start', started);
    await refuses('BUSY', 'navigateTo', conversation.history.navigateTo(null));
    release();
    assert.equal((await patiently('the run to end', running)).status, 'finished');
  }),
  conversationCase('P6: a reopened conversation is in the state in which it was closed', async (bench) => {
    const under = await twoTurns(bench);
    await under.conversation.settings.setTags({ team: 'a' });
    const before = plainState(under.conversation.state);
    const events = await under.conversation.events.slice();
    const conversation = await under.reopen();
    assert.deepEqual(plainState(conversation.state), before);
    assert.deepEqual(await conversation.events.slice(), events);
    await conversation.sendMessage('Third');
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase(
    'P6: the state at a commit is the same by replay, by number and after reopening, without a model',
    async (bench) => {
      const under = await twoTurns(bench);
      const asked = under.modelRequests();
      const replay = async ({ history }: ConversationUnderTest['conversation']): Promise<readonly unknown[]> => {
        const states: unknown[] = [];
        for await (const { commit, state } of history.replay()) states.push([commit?.seq, plainState(state)]);
        return states;
      };
      const before = await replay(under.conversation);
      assert.ok(before.length > 3, 'there are commits');
      const conversation = await under.reopen();
      assert.deepEqual((await replay(conversation)).slice(0, before.length), before);
      for (let seq = 1; seq <= before.length; seq++) {
        const { commit, state } = await conversation.history.at(toCommitSeq(seq));
        assert.deepEqual([commit?.seq, plainState(state)], before[seq - 1]);
      }
      assert.equal((await conversation.history.at(toCommitSeq(0))).commit, undefined);
      const { length } = await Array.fromAsync(conversation.history.commits());
      const beyond = await conversation.history.at(toCommitSeq(length + 9));
      assert.deepEqual([beyond.commit?.seq, plainState(beyond.state)], [length - 1, plainState(conversation.state)]);
      assert.equal(under.modelRequests(), asked);
    },
    commits,
  ),
  conversationCase(
    'the state at an event is the state after the commit that holds it',
    async (bench) => {
      const { conversation } = await twoTurns(bench);
      const { history, events } = conversation;
      for await (const { seq, firstEvent, events: held } of history.commits()) {
        const after = plainState((await history.at(toCommitSeq(seq + 1))).state);
        for (let event = firstEvent as number; event < firstEvent + held.length; event++) {
          const found = await history.at({ event });
          assert.deepEqual([found.commit?.seq, plainState(found.state)], [seq, after]);
        }
      }
      for (const event of [events.length, -1, 0.5, Number.NaN])
        await refuses('INVALID_INPUT', `the state at event ${event}`, history.at({ event }));
    },
    commits,
  ),
  conversationCase(
    'P5: a call that ran when its owner was killed gets a result on open and is never run again unasked',
    async (bench) => {
      const { under, calls } = await atWork(bench);
      const conversation = await killed(under);
      assert.deepEqual((await story(conversation, 2)).slice(0, 2), ['action', 'error']);
      assert.deepEqual(conversation.state.pendingActions, []);
      assert.equal(conversation.state.executionStatus, 'paused');
      assert.equal((await conversation.run()).status, 'finished');
      assert.equal(calls(), 1);
    },
    killedAtRest,
  ),
  conversationCase(
    'P5: a call that had not started when its owner was killed waits for approval on open',
    async (bench) => {
      const { under, calls } = await atWork(bench, [echo('b')]);
      const conversation = await killed(under);
      assert.deepEqual(
        conversation.state.pendingActions.map(({ tool_name }) => tool_name),
        ['echo'],
      );
      assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
      assert.equal((await conversation.run()).status, 'finished');
      assert.equal(calls(), 1);
    },
    killedAtRest,
  ),
  conversationCase(
    'P5: a run of a killed owner continues by itself, and calls that had started are not run again',
    async (bench) => {
      const { under, calls } = await atWork(bench);
      const conversation = await killed(under);
      await bench.patiently('the run to go on', finished(conversation));
      assert.deepEqual(await story(conversation, 2), ['action', 'error', 'agent']);
      assert.equal(calls(), 1);
    },
    killedAndKept,
  ),
  conversationCase(
    'P1: a message that was acknowledged during a call is there when its owner was killed',
    async (bench) => {
      const { under } = await atWork(bench);
      const sent = await under.conversation.sendMessage('Remember me');
      const conversation = await killed(under);
      assert.equal(textOf(await conversation.events.get(sent.id)), 'Remember me');
    },
    kill,
  ),
];

/** Makes a conversation with two answered messages, a call between them. The script has more text. */
async function twoTurns({ make }: ConversationBench): Promise<ConversationUnderTest> {
  const turns = [{ text: 'One.' }, { calls: [echo('a')] }, { text: 'Two.' }, { text: 'Three.' }];
  const under = await make({ turns, tools: [echoTool] });
  for (const message of ['First', 'Second']) {
    await under.conversation.sendMessage(message);
    await under.conversation.run();
  }
  assert.deepEqual(await story(under.conversation), ['system', 'user', 'agent', 'user', 'action', 'result', 'agent']);
  return under;
}

/**
 * Starts a run in a call that continues when it is aborted, with these calls after it. The script has one more answer.
 */
async function atWork(
  { make, patiently }: ConversationBench,
  behind: readonly ScriptedCall[] = [],
): Promise<{ readonly under: ConversationUnderTest; readonly calls: () => number }> {
  const { tool, started, calls } = waitingTool({ stubborn: true });
  const turns = [{ calls: [{ name: 'wait', arguments: {} }, ...behind] }, { text: 'Done.' }];
  const under = await make({ turns, tools: [tool, echoTool] });
  await under.conversation.sendMessage('Go');
  under.conversation.run().catch(() => {});
  await patiently('the call to start', started);
  return { under, calls };
}

function killed(under: ConversationUnderTest): Promise<ConversationUnderTest['conversation']> {
  assert.ok(under.kill, 'the harness announced kill');
  return under.kill();
}
