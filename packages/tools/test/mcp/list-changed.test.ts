import { expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { sessionServer, sessionlessServer } from './support/http-server.ts';
import { openServers, scripted, warnings } from './support/open-servers.ts';
import { tool } from './support/scripted-server.ts';

test('tools that a server adds, changes and removes change at once, and all others stay the same objects', async () => {
  const { provided, tool: named, names, call, changed } = await openServers({ s: scripted() });
  const before = provided.tools;
  await call('change', { add: tool('new_one') });
  await changed();
  expect(names()).toEqual([...before.map(({ name }) => name), 'new_one']);
  expect(before.every((item) => provided.tools.includes(item))).toBe(true);
  expect(textOf(await call('new_one'))).toBe('new_one was called');

  await call('change', { describe: 'another' });
  await changed();
  expect(named('say').description).toBe('another');

  const gone = named('new_one');
  await call('change', { remove: 'new_one' });
  await changed();
  expect(names()).not.toContain('new_one');
  expect(gone.description).toBe('another');
});

test('tools that come while the first list is read are there soon after', async () => {
  const { names, changed } = await openServers({ s: scripted('early') });
  await changed();
  expect(names()[0]).toBe('new_one');
});

test('a list that does not come is a warning, and the old one stays', async () => {
  const told = warnings();
  const { names, call, changed } = await openServers({ s: scripted() });
  const before = names();
  await call('change', { add: tool('new_one'), failing: true });
  expect(await told.next()).toBe('the MCP server s keeps its old tools: no list today');
  expect(names()).toEqual(before);
  await call('change', { failing: false });
  await changed();
  expect(names()).toEqual([...before, 'new_one']);
});

test('a new tool that would have the name of another gets one of its own, and the other keeps its', async () => {
  const { names, call, changed } = await openServers({ a: scripted(), a_b: scripted() });
  const before = names();
  await call('a_change', { add: tool('b_say') });
  await changed();
  const [added, ...more] = names().filter((name) => !before.includes(name));
  expect([added, more]).toEqual([expect.stringMatching(/^a_b_say_[0-9a-f]{8}$/), []]);
  expect(textOf(await call('a_b_say', { text: 'hi' }))).toBe('hi');
  expect(textOf(await call(added ?? ''))).toBe('b_say was called');
});

test('a tool that is described wrongly is left out with a warning, and the others are there', async () => {
  const told = warnings();
  const server = await sessionServer();
  server.script.tools.push({ name: 'odd', inputSchema: { type: 'array' } as never });
  const { names } = await openServers({ s: { url: server.url } });
  expect(names()).toHaveLength(14);
  expect(await told.next()).toMatch(/server s: its tool number 15 is described wrongly \(inputSchema.type\)/);
});

test('a list without end rejects CONNECT_FAILED', async () => {
  await expect(openServers({ s: scripted('endless') })).rejects.toMatchObject({
    code: 'CONNECT_FAILED',
    message: expect.stringContaining('s: its list of tools has more than 64 pages'),
  });
});

test('the news comes over HTTP too, with sessions', async () => {
  const server = await sessionServer();
  const { names, call, changed } = await openServers({ s: { url: server.url } });
  await call('change', { add: tool('new_one') });
  await changed();
  expect(names()).toContain('new_one');
});

test('the news comes over HTTP too, without sessions', async () => {
  const server = await sessionlessServer();
  const { names, changed } = await openServers({ s: { url: server.url } });
  server.script.tools.push(tool('new_one'));
  server.notify();
  await changed();
  expect(names()).toContain('new_one');
});

test('a server that is greeted again may have other tools', async () => {
  const server = await sessionServer();
  const { names, call, changed } = await openServers({ s: { url: server.url } });
  server.script.tools.push(tool('new_one'));
  server.forget();
  await call('say', { text: 'hi' });
  await changed();
  expect(names()).toContain('new_one');
});
