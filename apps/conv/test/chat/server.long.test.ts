import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startServer } from '../agent-server.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

test('a chat on a server asks, survives a lost server, says so, and comes back by the start of its id', async () => {
  const server = await startServer(newFolder());
  const where = { cwd: newFolder(), env: { ...environmentOf(model), ...server.env } };
  const place = ['--server', server.url];
  let id = '';
  {
    await using terminal = new ChatTerminal(where, 'chat', ...place, '--policy', 'always');
    await terminal.until('ready');
    [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
    terminal.send('please `echo here`');
    await terminal.until('Run it?');
    terminal.send('y');
    await terminal.until('It printed: here');
    await terminal.until('ready', 'screen');
    await server.kill();
    terminal.send('are you there');
    await terminal.until('the server does not answer');
    await terminal.until('server away', 'screen');
    await server.again();
    await terminal.until('the server answers again; caught up');
    await terminal.until(/● agent.*\n {2}You said: are you there/);
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
  }
  await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8), ...place);
  await terminal.until('You said: are you there');
  await terminal.until('approval for all', 'screen');
});
