import { describe, expect, test } from 'vitest';

import { fakeSecrets } from '../support/fake-secrets.ts';
import { textOf } from '../open-tool.ts';
import { sessionlessServer, sessionServer } from './support/http-server.ts';
import { openServers, scripted } from './support/open-servers.ts';

const servers = [
  ['a process', async () => scripted()],
  ['an address with sessions', async () => ({ url: (await sessionServer()).url })],
  ['an address without sessions', async () => ({ url: (await sessionlessServer()).url })],
] as const;

describe('reports on a running call', () => {
  test.each(servers)('reports of %s are shown as output, in order', async (_, make) => {
    const { tool, session } = await openServers({ s: await make() });
    const shown: string[] = [];
    const context = { ...session, toolCallId: 'call', signal: new AbortController().signal };
    const onOutput = (text: string): void => void shown.push(text);
    const result = await tool('count').execute({}, { ...context, onOutput });
    expect(textOf(result)).toBe('counted');
    expect(shown).toEqual(['First (1 of 2)\n', '2\n']);
  });

  test('reports are not asked for if the caller shows no output', async () => {
    const { call } = await openServers({ s: scripted() });
    expect(textOf(await call('count'))).toBe('nobody listens');
  });

  test('P9: reports on a running call are masked', async () => {
    const secrets = fakeSecrets({ WORD: 'First' });
    const { tool, session } = await openServers({ s: scripted() }, { secrets });
    const shown: string[] = [];
    const context = { ...session, toolCallId: 'call', signal: new AbortController().signal };
    await tool('count').execute({}, { ...context, onOutput: (text) => void shown.push(text) });
    expect(shown.join('')).not.toContain('First');
    expect(shown.join('')).toContain('(1 of 2)');
  });
});

describe('a request of a server', () => {
  test.each([
    ['sampling/createMessage', 'servers may not use the model of this conversation'],
    ['roots/list', 'this client names no folders'],
    ['tests/unknown', 'this client does not take such requests'],
  ])('the request %s is refused by its name, and the call goes on', async (method, reason) => {
    const { call } = await openServers({ s: scripted() });
    expect(textOf(await call('request', { method }))).toContain(`${method} is refused: ${reason}`);
  });
});
