import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { HarnessAgent } from '@ai-sdk/harness/agent';
import { createACP } from '@ai-sdk/harness-acp';
import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { chatModel, environmentOf } from '../chat/model.ts';
import { commandOf, conv, untilThere } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { localSandbox, programIn } from './local-sandbox.ts';

/** The folder in which the harness installs its bridge, for all runs. */
const INSTALLED = fileURLToPath(new URL('../../../../.cache/harness-acp', import.meta.url));

let model: ModelServer;
let programs: string;
beforeAll(async () => {
  model = await chatModel();
  // the bridge has a lock file of its own, and belongs to no workspace
  const { packageManager } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    packageManager: string;
  };
  programs = await programIn(join(INSTALLED, 'bin'), 'pnpm', `exec npx -y ${packageManager} --ignore-workspace "$@"`);
});
afterAll(() => model.close());

/** The published client of the AI SDK with a session of `conv acp`, in a sandbox on this machine. */
async function opened(permissionMode: 'allow-all' | 'allow-reads' = 'allow-all') {
  const cwd = newFolder();
  const { file, args, env } = commandOf('acp', '--sandbox', 'off', '--store', `fs:${join(cwd, 'conversations')}`);
  const harness = createACP({
    harnessId: 'conv',
    source: {
      type: 'install-command',
      command: `printf '#!/bin/sh\\nexec "$CONV_NODE" "$CONV_PROGRAM" "$@"\\n' > "$HOME/.local/bin/conv" && chmod +x "$HOME/.local/bin/conv"`,
    },
    executable: 'conv',
    args: args.slice(1),
    env: { ...env, ...environmentOf(model), CONV_NODE: file, CONV_PROGRAM: String(args[0]) },
    modelMapping: { type: 'session-config-option', path: 'model' },
  });
  const agent = new HarnessAgent({ harness, permissionMode, sandbox: localSandbox(INSTALLED, programs) });
  const session = await agent.createSession();
  onTestFinished(() => session.destroy());
  return { agent, session, cwd };
}

test('the harness of the AI SDK gets a text, and the log has it', async () => {
  const { agent, session, cwd } = await opened();
  const { text } = await agent.generate({ session, prompt: 'hello' });
  expect(text).toBe('You said: hello');
  const { stdout } = await conv(
    { cwd, env: environmentOf(model) },
    'list',
    '--store',
    `fs:${join(cwd, 'conversations')}`,
  );
  expect(stdout).toContain('hello');
});

test('the harness runs a tool, streams the answer, and tells the call with its result', async () => {
  const { agent, session } = await opened();
  const { stream } = await agent.stream({ session, prompt: 'please `echo out` risk LOW' });
  const parts = await Array.fromAsync(stream);
  const texts = parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : []));
  expect(texts.join('')).toBe('It printed: out');
  expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
  expect(JSON.stringify(parts.find(({ type }) => type === 'tool-result'))).toContain('out');
});

test.each([true, false])('P10: a person is asked by it, and decides: %s', async (approved) => {
  const { agent, session, cwd } = await opened('allow-reads');
  const done = join(cwd, 'done');
  const asked = await agent.generate({ session, prompt: `please \`touch ${done}\` risk HIGH` });
  const request = asked.content.find((part) => part.type === 'tool-approval-request');
  expect(request).toBeDefined();
  expect(existsSync(done)).toBe(false);
  const messages: Parameters<typeof agent.generate>[0]['messages'] = [
    ...asked.responseMessages,
    {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: String(request?.approvalId), approved }],
    },
  ];
  await agent.generate({ session, messages });
  expect(existsSync(done)).toBe(approved);
});

test('the harness is told of a failed run', async () => {
  await model.close();
  const { agent, session } = await opened();
  await expect(agent.generate({ session, prompt: 'hello' })).rejects.toThrow('Cannot connect to API');
  model = await chatModel();
});

test('the harness cancels a run, and goes on in the same session', async () => {
  const { agent, session, cwd } = await opened();
  const begun = join(cwd, 'begun');
  const left = new AbortController();
  const turn = agent.generate({ session, prompt: `please \`touch ${begun}; sleep 600\``, abortSignal: left.signal });
  await untilThere(begun);
  left.abort();
  await expect(turn).rejects.toThrow('This operation was aborted');
  expect((await agent.generate({ session, prompt: 'hello' })).text).toBe('You said: hello');
});
