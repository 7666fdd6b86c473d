import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, test } from 'vitest';

import { startServer } from '../agent-server.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

const TASK = 'delegate please `echo begun; until [ -e go ]; do sleep 0.1; done`';

/** Waits for the lines of a sub-agent that works until the file `go` is in its folder. */
async function followed(terminal: ChatTerminal, workspace: string): Promise<void> {
  await terminal.until('ready');
  await terminal.ask(TASK, '↳ general-purpose · a small look begins');
  await terminal.until('↳ general-purpose · a small look: terminal echo begun', 'screen');
  writeFileSync(join(workspace, 'go'), '');
  await terminal.until(/^↳ general-purpose · a small look: finished, 2 steps/m);
  await terminal.until('It printed: Task ID');
  await terminal.until('ready', 'screen');
  // the steps were shown below the log, where nothing of them stays: the last is gone when the next picture is drawn
  await terminal.until(/^(?:[^↳]*↳){2}[^↳]*$/);
}

test('a sub-agent is a line when it begins, its last step while it works, and a line when it ends', async () => {
  const cwd = newFolder();
  await using terminal = new ChatTerminal({ cwd, env: environmentOf(model) }, 'chat', ...tools, '--policy', 'never');
  await followed(terminal, cwd);
});

test('a sub-agent on a server is shown in the same way', async () => {
  const server = await startServer(newFolder());
  const workspace = newFolder();
  const where = { cwd: newFolder(), env: { ...environmentOf(model), ...server.env } };
  const place = ['--server', server.url, '--workspace', workspace];
  await using terminal = new ChatTerminal(where, 'chat', ...place, ...tools, '--policy', 'never');
  await followed(terminal, workspace);
});

test('P10: the chat names waiting calls of a sub-agent with the command to decide on them', async () => {
  const cwd = newFolder();
  await using terminal = new ChatTerminal({ cwd, env: environmentOf(model) }, 'chat', ...tools, '--policy', 'risky');
  await terminal.until('ready');
  await terminal.ask(
    'delegate please `touch made` risk HIGH',
    /its calls wait for you; decide with: conv chat\s+[0-9a-f-]{36}/,
  );
});

const tools = ['--tools', 'terminal,task'];
