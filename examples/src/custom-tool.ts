// A tool of your own is a function with a schema. The model reads what it returns, and why it failed.
import assert from 'node:assert/strict';

import { createAgent } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { defineTool, ToolError } from '@conv/core/tool';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, say } from '@conv/testing-model-server';
import { TerminalVisualizer } from '@conv/visualize';
import { z } from 'zod';

import { rehearse } from './support/rehearse.ts';

const stock = new Map([
  ['apple', 3],
  ['pear', 0],
]);

const countStock = defineTool({
  name: 'count_stock',
  description: 'Says how many pieces of a fruit are in stock.',
  input: z.object({ fruit: z.string().describe('In the singular.') }),
  output: z.object({ fruit: z.string(), pieces: z.number() }),
  annotations: { readOnly: true },
  execute: ({ fruit }) => {
    const pieces = stock.get(fruit);
    // The model reads the message of a failure, so it says what would have worked.
    if (pieces === undefined)
      throw new ToolError('FAILED', `there is no ${fruit}; there are ${[...stock.keys()].join(', ')}`);
    return { fruit, pieces };
  },
});

await using rehearsal = await rehearse([
  call('count_stock', { fruit: 'apples' }),
  call('count_stock', { fruit: 'apple' }),
  say('There are 3 apples left.'),
]);

const Conversation = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })],
});
await using conversation = await Conversation({
  agent: createAgent({ model: rehearsal.model, tools: [countStock] }),
  workspace: rehearsal.workspace,
  persistenceDir: rehearsal.conversations,
  visualizer: TerminalVisualizer,
});

await conversation.sendMessage('How many apples are left?');
const { status } = await conversation.run();

const events = await conversation.events.slice();
const [failure] = events.filter((event) => isEvent(event, 'AgentErrorEvent'));
const [result] = events.filter((event) => isEvent(event, 'ObservationEvent'));
assert.equal(status, 'finished');
assert.match(String(failure?.error), /there is no apples; there are apple, pear/);
assert.match(JSON.stringify(result?.observation), /pieces.*3/);
assert.equal(await conversation.finalResponse(), 'There are 3 apples left.');
