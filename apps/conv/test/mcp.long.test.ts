import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createAgent, createAgentFactory, openaiCompatible } from '@conv/agent';
import { createConversationFactory, type Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local, type LocalConversationOptions } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault } from '@conv/secrets';
import { call, createModelServer, type ModelServer, say, type Script, toolResults } from '@conv/testing-model-server';
import { mcpServers } from '@conv/tools';
import { expect, onTestFinished, test } from 'vitest';

import { filesWith } from '@conv/testing-harness';
import { conv, onlyId } from './command.ts';
import { newFolder } from './new-folder.ts';

const VALUE = 'tok_4f9c1e77aa02bd31';
const PACKAGES = join(import.meta.dirname, '../../../node_modules');
const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

async function serve(script: Script): Promise<ModelServer> {
  const server = await createModelServer({ script });
  onTestFinished(() => server.close());
  return server;
}

/** A conversation in `folder`, closed at the end of the test. Without an agent the stored one is built again. */
async function open(folder: string, options: LocalConversationOptions): Promise<Conversation> {
  const runtime = local({
    storeAt: (directory) => new FsStore({ directory }),
    agents: createAgentFactory({ mcp: mcpServers }),
    secrets: createSecretVault,
  });
  const make = createConversationFactory({ runtimes: [runtime] });
  const conversation = await make({
    ...options,
    workspace: join(folder, 'project'),
    persistenceDir: join(folder, 'conversations'),
  });
  onTestFinished(() => conversation.close());
  return conversation;
}

test('P9: tools of a real MCP server get secrets that nothing shows or stores, by the stored agent too', async () => {
  const server = await serve([
    call('echo', { message: 'for $DEPLOY_TOKEN' }),
    call('get-tiny-image', {}),
    call('get-env', {}),
    say('All done.'),
    call('get-sum', { a: 2, b: 3 }),
    call('echo', { message: 'again ${DEPLOY_TOKEN}' }),
    say('Done again.'),
  ]);
  const everything = { command: process.execPath, args: [EVERYTHING], env: { SERVER_TOKEN: '${DEPLOY_TOKEN}' } };
  const agent = createAgent({
    model: openaiCompatible('scripted-model', { baseUrl: server.url }),
    tools: [mcpServers({ everything })],
  });
  const folder = newFolder();
  const secrets = { DEPLOY_TOKEN: VALUE };
  const first = await open(folder, { create: 'must', agent, secrets });
  await first.sendMessage('Try the tools.');
  await first.run();
  const events = await Array.fromAsync(first.events);
  const observations = events.filter((event) => isEvent(event, 'ObservationEvent'));
  expect(observations.map(({ tool_name }) => tool_name)).toEqual(['echo', 'get-tiny-image', 'get-env']);
  expect(JSON.stringify(observations[0])).toContain('Echo: for <secret-hidden>');
  expect(JSON.stringify(observations[2])).toMatch(/SERVER_TOKEN\W+<secret-hidden>/);
  expect(JSON.stringify(events.find((event) => isEvent(event, 'ActionEvent')))).toContain('for $DEPLOY_TOKEN');
  expect(observations[1]?.observation).toMatchObject({
    content: expect.arrayContaining([
      expect.objectContaining({ image_urls: [expect.stringMatching(/^data:image\/png;base64,/)] }),
    ]),
  });
  expect(JSON.stringify(server.requests[2]?.body)).toContain('data:image/png;base64,');
  await first.close();

  const again = await open(folder, { id: first.id, create: 'never', secrets });
  await again.sendMessage('Once more.');
  await again.run();
  const last = server.requests.at(-1);
  expect(last && toolResults(last, 'since-last-user-message').map(({ text }) => text)).toEqual([
    expect.stringContaining('The sum of 2 and 3 is 5.'),
    expect.stringContaining('Echo: again <secret-hidden>'),
  ]);
  expect(await again.finalResponse()).toBe('Done again.');
  await again.close();
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(VALUE);
  expect(filesWith(folder, VALUE)).toEqual([]);
  expect(server.violations).toEqual([]);
});

test('P13: a server that does not start is named without its configuration, and another one is used', async () => {
  const server = await serve([say('Without it, then.')]);
  const model = openaiCompatible('scripted-model', { baseUrl: server.url });
  const broken = { command: join(newFolder(), 'no-such-program'), env: { SERVER_TOKEN: VALUE } };
  const folder = newFolder();
  const first = await open(folder, { create: 'must', agent: createAgent({ model, tools: [mcpServers({ broken })] }) });
  const failed = await first.sendMessage('Hi').then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 'TOOL_FAILED' });
  expect(String(failed)).toContain('MCP servers broken');
  expect(String(failed)).not.toMatch(/no-such-program|SERVER_TOKEN|tok_/);
  await first.close();
  const again = await open(folder, { id: first.id, create: 'never', agent: createAgent({ model }) });
  await again.sendMessage('Hi');
  await again.run();
  expect(await again.finalResponse()).toBe('Without it, then.');
});

test('P9: the program takes servers from a file, hides the secrets that they get, and resumes with both', async () => {
  const setting = { cwd: newFolder(), env: { DEPLOY_TOKEN: VALUE } };
  const everything = { command: process.execPath, args: [EVERYTHING], env: { SERVER_TOKEN: '${DEPLOY_TOKEN}' } };
  // the program of the server lies elsewhere, and a sandbox shows it only when it is told to
  const given = ['--mcp', 'servers.json', '--sandbox-read', PACKAGES, '--secret', 'DEPLOY_TOKEN'];
  writeFileSync(join(setting.cwd, 'servers.json'), JSON.stringify({ mcpServers: { everything } }));
  const task = '`@get-sum {"a": 2, "b": 3}` then `@echo {"message": "for $DEPLOY_TOKEN"}`';
  const first = await conv(setting, 'run', task, ...given);
  expect(first.stdout).toContain('The sum of 2 and 3 is 5.');
  expect(first.stdout).toContain('Echo: for <secret-hidden>');
  expect(first.exitCode).toBe(0);
  const id = await onlyId(setting);
  const second = await conv(setting, 'resume', id, '`@get-env`', ...given);
  expect(second.stdout).toMatch(/SERVER_TOKEN\W+<secret-hidden>/);
  const again = await conv(setting, 'resume', id, '`@echo {"message": "still for $DEPLOY_TOKEN"}`', ...given.slice(2));
  expect(again.stderr).toContain('MCP servers: everything');
  expect(again.stdout).toContain('Echo: still for <secret-hidden>');
  const lost = await conv(setting, 'resume', id, '`pwd`');
  expect(lost.stderr).toMatch(/MCP servers everything cannot be used.*DEPLOY_TOKEN/);
  expect(lost.exitCode).toBe(5);
  const without = await conv(setting, 'resume', id, '`@get-env`', '--no-mcp');
  expect(without.stdout).toContain("Tool 'get-env' not found");
  expect(without.exitCode).toBe(0);
  for (const { stdout, stderr } of [first, second, again, lost, without]) expect(stdout + stderr).not.toContain(VALUE);
  expect(filesWith(setting.cwd, VALUE)).toEqual([]);
});

test('P13: a file of servers that cannot be used is a mistake of usage, told without what is in it', async () => {
  const cwd = newFolder();
  const files = {
    'no.json': undefined,
    'text.json': `not JSON ${VALUE}`,
    'list.json': JSON.stringify([VALUE]),
    'shape.json': JSON.stringify({ mcpServers: { search: { comand: 'x', env: { TOKEN: VALUE } } } }),
  };
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined) writeFileSync(join(cwd, name), text);
    const { stdout, stderr, exitCode } = await conv({ cwd }, 'run', 'hello', '--mcp', name);
    expect(stderr).toContain(name);
    expect(stdout + stderr).not.toContain(VALUE);
    expect(exitCode).toBe(2);
  }
});
