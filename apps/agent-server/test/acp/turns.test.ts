import { isEvent } from '@conv/core/events';
import { afterAll, expect, test } from 'vitest';

import { removeFolders } from '../new-folder.ts';
import { AcpStage, play, told } from './acp-stage.ts';

afterAll(removeFolders);

test('P5: a step is a turn of the program, and its text is the answer', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['noise']));
  expect(await play(conversation, 'think Which sail?', 'say Hello there', 'say , sailor')).toBe('finished');
  expect(await told(conversation)).toEqual(['agent: Hello there, sailor']);
  const answer = await conversation.events.at(-1);
  expect(answer).toMatchObject({ llm_message: { reasoning_content: 'Which sail?' } });
  expect(await play(conversation, 'say Once more', 'prompts')).toBe('finished');
  // the second prompt has the new message alone
  expect(Object.values(stage.sessions)).toEqual([
    ['think Which sail?\nsay Hello there\nsay , sailor', 'say Once more\nprompts'],
  ]);
});

test('tool calls become events with the names of OpenHands, from their start to their end', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await play(conversation, 'say First', 'tool Reef the sail', 'say Done');
  expect(await told(conversation)).toEqual([
    'tool: Reef the sail pending',
    'tool: Reef the sail in_progress',
    'tool: Reef the sail completed',
    'agent: First\n\nDone',
  ]);
  const events = await conversation.events.slice();
  expect(events.findLast((event) => isEvent(event, 'ACPToolCallEvent'))).toMatchObject({
    source: 'agent',
    tool_call_id: 'tool-1',
    tool_kind: 'execute',
    raw_input: { run: 'Reef the sail' },
    raw_output: 'Reef the sail',
    content: [{ type: 'diff', path: '/a', old_text: 'old', new_text: 'Reef the sail' }],
    is_error: false,
  });
});

test('a tool call of which the program tells more after its end has ended once, and keeps its title', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await play(conversation, 'late Haul', 'say Done');
  expect(await told(conversation)).toEqual([
    'tool: Haul pending',
    'tool: Haul in_progress',
    'tool: Haul completed',
    'tool: Haul completed',
    'agent: Done',
  ]);
  const events = await conversation.events.slice();
  expect(events.findLast((event) => isEvent(event, 'ACPToolCallEvent'))).toMatchObject({
    raw_input: { run: 'Haul' },
    raw_output: 'more Haul',
  });
});

test('a title that is too long for an event is too long for the state, too', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), { confirmationPolicy: { kind: 'AlwaysConfirm' } });
  expect(await play(conversation, `begin ${'x'.repeat(300_000)}`, 'ask Haul')).toBe('waiting_for_confirmation');
  const { length } = JSON.stringify(conversation.state.agentState);
  expect(length).toBeGreaterThan(90_000);
  expect(length).toBeLessThan(110_000);
});

test('P11: pieces of the text come while the program writes, and have the id of the answer', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  const pieces: { readonly kind: string; readonly text: string; readonly eventId: string }[] = [];
  const subscription = conversation.subscribe({ onToken: (piece) => void pieces.push(piece) });
  await play(conversation, 'think Hm', 'say Hello', 'tool Look', 'say Bye');
  subscription.unsubscribe();
  const { id } = (await conversation.events.at(-1)) ?? {};
  expect(new Set(pieces.map(({ eventId }) => eventId))).toEqual(new Set([id]));
  expect(pieces.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(['He', 'llo', '\n\nB', 'ye']);
});

test('tokens and cost are counted as far as the program tells them', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['usage', 'models']));
  await play(conversation, 'cost 0.5');
  await play(conversation, 'cost 0.25');
  expect(conversation.state.stats['acp-managed']).toMatchObject({
    cost: 0.75,
    promptTokens: 20,
    completionTokens: 4,
    cacheReadTokens: 8,
    contextWindow: 1000,
    modelName: 'small',
  });
  const silent = await stage.open(stage.agent());
  await play(silent, 'say Hello');
  expect(silent.state.stats).toEqual({});
});

test('P9: secrets reach the program as variables, and leave it masked, also in pieces', async () => {
  process.env['ACP_TEST_OWN'] = 'of this process';
  const stage = new AcpStage();
  const agent = stage.agent([], { env: { SHIP: 'Albatross', SHIP_KEY: 'key-of-the-ship-0123' } });
  const conversation = await stage.open(agent, { secrets: { HARBOUR: 'harbour-secret-0123' } });
  const pieces: string[] = [];
  conversation.subscribe({ onToken: ({ text }) => void pieces.push(text) });
  await play(
    conversation,
    'env HARBOUR',
    'env SHIP',
    'env SHIP_KEY',
    'env ACP_TEST_OWN',
    'env HOME',
    'say harbour-secret-0123',
  );
  const [answer = ''] = await told(conversation);
  expect(answer).toContain('HARBOUR=<secret-hidden>SHIP=AlbatrossSHIP_KEY=<secret-hidden>ACP_TEST_OWN=none');
  expect(answer).toContain(`HOME=${process.env['HOME'] ?? ''}`);
  expect(pieces.join('')).not.toContain('secret-0123');
  delete process.env['ACP_TEST_OWN'];
});

test('mcp_config reaches the program with its secrets, and a server that it cannot take is refused', async () => {
  const stage = new AcpStage();
  const mcp_config = {
    files: { command: 'files', args: ['--all'], env: { DOOR: '${HARBOUR}' } },
    web: { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${HARBOUR}' } },
    off: { command: 'off', enabled: false },
  };
  const secrets = { HARBOUR: 'harbour-secret-0123' };
  const conversation = await stage.open(stage.agent(['http'], { description: { mcp_config } }), { secrets });
  await play(conversation, 'servers');
  const [answer = ''] = await told(conversation);
  expect(JSON.parse(answer.slice('agent: '.length))).toEqual([
    { name: 'files', command: 'files', args: ['--all'], env: [{ name: 'DOOR', value: '<secret-hidden>' }] },
    {
      type: 'http',
      name: 'web',
      url: 'https://x.example/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer <secret-hidden>' }],
    },
  ]);
  const without = await stage.open(stage.agent([], { description: { mcp_config } }), { secrets });
  await without.sendMessage('servers');
  await expect(without.run()).rejects.toThrow('the MCP server web is reached by http, which the program does not take');
});

test('P9: variables and MCP servers name secrets in three ways; a secret without a value fails the run', async () => {
  const stage = new AcpStage();
  const mcp_config = { files: { command: 'files', args: ['$HARBOUR', '${PIER:-none}', '${UNKNOWN}'] } };
  const agent = stage.agent([], { env: { DOOR: '${HARBOUR}/door' }, description: { mcp_config } });
  const conversation = await stage.open(agent, { secrets: { HARBOUR: 'harbour-secret-0123' } });
  await play(conversation, 'servers', 'env DOOR');
  const [answer = ''] = await told(conversation);
  expect(answer).toContain('["<secret-hidden>","none","${UNKNOWN}"]');
  expect(answer).toContain('DOOR=<secret-hidden>/door');
  await conversation.close();
  // without a cipher, values do not outlive the process
  const again = await stage.open(agent, { id: conversation.id });
  await again.sendMessage('servers');
  await expect(again.run()).rejects.toThrow('needs secrets that have no value here: HARBOUR (');
});

test('an MCP server that names a variable of the program needs no secret of this name', async () => {
  const stage = new AcpStage();
  const mcp_config = { files: { command: 'files', args: ['$HARBOUR'] } };
  const agent = stage.agent([], { env: { HARBOUR: 'Tortuga' }, description: { mcp_config } });
  const conversation = await stage.open(agent, { secrets: { HARBOUR: 'harbour-secret-0123' } });
  await play(conversation, 'say Ahoy');
  await conversation.close();
  // without a cipher, values do not outlive the process
  const again = await stage.open(agent, { id: conversation.id });
  await play(again, 'servers');
  expect((await told(again)).at(-1)).toContain('["Tortuga"]');
});

test('a turn without a word says so', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  expect(await play(conversation, 'cost 0')).toBe('finished');
  expect((await told(conversation)).at(-1)).toBe('agent: [The program ended its turn without a word.]');
});

test('images reach a program that takes them, and are named to another one', async () => {
  const image = { type: 'image', image_urls: ['data:image/png;base64,AAAA'] } as const;
  for (const [can, seen] of [
    [['images'], '[image]'],
    [[], 'is left out'],
  ] as const) {
    const stage = new AcpStage();
    const conversation = await stage.open(stage.agent([...can]));
    await conversation.sendMessage({ role: 'user', content: [{ type: 'text', text: 'say Hi' }, image] });
    await conversation.run();
    expect(Object.values(stage.sessions).flat()[0]).toContain(seen);
  }
});

test('the model and the mode are those of the agent, and the model can change between turns', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['models'], { model: 'large', mode: 'plan' });
  const conversation = await stage.open(agent);
  await play(conversation, 'model');
  await conversation.settings.setModel('small');
  await play(conversation, 'model');
  expect((await told(conversation)).filter((line) => line.startsWith('agent'))).toEqual([
    'agent: model=large',
    'agent: model=small',
  ]);
  expect(conversation.state.agent).toMatchObject({ kind: 'ACPAgent', acp_model: 'small' });
  expect(conversation.state.agentState).toMatchObject({
    acp_current_model_id: 'small',
    acp_available_models: [
      { model_id: 'small', name: 'Small', description: null },
      { model_id: 'large', name: 'Large', description: 'Slow' },
    ],
    acp_supports_runtime_model_switch: true,
  });
  await expect(conversation.settings.setModel({ model: 'x' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await conversation.settings.setModel('huge');
  await conversation.sendMessage('model');
  await expect(conversation.run()).rejects.toThrow('choose one of small, large');
});
