// A conversation that is longer than what a model reads: its older part becomes a summary for the model, and stays in the log.
import assert from 'node:assert/strict';

import { createAgent, llmSummarizingCondenser } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { say, type Script } from '@conv/testing-model-server';
import { TerminalVisualizer } from '@conv/visualize';

import { rehearse } from './support/rehearse.ts';

const ROUNDS = 12;

// A request without tools asks for a summary.
const script: Script = ({ tools }) =>
  tools.length === 0 ? say('The user counts, and wants to hear “yes”.') : say('Yes.');
await using rehearsal = await rehearse(script);

const Conversation = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })],
});
await using conversation = await Conversation({
  // By default a summary is due at 80 events, or when the model's context window is nearly full.
  agent: createAgent({ model: rehearsal.model, condenser: llmSummarizingCondenser({ maxSize: 10, keepFirst: 2 }) }),
  workspace: rehearsal.workspace,
  persistenceDir: rehearsal.conversations,
  visualizer: TerminalVisualizer,
});

for (let number = 1; number <= ROUNDS; number++) {
  await conversation.sendMessage(`${number}?`);
  await conversation.run();
}

const events = await conversation.events.slice();
const condensations = events.filter((event) => isEvent(event, 'Condensation'));
assert.ok(condensations.length >= 2, 'it happened by itself, more than once');

// Nothing is lost: every message is in the log, and can be read, forked from or gone back to.
const said = events.filter((event) => isEvent(event, 'MessageEvent') && event.source === 'user');
assert.equal(said.length, ROUNDS);

// The model reads the beginning, the summary and the latest part; no request ever grew beyond the limit.
const longest = Math.max(...rehearsal.server.requests.map(({ messages }) => messages.length));
assert.ok(longest <= 10 + 1, `the longest request had ${longest} messages`);
assert.match(JSON.stringify(rehearsal.server.requests.at(-1)?.messages), /The user counts/);

// A summary can be requested, too.
await conversation.history.condense();
await conversation.sendMessage('And now?');
await conversation.run();
const shortest = rehearsal.server.requests.at(-1)?.messages.length ?? Infinity;
assert.ok(shortest < 6, `the request behind it had ${shortest} messages`);
