import { isEvent } from '@conv/core/events';
import { afterAll, expect, test } from 'vitest';

import { removeFolders } from '../new-folder.ts';
import { AcpStage, play, told } from './acp-stage.ts';

// Manners of Claude Code, Codex, Gemini CLI and Qwen Code, by the scripted program. `real-programs.ts` plays with the programs themselves.

afterAll(removeFolders);

const ASK = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;

test('P10: a program whose own mode asks nothing is asked to ask as long as the policy does', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['modes']), ASK);
  await play(conversation, 'mode');
  await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
  await play(conversation, 'mode');
  await conversation.settings.setConfirmationPolicy({ kind: 'ConfirmRisky' });
  await play(conversation, 'mode');
  const said = (await told(conversation)).filter((line) => line.startsWith('agent'));
  expect(said).toEqual(['agent: mode=default', 'agent: mode=auto', 'agent: mode=default']);
});

test('a mode that is given is kept, whatever the policy is', async () => {
  for (const mode of ['plan', 'auto']) {
    const stage = new AcpStage();
    const conversation = await stage.open(stage.agent(['modes'], { mode }), ASK);
    await play(conversation, 'mode');
    expect((await told(conversation)).at(-1)).toBe(`agent: mode=${mode}`);
  }
});

test('models beside the settings of a program are offered, and chosen', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['beside'], { model: 'large' }));
  await play(conversation, 'model');
  expect((await told(conversation)).at(-1)).toBe('agent: model=large');
  expect(conversation.state.agentState).toMatchObject({
    acp_current_model_id: 'large',
    acp_available_models: [{ model_id: 'small', name: 'Small', description: null }, { model_id: 'large' }],
  });
});

test('a program that has a key is told to use it, and one without names the ways to log in once', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['key'], { env: { CODEX_API_KEY: 'key-of-the-ship' } }));
  expect(await play(conversation, 'say Ahoy')).toBe('finished');
  const without = await stage.open(stage.agent(['key']));
  await without.sendMessage('say Ahoy');
  await expect(without.run()).rejects.toThrow(
    'which offers: API key, or give its key as the secret CODEX_API_KEY or OPENAI_API_KEY of the conversation',
  );
});

test('a call that a question tells of first has its input until its end', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await play(conversation, 'first mop');
  const calls = (await conversation.events.slice(0)).filter((event) => isEvent(event, 'ACPToolCallEvent'));
  expect(calls.map(({ title, status, raw_input }) => [title, status, raw_input])).toEqual([
    ['mop', 'pending', { command: 'mop' }],
    ['mop', 'completed', { command: 'mop' }],
  ]);
});

test('P9: the output of a terminal of the program is shown at the end of its call, masked', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(), { secrets: { SHIP_KEY: 'key-of-the-ship' } });
  await play(conversation, 'terminal key-of-the-ship');
  const call = (await conversation.events.slice(0)).findLast((event) => isEvent(event, 'ACPToolCallEvent'));
  const text = { type: 'text', text: '<secret-hidden>' };
  expect(call).toMatchObject({ status: 'completed', content: [{ type: 'content', content: text }] });
});

test('an error that says why is not followed by what the program told its standard error', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await conversation.sendMessage('fail out of rum');
  await expect(conversation.run()).rejects.toThrow(/no luck: \{"details":"out of rum"\}\)$/);
});

test('tokens are counted, also if a program tells them beside the usage', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['quota']));
  await play(conversation, 'say Ahoy');
  expect(conversation.state.stats['acp-managed']).toMatchObject({ promptTokens: 20, completionTokens: 10, cost: 0 });
});
