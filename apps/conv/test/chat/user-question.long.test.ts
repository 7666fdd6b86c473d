import { call, calls, createModelServer, say } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { shown } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { environmentOf } from './model.ts';
import { ChatTerminal } from './terminal.ts';

const QUESTION = { question: 'Which colour?', choices: ['red', 'blue'], free_text: false };

test('P5: a question of the agent is answered in the next chat after the first was killed', async () => {
  const model = await createModelServer({ script: [call('ask_user', QUESTION), say('Painted.')] });
  onTestFinished(() => model.close());
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  let id = '';
  {
    await using terminal = new ChatTerminal(where, 'chat', '--tools', 'terminal,ask_user');
    await terminal.until('ready');
    await terminal.ask('Paint it.', 'Type the answer', 'screen');
    expect(terminal.text).toContain('? The agent asks: Which colour?');
    expect(terminal.text).toContain('- blue');
    id = /^([0-9a-f-]{36})/m.exec(terminal.text)?.[1] ?? '';
    terminal.kill();
    await terminal.ended;
  }
  await using terminal = new ChatTerminal(where, 'chat', id);
  await terminal.until('Type the answer', 'screen');
  await terminal.ask('green', 'expected one of "red", "blue", found "green"');
  await terminal.ask('blue', 'Painted.');
  const { events } = await shown(where, id);
  expect(JSON.stringify(events.filter(({ kind }) => kind === 'ObservationEvent'))).toContain('"blue"');
  expect(model.violations).toEqual([]);
});

test('an answer that was typed before the next question was shown does not answer that one', async () => {
  const asked = ['Which colour?', 'Which size?'].map((question) => ({ name: 'ask_user', arguments: { question } }));
  const model = await createModelServer({ script: [calls(asked), say('Painted.')] });
  onTestFinished(() => model.close());
  const where = { cwd: newFolder(), rows: 40, env: environmentOf(model) };
  await using terminal = new ChatTerminal(where, 'chat', '--tools', 'terminal,ask_user');
  await terminal.until('ready');
  await terminal.ask('Paint it.', 'Type the answer', 'screen');
  // both lines are typed while the first question is on the screen
  terminal.type('blue\rred\r');
  await terminal.until('the question that you answered has ended');
  await terminal.until('? The agent asks: Which size?');
  await terminal.ask('large', 'Painted.');
  const id = /^([0-9a-f-]{36})/m.exec(terminal.text)?.[1] ?? '';
  terminal.kill();
  await terminal.ended;
  const { events } = await shown(where, id);
  const results = JSON.stringify(events.filter(({ kind }) => kind === 'ObservationEvent'));
  expect(results).toContain('"blue"');
  expect(results).toContain('"large"');
  expect(results).not.toContain('"red"');
});
