import assert from 'node:assert/strict';

import { z } from 'zod';

import { defineTool, type Tool, type ToolContext } from '@conv/core/tool';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationUnderTest,
} from './conversation-under-test.ts';
import { finished, story } from './expect-conversation.ts';
import type { ScriptedCall } from './model-script.ts';
import { waitingTool } from './waiting-tool.ts';

const WAIT: ScriptedCall = { name: 'wait', arguments: {} };

const ownToolCase = casesWhen(conversationCase, ({ ownTools }) => ownTools === true);

/** Tools that the agent is given as functions of the program which opens the conversation, wherever the agent runs. */
export const ownToolCases: readonly ConversationConformanceCase[] = [
  ownToolCase('P13: an own tool of the agent is executed by the program that gave it', async (bench) => {
    const { tool, contexts } = weather((city) => `sunny in ${city}`);
    const { conversation, read } = await made(bench, { calls: [forecast('Rome')] }, { ownTools: [tool] });
    assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'result', 'agent']);
    assert.deepEqual(read.map(reported), ['Rome']);
    const [context, ...others] = contexts;
    assert.deepEqual(others, [], 'the tool is called once');
    assert.equal(context?.conversationId, conversation.id);
    assert.equal(context?.workingDirectory, conversation.state.workspace.workingDir);
    const action = await conversation.events.at(2);
    assert.equal(context?.toolCallId, (action as { readonly tool_call_id?: string } | undefined)?.tool_call_id);
  }),
  ownToolCase('the model reads the error of an own tool, and the run continues', async (bench) => {
    const { tool } = weather(() => Promise.reject(new Error('no station there')));
    const { conversation, read } = await made(bench, { calls: [forecast('Rome')] }, { ownTools: [tool] });
    assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'finished');
    assert.match(read.join(), /no station there/);
  }),
  ownToolCase('each own call of one answer gets the result of its own arguments', async (bench) => {
    const { tool } = weather((city) => `sunny in ${city}`);
    const calls = ['Rome', 'Oslo', 'Lima'].map(forecast);
    const { conversation, read } = await made(bench, { calls }, { ownTools: [tool] });
    assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'finished');
    assert.deepEqual(read.map(reported), ['Rome', 'Oslo', 'Lima']);
  }),
  ownToolCase('P10: an own tool runs after its call was approved, and never when it was rejected', async (bench) => {
    const { tool, contexts } = weather((city) => `sunny in ${city}`);
    const { conversation, read } = await made(
      bench,
      { calls: [forecast('Rome'), forecast('Oslo')] },
      { ownTools: [tool], confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'waiting_for_confirmation');
    assert.equal(contexts.length, 0);
    const [rome, oslo] = conversation.state.pendingActions;
    assert.ok(rome && oslo);
    await conversation.reject([rome.id], 'not there');
    await conversation.approve([oslo.id]);
    assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'finished');
    assert.equal(contexts.length, 1);
    assert.deepEqual(read.map(reported), [undefined, 'Oslo']);
  }),
  ownToolCase('P7: an interruption aborts an own tool at work', async (bench) => {
    const aborted = Promise.withResolvers<void>();
    const { tool, begun } = weather((_, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(), { once: true });
      return new Promise<string>(() => {});
    });
    const { conversation } = await made(bench, { calls: [forecast('Rome')] }, { ownTools: [tool] });
    const running = conversation.run();
    await bench.patiently('the call to start', begun);
    await bench.patiently('the interruption', conversation.interrupt());
    assert.equal((await bench.patiently('the run to end', running)).status, 'paused');
    await bench.patiently('the tool to be aborted', aborted.promise);
    assert.deepEqual((await story(conversation, 2)).slice(0, 2), ['action', 'error']);
  }),
  ownToolCase(
    'P5: an own call that ran when its owner was killed has an unknown outcome and is not rerun',
    async (bench) => {
      const { tool, started, calls } = waitingTool({ stubborn: true });
      const { conversation, kill } = await made(bench, { calls: [WAIT] }, { ownTools: [tool] });
      assert.ok(kill, 'the harness can kill');
      conversation.run().catch(() => {});
      await bench.patiently('the call to start', started);
      const again = await kill();
      assert.deepEqual((await story(again, 2)).slice(0, 2), ['action', 'error']);
      const goesOn: Promise<unknown> = again.state.executionStatus === 'paused' ? again.run() : finished(again);
      await bench.patiently('the run to end', goesOn);
      assert.equal(again.state.executionStatus, 'finished');
      assert.equal(calls(), 1);
    },
    ({ kill }) => kill,
  ),
];

function forecast(city: string): ScriptedCall {
  return { name: 'weather', arguments: { city } };
}

/** Returns the city in the text of a result. */
function reported(result: string): string | undefined {
  return /sunny in (\w+)/.exec(result)?.[1];
}

interface Weather {
  readonly tool: Tool;
  /** The contexts of the calls, in their order. */
  readonly contexts: readonly ToolContext[];
  /** Resolves when the first call has begun. */
  readonly begun: Promise<void>;
}

function weather(report: (city: string, context: ToolContext) => string | Promise<string>): Weather {
  const begun = Promise.withResolvers<void>();
  const contexts: ToolContext[] = [];
  const tool = defineTool({
    name: 'weather',
    description: 'Reports the weather of a city.',
    input: z.object({ city: z.string() }),
    execute: ({ city }, context) => {
      contexts.push(context);
      begun.resolve();
      return report(city, context);
    },
  });
  return { tool, contexts, begun: begun.promise };
}

/** Makes a conversation whose model makes these calls and then ends. `read`: the results that the model reads. */
async function made(
  bench: ConversationBench,
  turn: { readonly calls: readonly ScriptedCall[] },
  more: Omit<ConversationScript, 'turns'>,
): Promise<ConversationUnderTest & { readonly read: readonly string[] }> {
  const read: string[] = [];
  const reads = (_: readonly string[], results: readonly string[]): void => void read.push(...results);
  const under = await bench.make({ turns: [turn, { text: 'I see.', reads }], ...more });
  await under.conversation.sendMessage('Go');
  return { ...under, read };
}
