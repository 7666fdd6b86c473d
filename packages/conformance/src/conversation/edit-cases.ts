import assert from 'node:assert/strict';

import { contentParts, isEvent, joinedText } from '@conv/core/events';
import { eventsToMessages } from '@conv/openhands/messages';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
  type ConversationUnderTest,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, story } from './expect-conversation.ts';

const editCase = casesWhen(conversationCase, ({ edits }) => edits === true);

/** Cases about approvals with edited arguments. */
export const editCases: readonly ConversationConformanceCase[] = [
  editCase('P3: an edited call is rejected and runs once with its new arguments, in one approval', async (bench) => {
    const { conversation } = await waiting(bench);
    const [first, second] = conversation.state.pendingActions;
    assert.ok(first && second);
    await conversation.approve([first.id], { edits: { [first.id]: { text: 'edited' } } });
    assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'action', 'reject']);
    const [edited, rejection] = await conversation.events.slice(4);
    assert.ok(edited && isEvent(edited, 'ActionEvent') && rejection && isEvent(rejection, 'UserRejectObservation'));
    assert.equal(rejection.action_id, first.id);
    assert.ok(rejection.rejection_reason?.includes(edited.tool_call_id), 'the rejection names the call that runs');
    assert.deepEqual(
      [edited.llm_response_id, JSON.parse(edited.tool_call.arguments), conversation.state.calls[edited.id]],
      [first.llm_response_id, { text: 'edited' }, 'approved'],
    );
    await conversation.approve([second.id]);
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(await results(conversation), [
      ['b', second.id],
      ['edited', edited.id],
    ]);
  }),
  editCase(
    'P5: providers get an edited call in the message of the call that it replaces, with all results',
    async (bench) => {
      const { conversation } = await waiting(bench);
      const [first] = conversation.state.pendingActions;
      assert.ok(first);
      await conversation.approve(undefined, { edits: { [first.id]: { text: 'edited' } } });
      assert.equal((await conversation.run()).status, 'finished');
      const [calling, ...answers] = eventsToMessages(await conversation.events.slice(2));
      assert.equal(calling?.tool_calls?.length, 3);
      assert.deepEqual(
        answers.slice(0, 3).map(({ tool_call_id: id }) => id),
        calling.tool_calls.map(({ id }) => id),
      );
      assert.equal(answers[3]?.role, 'assistant');
    },
  ),
  editCase('edited arguments that the tool does not take are refused by name, and nothing changes', async (bench) => {
    const { conversation } = await waiting(bench);
    const [first, second] = conversation.state.pendingActions;
    assert.ok(first && second);
    for (const [args, name] of [
      [{ text: 5 }, 'text'],
      [{ text: 'x', txet: 'y' }, 'txet'],
      [{}, 'text'],
    ] as const) {
      const error = await refuses(
        'INVALID_INPUT',
        'approve',
        conversation.approve(undefined, { edits: { [first.id]: args } }),
      );
      assert.ok(error.message.includes(name) && error.message.includes(first.id), error.message);
    }
    const other = conversation.approve([second.id], { edits: { [first.id]: { text: 'x' } } });
    await refuses('INVALID_INPUT', 'approve', other);
    const id = bench.platform.id();
    await refuses('UNKNOWN_ACTION', 'approve', conversation.approve(undefined, { edits: { [id]: { text: 'x' } } }));
    assert.deepEqual(await story(conversation, 2), ['action', 'action']);
    assert.deepEqual(conversation.state.calls, {});
  }),
  editCase('P3: an edited call that was approved before a restart runs once after it', async (bench) => {
    const under = await waiting(bench);
    const [first] = under.conversation.state.pendingActions;
    assert.ok(first);
    await under.conversation.approve(undefined, { edits: { [first.id]: { text: 'edited' } } });
    const conversation = await under.reopen();
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual((await results(conversation)).map(([text]) => text).toSorted(), ['b', 'edited']);
  }),
  conversationCase(
    'edits are refused with UNSUPPORTED where calls cannot be edited, and nothing is approved',
    async (bench) => {
      const { conversation } = await waiting(bench);
      const [first] = conversation.state.pendingActions;
      const edits = { [first?.id ?? '']: { text: 'edited' } };
      await refuses('UNSUPPORTED', 'approve', conversation.approve(undefined, { edits }));
      assert.deepEqual(await story(conversation, 2), ['action', 'action']);
      assert.deepEqual(conversation.state.calls, {});
    },
    ({ edits }) => edits !== true,
  ),
];

/** Makes a conversation that waits for approval of two calls. */
async function waiting({ make }: ConversationBench): Promise<ConversationUnderTest> {
  const turns = [{ calls: [echo('a'), echo('b')] }, { text: 'Done.' }];
  const under = await make({ turns, tools: [echoTool], confirmationPolicy: { kind: 'AlwaysConfirm' } });
  await under.conversation.sendMessage('Go');
  assert.equal((await under.conversation.run()).status, 'waiting_for_confirmation');
  return under;
}

/** Resolves with the outputs of the tools, each with the id of its action. */
async function results({
  events,
}: ConversationUnderTest['conversation']): Promise<readonly (readonly [string, string])[]> {
  return (await events.slice()).flatMap((event) =>
    isEvent(event, 'ObservationEvent')
      ? [[joinedText(contentParts(event.observation).slice(-1)), event.action_id] as const]
      : [],
  );
}
