import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Sandbox } from '@conv/core/tool';
import { sandbox } from '@conv/sandbox';
import { isAcpAgentError, acpAgent, acpAgents, acpModels, type AcpAgentErrorCode } from '@conv/acp-agent';
import { afterAll, expect, test } from 'vitest';

import { newFolder, removeFolders } from '../new-folder.ts';
import { AcpStage, play, scriptedProgram, told } from './acp-stage.ts';

afterAll(removeFolders);

test.each<[string, readonly string[], object, AcpAgentErrorCode, string, RegExp]>([
  [
    'is not there',
    [],
    { command: '/no/such/program' },
    'SPAWN_FAILED',
    'ACPSpawnError',
    /install it, or correct its command/,
  ],
  [
    'ends at once',
    [],
    { args: ['-e', 'console.error("no such option"); process.exit(3)'] },
    'START_FAILED',
    'ACPInitError',
    /ended with code 3; its last output was: no such option/,
  ],
  ['wants a login', ['login'], {}, 'LOGIN_REQUIRED', 'ACPAuthRequired', /Log in with the browser/],
  [
    'never answers',
    ['hang'],
    { startupTimeout: 300 },
    'START_TIMEOUT',
    'ACPStartupTimeout',
    /allow more startupTimeout/,
  ],
  ['speaks another version', ['newer'], {}, 'START_FAILED', 'ACPInitError', /expected a program that speaks version 1/],
  ['has no such mode', [], { mode: 'sail' }, 'START_FAILED', 'ACPInitError', /no mode sail/],
])('P4: a program that %s fails the run by name', async (_, can, more, code, wire, words) => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(can, more));
  await conversation.sendMessage('say Hello');
  const error = await conversation.run().then(
    () => undefined,
    (reason: Error) => reason.cause,
  );
  expect(isAcpAgentError(error, code)).toBe(true);
  expect(String(error)).toMatch(words);
  expect(await told(conversation)).toEqual([`error: ${wire}`]);
});

test('a message that the program never took is sent again', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['login']));
  await conversation.sendMessage('say Hello');
  await expect(conversation.run()).rejects.toThrow('wants a login');
  await conversation.close();
  const again = await stage.open(stage.agent(), { id: conversation.id });
  expect((await again.run()).status).toBe('finished');
  expect((await told(again)).at(-1)).toBe('agent: Hello');
});

test('P5: a message is given again after an error that came before a reaction of the program', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await conversation.sendMessage('fail out of rum');
  await expect(conversation.run()).rejects.toThrow('no luck: {"details":"out of rum"}');
  await expect(conversation.run()).rejects.toThrow('no luck');
  await conversation.sendMessage('say Hm\nfail again');
  await expect(conversation.run()).rejects.toThrow('no luck');
  expect((await told(conversation)).filter((line) => line.startsWith('error'))).toHaveLength(3);
  expect(stage.sessions['session-1']).toEqual([
    'fail out of rum',
    'fail out of rum',
    'fail out of rum\nsay Hm\nfail again',
  ]);
});

test('P5: a program that is silent for too long fails the run, and its turn is cancelled', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent([], { promptTimeout: 1000 }));
  await conversation.sendMessage('say Hm\nwait');
  await expect(conversation.run()).rejects.toThrow('which is promptTimeout');
  expect(await play(conversation, 'say Ahoy')).toBe('finished');
});

test('a program in a sandbox works in its folder, and sees neither the files nor the home of others', async ({
  skip,
}) => {
  const stage = new AcpStage();
  const other = join(newFolder(), 'other.txt');
  writeFileSync(other, 'of another conversation');
  // the program of these tests, and its Node, may lie in a home folder, which is hidden
  const read = [fileURLToPath(new URL('../../../..', import.meta.url)), dirname(dirname(process.execPath))];
  const confined = sandbox({ read, network: 'closed' });
  const probe = await confined.open({ conversationId: 'probe', workingDirectory: stage.folder }).catch(() => undefined);
  if (!probe) return skip('this machine cannot confine programs');
  await probe.close();
  const conversation = await stage.open(stage.agent([], { sandbox: confined }));
  expect(await play(conversation, `read ${other}`, 'say Inside')).toBe('finished');
  expect((await told(conversation)).at(-1)).toBe('agent: ENOENTInside');
  expect(Object.keys(stage.sessions)).toEqual(['session-1']);
});

test('a program is started again after its sandbox could not be opened', async () => {
  const stage = new AcpStage();
  let opened = 0;
  const once: Sandbox = {
    name: 'sandbox that fails once',
    open: async () => {
      if (++opened === 1) throw new Error('no space left');
      return { rules: '', confine: (start) => start, place: (path) => path, close: async () => {} };
    },
  };
  const conversation = await stage.open(stage.agent([], { sandbox: once }));
  await conversation.sendMessage('say Hello');
  await expect(conversation.run()).rejects.toThrow('no space left');
  expect((await conversation.run()).status).toBe('finished');
});

test('a program says which models it offers', async () => {
  const folder = newFolder();
  const agent = acpAgent(scriptedProgram(folder, ['models']));
  expect(await acpModels(agent, { workingDirectory: folder }, AbortSignal.timeout(10_000))).toEqual({
    name: 'scripted',
    version: '1.2.3',
    currentModel: 'small',
    models: [
      { id: 'small', name: 'Small', description: null },
      { id: 'large', name: 'Large', description: 'Slow' },
    ],
  });
});

test('wrong options and descriptions are refused by name', async () => {
  expect(() => acpAgent({ command: '' })).toThrow('acpAgent: command: expected the name or the path of a program');
  expect(() => acpAgent({ command: 'x', comand: 'y' } as never)).toThrow('did you mean command');
  const agents = acpAgents();
  expect(await agents.revive({ kind: 'Agent' })).toBeUndefined();
  await expect(agents.revive({ kind: 'ACPAgent' })).rejects.toThrow('acp_command');
  const acp = { kind: 'ACPAgent', acp_command: ['x'] };
  await expect(agents.revive({ ...acp, condenser: { kind: 'NoOpCondenser' } })).rejects.toThrow('condenser');
  await expect(agents.revive({ ...acp, tools: [{ name: 'terminal' }] })).rejects.toThrow('its own tools');
});

test('a description comes back as it was, and as OpenHands writes it', async () => {
  const agents = acpAgents();
  const sent = {
    kind: 'ACPAgent',
    acp_server: 'claude-code',
    acp_command: ['npx', '-y', 'claude'],
    acp_args: ['--fast'],
    acp_model: 'opus',
    acp_session_mode: 'plan',
    acp_prompt_timeout: 60,
    agent_context: { system_message_suffix: 'Mind the tide.', secrets: { ANTHROPIC_API_KEY: 'sk-0123456789' } },
    acp_later: { kept: true },
  };
  const agent = await agents.revive(sent);
  const described = agent?.describe({ secrets: 'plain' }) ?? {};
  expect(described).toMatchObject({
    ...sent,
    acp_startup_timeout: 90,
    llm: { model: 'opus', usage_id: 'acp-managed' },
  });
  expect(JSON.stringify(agent?.describe())).not.toContain('sk-0123456789');
  expect(agent?.secretValues?.()).toEqual(['sk-0123456789']);
  expect((await agents.revive(described))?.describe({ secrets: 'plain' })).toEqual(described);
});
