// An answer that a program reads: the agent ends with an object of your schema, and corrects an object that does not
// fit.
import assert from 'node:assert/strict';

import { createAgent, responseOf } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, say } from '@conv/testing-model-server';
import { TerminalVisualizer } from '@conv/visualize';
import { z } from 'zod';

import { rehearse } from './support/rehearse.ts';

const Invoice = z.object({
  number: z.string().describe('As it is printed, such as 2026-117.'),
  total: z.number().positive().describe('In euros.'),
  items: z.array(z.object({ name: z.string(), price: z.number() })).min(1),
});

await using rehearsal = await rehearse([
  say('It is invoice 2026-117 about 12.50 euros.'), // words alone: it is asked to call finish
  call('finish', { number: '2026-117', total: '12,50 €', items: [] }), // does not fit: it is told what is wrong
  call('finish', { number: '2026-117', total: 12.5, items: [{ name: 'Tea', price: 12.5 }] }),
]);

const Conversation = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })],
});
await using conversation = await Conversation({
  agent: createAgent({ model: rehearsal.model, responseSchema: Invoice }),
  workspace: rehearsal.workspace,
  persistenceDir: rehearsal.conversations,
  visualizer: TerminalVisualizer,
});

await conversation.sendMessage('Invoice 2026-117. Tea 12.50 EUR. Total 12.50 EUR.');
await conversation.run();

// `invoice` has the type that the schema says.
const invoice = await responseOf(conversation, Invoice);
assert.equal(invoice?.total, 12.5);
assert.deepEqual(invoice?.items, [{ name: 'Tea', price: 12.5 }]);

const events = await conversation.events.slice();
const [refusal] = events.filter((event) => isEvent(event, 'AgentErrorEvent'));
assert.match(String(refusal?.error), /total: must be a number/);
assert.match(String(refusal?.error), /items: must have at least 1 items/);
