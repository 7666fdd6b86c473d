import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { askUser } from '@conv/openhands/client-tools';
import { FsStore } from '@conv/persist-fs';
import { call, createModelServer, say } from '@conv/testing-model-server';
import { mcpServers, type McpServerConfig } from '@conv/tools';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { newFolder, removeFolders } from './new-folder.ts';

const SUPPORT = join(import.meta.dirname, '../../../packages/tools/test/mcp/support');
const ANSWER = '{"name":"Ann"}';

afterAll(removeFolders);

function start(program: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Returns the first line that a process prints. */
async function lineOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the process has no output');
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
  return line;
}

const stdio = async (): Promise<McpServerConfig> => ({
  command: process.execPath,
  args: [join(SUPPORT, 'stdio-server.ts')],
});
const http = async (): Promise<McpServerConfig> => ({ url: await lineOf(start(join(SUPPORT, 'http-process.ts'))) });

test.each([
  ['of a process is kept, and the model reads it beside a call of unknown outcome', stdio, 'outcome is unknown'],
  [
    'reaches a server of 2026-07-28, whose call goes on',
    http,
    'heard {\\"action\\":\\"accept\\",\\"content\\":{\\"name\\":\\"Ann\\"',
  ],
] as const)('P5: the answer to a question %s, after a kill', async (_, server, outcome) => {
  const model = await createModelServer({ script: [call('ask', {}), say('Ordered.')] });
  onTestFinished(() => model.close());
  const folder = newFolder();
  const [workspace, persistenceDir] = [join(folder, 'project'), join(folder, 'conversations')];
  mkdirSync(workspace);
  const servers = { shop: await server() };
  const child = start(
    join(import.meta.dirname, 'asking-process.ts'),
    workspace,
    persistenceDir,
    model.url,
    JSON.stringify(servers),
  );
  const [id = '', question = ''] = (await lineOf(child)).split(' ');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const make = createConversationFactory({ runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })] });
  const agent = createAgent({
    model: openaiCompatible('scripted-model', { baseUrl: model.url }),
    tools: [mcpServers(servers)],
  });
  await using conversation = await make({
    id,
    create: 'never',
    workspace,
    persistenceDir,
    agent,
    clientTools: [askUser],
  });
  expect(conversation.state.calls[question]).toBe('started');
  const running = conversation.run();
  await conversation.answerCall(question, { content: ANSWER });
  expect((await running).status).toBe('finished');
  const results = (await conversation.events.slice()).filter(
    (event) => isEvent(event, 'ObservationEvent') || isEvent(event, 'AgentErrorEvent'),
  );
  expect(JSON.stringify(results).replaceAll('\\\\"', '\\"')).toContain(outcome);
  expect(results.filter(({ tool_name: name }) => name === 'ask_user')).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Ann');
  expect(model.violations).toEqual([]);
});
