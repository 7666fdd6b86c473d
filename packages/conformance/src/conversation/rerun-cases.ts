import assert from 'node:assert/strict';

import { z } from 'zod';

import type { Conversation, RerunResult } from '@conv/core';
import { isText } from '@conv/core/events';
import { defineTool, type Tool } from '@conv/core/tool';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, story } from './expect-conversation.ts';
import type { ScriptedCall } from './model-script.ts';
import { waitingTool } from './waiting-tool.ts';

const rerunCase = casesWhen(conversationCase, ({ rerunActions }) => rerunActions === true);

/** Cases about stored calls that are rerun. */
export const rerunCases: readonly ConversationConformanceCase[] = [
  rerunCase('calls are rerun in their order, and neither the log nor the status knows of it', async (bench) => {
    const { tool, counted } = countingTool();
    const { conversation } = await lived(bench, [count('a'), count('b')], [tool]);
    const before = [await story(conversation), conversation.state.executionStatus, conversation.state.leafEventId];
    const again = await Array.fromAsync(conversation.history.rerunActions());
    assert.deepEqual(counted, ['a', 'b', 'a', 'b']);
    assert.deepEqual(again.map(textIn), ['count 3', 'count 4']);
    assert.deepEqual(
      again.map(({ action, failed }) => [action.tool_name, failed]),
      [
        ['count', false],
        ['count', false],
      ],
    );
    const after = [await story(conversation), conversation.state.executionStatus, conversation.state.leafEventId];
    assert.deepEqual(after, before);
  }),
  rerunCase('each call is rerun when its result is requested', async (bench) => {
    const { tool, counted } = countingTool();
    const { conversation } = await lived(bench, [count('a'), count('b')], [tool]);
    for await (const { action } of conversation.history.rerunActions()) {
      assert.equal(action.tool_name, 'count');
      break;
    }
    assert.deepEqual(counted, ['a', 'b', 'a']);
  }),
  rerunCase('the first call that fails is the last', async (bench) => {
    const { tool, counted, fail } = countingTool();
    const { conversation } = await lived(bench, [count('a'), count('b'), count('c')], [tool]);
    fail('b');
    const again = await Array.fromAsync(conversation.history.rerunActions());
    assert.deepEqual(
      again.map(({ failed, result }) => [failed, result.kind]),
      [
        [false, 'ObservationEvent'],
        [true, 'AgentErrorEvent'],
      ],
    );
    assert.deepEqual(counted.slice(3), ['a', 'b']);
  }),
  rerunCase('calls that failed, were rejected or wait are not rerun', async (bench) => {
    const calls = [echo('fail'), echo('said')];
    const turns = [{ calls }, { text: 'Done.' }, { calls: [echo('no')] }, { calls: [echo('later')] }];
    const { conversation } = await bench.make({ turns, tools: [echoTool] });
    await conversation.sendMessage('Go');
    await bench.patiently('the run to end', conversation.run());
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    await conversation.sendMessage('Go on');
    await bench.patiently('the run to wait', conversation.run());
    await conversation.reject();
    await bench.patiently('the run to wait', conversation.run());
    assert.equal(conversation.state.pendingActions.length, 1);
    const again = await Array.fromAsync(conversation.history.rerunActions());
    assert.deepEqual(again.map(textIn), ['said']);
    assert.equal(conversation.state.pendingActions.length, 1);
  }),
  rerunCase('calls of a branch that HEAD left are not rerun', async (bench) => {
    const turns = [{ calls: [echo('left')] }, { text: 'Done.' }, { calls: [echo('live')] }, { text: 'Done.' }];
    const { conversation } = await bench.make({ turns, tools: [echoTool] });
    const { id } = await conversation.sendMessage('Go');
    await bench.patiently('the run to end', conversation.run());
    await conversation.history.navigateTo(id);
    await bench.patiently('the run to end', conversation.run());
    const again = await Array.fromAsync(conversation.history.rerunActions());
    assert.deepEqual(again.map(textIn), ['live']);
  }),
  rerunCase('no call is rerun while a run is at work', async (bench) => {
    const { tool, started, release } = waitingTool();
    const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }];
    const { conversation } = await bench.make({ turns, tools: [tool] });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await bench.patiently('the call to start', started);
    await refuses('BUSY', 'making calls again', Array.fromAsync(conversation.history.rerunActions()));
    release();
    assert.equal((await bench.patiently('the run to end', running)).status, 'finished');
  }),
  rerunCase('P7: a signal and an interruption end the call that is being rerun', async (bench) => {
    const { tool, counted, holdUp } = countingTool();
    const { conversation } = await lived(bench, [count('a'), count('b')], [tool]);
    for (const end of ['signal', 'interrupt']) {
      const held = holdUp();
      const controller = new AbortController();
      const rerun = Array.fromAsync(conversation.history.rerunActions({ signal: controller.signal }));
      await bench.patiently('the call to be held up', held);
      if (end === 'signal') controller.abort(new Error('enough'));
      else await conversation.interrupt();
      const error = await bench.patiently(
        'the calls to end',
        rerun.then(() => assert.fail('it went on'), only),
      );
      if (end === 'signal') assert.equal(error, controller.signal.reason);
    }
    assert.deepEqual(counted, ['a', 'b', 'a', 'a']);
    assert.deepEqual((await story(conversation)).slice(-1), ['agent']);
  }),
];

function only(error: unknown): unknown {
  return error;
}

/** Makes a conversation whose model made these calls, one after the other. */
async function lived(
  { make, patiently }: ConversationBench,
  calls: readonly ScriptedCall[],
  tools: readonly Tool[],
): Promise<{ readonly conversation: Conversation }> {
  const turns = [...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }];
  const { conversation } = await make({ turns, tools });
  await conversation.sendMessage('Go');
  await patiently('the run to end', conversation.run());
  return { conversation };
}

interface CountingTool {
  readonly tool: Tool;
  /** The names that the calls were given, in their order. */
  readonly counted: readonly string[];
  /** Makes later calls with this name fail. */
  readonly fail: (name: string) => void;
  /** Makes later calls never end. Resolves when the next call has begun. */
  readonly holdUp: () => Promise<void>;
}

/** Makes a tool named `count` that says how often it was called. */
function countingTool(): CountingTool {
  const counted: string[] = [];
  const failing = new Set<string>();
  let held: PromiseWithResolvers<void> | undefined;
  const tool = defineTool({
    name: 'count',
    description: 'Counts its calls.',
    input: z.object({ name: z.string() }),
    execute: async ({ name }) => {
      counted.push(name);
      if (failing.has(name)) throw new Error(`${name} fails now`);
      if (held) {
        held.resolve();
        await new Promise(() => {});
      }
      return `count ${counted.length}`;
    },
  });
  return {
    tool,
    counted,
    fail: (name) => void failing.add(name),
    holdUp: () => (held = Promise.withResolvers<void>()).promise,
  };
}

function count(name: string): ScriptedCall {
  return { name: 'count', arguments: { name } };
}

/** Returns the text of a tool's result: the last text part, because the wire format may put others in front of it. */
function textIn({ result }: RerunResult): string {
  if (result.kind !== 'ObservationEvent') return result.kind;
  const { content = [] } = result.observation;
  return (content.filter(isText).at(-1) ?? assert.fail('no text')).text;
}
