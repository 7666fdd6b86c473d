import { expect, test } from 'vitest';

import { mcpServersOf } from '../src/mcp-servers.ts';

test('an MCP server at an address that ends in /sse is reached by SSE, unless it names its transport', () => {
  const config = {
    old: { url: 'https://x.example/sse' },
    named: { url: 'https://x.example/sse/', transport: 'http' },
    secret: { url: '${PLACE}/sse' },
    none: { url: 'not an address/sse' },
  };
  const servers = mcpServersOf(config, { http: true, sse: true }, { PLACE: 'https://y.example' });
  expect(servers.map((server) => 'type' in server && [server.name, server.type])).toEqual([
    ['old', 'sse'],
    ['named', 'http'],
    ['secret', 'sse'],
    ['none', 'http'],
  ]);
  expect(() => mcpServersOf({ old: config.old }, { http: true }, {})).toThrow('old is reached by sse');
});

test('values that were stored without a key are not sent to MCP servers, and unknown references stay', () => {
  const lost = {
    LOST: '**********',
    OTHER: 'gAAAAABtoken',
    NULL: null,
    EMPTY: '',
    PLAIN: 'x',
    UNKNOWN: '${constructor}',
  };
  const servers = mcpServersOf({ files: { command: 'files', env: lost } }, {}, {});
  expect(servers).toMatchObject([
    {
      env: [
        { name: 'EMPTY', value: '' },
        { name: 'PLAIN', value: 'x' },
        { name: 'UNKNOWN', value: '${constructor}' },
      ],
    },
  ]);
});

test('an MCP server with auth is refused by name, because no member of the protocol holds it', () => {
  const web = { url: 'https://x.example/mcp', auth: { strategy: 'bearer', value: 'x' } };
  expect(() => mcpServersOf({ web }, { http: true }, {})).toThrow('the MCP server web has auth ("bearer")');
  expect(mcpServersOf({ web: { ...web, auth: { strategy: 'none' } } }, { http: true }, {})).toHaveLength(1);
});
