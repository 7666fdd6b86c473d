// Another model in the middle of a conversation: it is stored, so it still holds after a restart. And models that stand in when
// one is overloaded.
import assert from 'node:assert/strict';

import { createAgent, createAgentFactory, withFallbacks } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { fail, say, type Script } from '@conv/testing-model-server';
import { TerminalVisualizer } from '@conv/visualize';

import { rehearse } from './support/rehearse.ts';

const script: Script = ({ model }) => (model === 'overloaded' ? fail(503) : say(`This is ${model}.`));
await using rehearsal = await rehearse(script);
const { modelNamed } = rehearsal;

const Conversation = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }), agents: createAgentFactory() })],
});
const where = { workspace: rehearsal.workspace, persistenceDir: rehearsal.conversations };

const first = await Conversation({
  ...where,
  agent: createAgent({ model: modelNamed('thorough') }),
  visualizer: TerminalVisualizer,
});
await first.sendMessage('Who are you?');
await first.run();
assert.equal(await first.finalResponse(), 'This is thorough.');

await first.settings.setModel(modelNamed('fast'));
await first.sendMessage('And now?');
await first.run();
assert.equal(await first.finalResponse(), 'This is fast.');
await first.close();

process.stdout.write('\nThe conversation is closed, and opened again.\n\n');

// As another process would: no agent and no model is given.
await using again = await Conversation({ ...where, id: first.id, visualizer: TerminalVisualizer });
await again.sendMessage('And after a restart?');
await again.run();
assert.equal(await again.finalResponse(), 'This is fast.');

await again.settings.setModel(withFallbacks(modelNamed('overloaded'), [modelNamed('standby')]));
await again.sendMessage('And when one fails?');
await again.run();
assert.equal(await again.finalResponse(), 'This is standby.');

const asked = rehearsal.server.requests.map(({ model }) => model);
assert.deepEqual(asked, ['thorough', 'fast', 'fast', 'overloaded', 'standby']);
