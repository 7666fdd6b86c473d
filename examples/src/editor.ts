// An editor session by script: the published client of the Agent Client Protocol in front of `conv acp`, as Zed starts it. A person
// allows an edit, the agent's process is killed, and the next editor loads all of the session.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { client, type ClientContext, ndJsonStream } from '@agentclientprotocol/sdk';
import { call, say } from '@conv/testing-model-server';

import { rehearse } from './support/rehearse.ts';

await using rehearsal = await rehearse([
  call('file_editor', { command: 'create', path: 'notes.txt', file_text: 'buy milk\n', security_risk: 'MEDIUM' }),
  say('Your note is written.'),
]);

const program = fileURLToPath(new URL('main.js', import.meta.resolve('@conv/cli')));
const { workspace: cwd, conversations, server } = rehearsal;
const environment = {
  ...process.env,
  LLM_MODEL: 'openai/scripted-model',
  LLM_API_KEY: 'none',
  LLM_BASE_URL: server.url,
};

/** Starts the agent as an editor does: a child process that speaks the protocol on its standard input and output. */
function startAgent(): ChildProcess {
  return spawn(process.execPath, [program, 'acp', '--store', `fs:${conversations}`], {
    cwd,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Connects an editor that writes what it shows into `shown`, and allows what it is asked. */
function connect({ stdin, stdout }: ChildProcess, shown: string[]): ClientContext {
  assert.ok(stdin && stdout);
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(stdout as Readable) as ReadableStream<Uint8Array>;
  const editor = client({ name: 'example' })
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate === 'tool_call') shown.push(`${update.kind}: ${update.title}`);
      if ('content' in update && !Array.isArray(update.content) && update.content?.type === 'text')
        shown.push(update.content.text);
    })
    .onRequest('session/request_permission', ({ params: { toolCall } }) => {
      process.stdout.write(`May I ${toolCall.title}? Yes.\n`);
      return { outcome: { outcome: 'selected', optionId: 'allow' } };
    });
  return editor.connect(ndJsonStream(output, input)).agent;
}

const first = startAgent();
const shown: string[] = [];
const agent = connect(first, shown);
await agent.request('initialize', { protocolVersion: 1 });
const { sessionId, modes } = await agent.request('session/new', { cwd, mcpServers: [] });
assert.equal(modes?.currentModeId, 'ask-risky');
const { stopReason } = await agent.request('session/prompt', {
  sessionId,
  prompt: [{ type: 'text', text: 'Note: buy milk' }],
});
assert.equal(stopReason, 'end_turn');
assert.equal(await readFile(`${cwd}/notes.txt`, 'utf8'), 'buy milk\n');
process.stdout.write(`${shown.join('\n')}\n\nThe agent is killed, and another editor loads the session.\n\n`);
first.kill('SIGKILL');
await once(first, 'exit');

const second = startAgent();
const loaded: string[] = [];
const next = connect(second, loaded);
await next.request('initialize', { protocolVersion: 1 });
await next.request('session/load', { sessionId, cwd, mcpServers: [] });
process.stdout.write(`${loaded.join('\n')}\n`);
assert.deepEqual(loaded, ['Note: buy milk', ...shown]);
second.stdin?.end();
await once(second, 'exit');
