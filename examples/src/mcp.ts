// Tools of an MCP server: the official filesystem server, as a process of its own. A conversation that is opened again has
// them again, because its agent is stored with it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { createAgent, createAgentFactory } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, say } from '@conv/testing-model-server';
import { mcpServers } from '@conv/tools';
import { TerminalVisualizer } from '@conv/visualize';

import { rehearse } from './support/rehearse.ts';

await using rehearsal = await rehearse([
  call('list_directory', { path: '.' }),
  call('read_text_file', { path: 'haiku.txt' }),
  say('It is about a frog.'),
  call('write_file', { path: 'answer.txt', content: 'a frog' }),
  say('Written.'),
]);
await writeFile(`${rehearsal.workspace}/haiku.txt`, 'old pond\nfrog leaps in\nwater’s sound\n');

// In your project: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }
const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const servers = mcpServers({ files: { command: process.execPath, args: [program, '.'] } });

const Conversation = createConversationFactory({
  runtimes: [
    local({
      storeAt: (directory) => new FsStore({ directory }),
      // Builds stored agents again.
      agents: createAgentFactory({ mcp: mcpServers, model: () => rehearsal.model }),
    }),
  ],
});
const where = { workspace: rehearsal.workspace, persistenceDir: rehearsal.conversations };

const first = await Conversation({
  ...where,
  agent: createAgent({ model: rehearsal.model, tools: [servers] }),
  visualizer: TerminalVisualizer,
});
await first.sendMessage('What is the haiku in this folder about?');
await first.run();
const results = (await first.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
assert.match(JSON.stringify(results[0]?.observation), /haiku\.txt/);
assert.match(JSON.stringify(results[1]?.observation), /frog leaps in/);
await first.close();

process.stdout.write('\nThe conversation is closed, and opened again.\n\n');

// As another process would: no agent is given.
await using again = await Conversation({ ...where, id: first.id, visualizer: TerminalVisualizer });
await again.sendMessage('Write that into answer.txt.');
await again.run();
assert.equal(await again.finalResponse(), 'Written.');
assert.match(JSON.stringify(await again.events.at(-2)), /Successfully wrote/);
