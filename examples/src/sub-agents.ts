// Helpers: an agent gives tasks to others, two at the same time, and asks one of them again later. Each task is a conversation of
// its own, which is stored like any other.
import assert from 'node:assert/strict';

import { type AgentDefinition, createAgent, delegateTool, taskTool } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { defineTool } from '@conv/core/tool';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, lastUserText, say, type Script, toolResults } from '@conv/testing-model-server';
import { TerminalVisualizer } from '@conv/visualize';
import { z } from 'zod';

import { rehearse } from './support/rehearse.ts';

const reports = { march: 'Sales: 206 (February: 200).', april: 'Sales: 190 (March: 206).' };
const bothBegan = Promise.withResolvers<void>();
let begun = 0;

const readReport = defineTool({
  name: 'read_report',
  description: 'Reads the report of a month.',
  input: z.object({ month: z.enum(['march', 'april']) }),
  annotations: { readOnly: true },
  execute: async ({ month }) => {
    begun += 1;
    if (begun === 2) bothBegan.resolve();
    // Neither is done before the other one has begun: that they work side by side is one of the claims.
    await bothBegan.promise;
    return reports[month];
  },
});

const reader: AgentDefinition = {
  name: 'reader',
  description: 'Reads one report and says what matters in it.',
  systemPrompt: 'Answer in one sentence.',
  tools: ['read_report'],
  maxIterations: 5,
};

const script: Script = (request) => {
  const task = lastUserText(request);
  const results = toolResults(request, 'since-last-user-message').map(({ text }) => text);
  const [, month] = /report of (\w+)/.exec(task) ?? [];
  if (month !== undefined) {
    if (results.length === 0) return call('read_report', { month });
    return say(month === 'march' ? 'Sales rose.' : 'Sales fell.');
  }
  if (task === 'By how much?') return say('By 3 percent.');
  const tasks = ['march', 'april'].map((name) => ({ prompt: `Read the report of ${name}.`, subagent_type: 'reader' }));
  if (results.length === 0) return call('delegate', { tasks });
  // The helper of the first task still knows the report.
  const [, resume] = /Task ID: (\S+)/.exec(results[0] ?? '') ?? [];
  if (results.length === 1) return call('task', { prompt: 'By how much?', resume, subagent_type: 'reader' });
  return say('Sales rose by 3 percent in March and fell in April.');
};
await using rehearsal = await rehearse(script);

const store = new FsStore({ directory: rehearsal.conversations });
const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
const sources = { agents: [reader] };
await using conversation = await Conversation({
  agent: createAgent({ model: rehearsal.model, tools: [readReport, taskTool(sources), delegateTool(sources)] }),
  workspace: rehearsal.workspace,
  store,
  visualizer: TerminalVisualizer,
});

await conversation.sendMessage('How did sales do in March and April?');
await conversation.run();
assert.equal(await conversation.finalResponse(), 'Sales rose by 3 percent in March and fell in April.');

// The agent reads the answers of its helpers, in the order of the tasks. Their other events are in their own
// conversations alone.
const results = (await conversation.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
assert.deepEqual(
  results.map(({ tool_name }) => tool_name),
  ['delegate', 'task'],
);
assert.match(JSON.stringify(results[0]?.observation), /Sales rose\..*Sales fell\./);
assert.match(JSON.stringify(results[1]?.observation), /By 3 percent/);

// Two helpers, one of them asked twice; they belong to this conversation, and it counts what they cost.
const { items } = await store.list({});
const helpers = items.filter(({ parentId }) => parentId === conversation.id);
assert.equal(helpers.length, 2);
const counted = Object.keys(conversation.state.stats).filter((usage) => usage.startsWith('task:'));
assert.deepEqual(counted.toSorted(), helpers.map(({ id }) => `task:${id}`).toSorted());
