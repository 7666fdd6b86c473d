import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { mcpServers, type McpAuthorization, type McpConfig } from '../../src/index.ts';
import { MemoryRecords } from './support/oauth-server.ts';
import { openServers, scripted } from './support/open-servers.ts';

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a configuration', () => {
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['neither a command nor a url', { files: {} }, /files: needs either a command or a url/],
    ['both', { files: { command: 'a', url: 'http://b' } }, /files: needs either/],
    ['a transport that does not fit', { files: { command: 'a', transport: 'http' } }, /files: has a transport/],
    ['an unknown member', { files: { command: 'a', arguments: ['b'] } }, /files: .*arguments/],
    ['a variable that is no text', { files: { command: 'a', env: { A: 1 } } }, /files\.env\.A/],
    ['an unknown strategy', { files: { url: 'http://b', auth: { strategy: 'magic' } } }, /files\.auth\.strategy/],
    ['a time of nothing', { files: { command: 'a', timeout: 0 } }, /files\.timeout/],
  ];
  test.each(wrong)('a configuration with %s throws INVALID_CONFIG that names it', (_, config, message) => {
    const error = caught(() => mcpServers(config as McpConfig));
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', servers: ['files'] });
    expect((error as Error).message).toMatch(message);
  });

  test('a configuration that is refused does not show its values', () => {
    const error = caught(() =>
      mcpServers({ a: { url: 'http://b', headers: { A: 'tok-value-1' }, env: { B: 7 } } } as never),
    );
    expect(String(error)).not.toContain('tok-value-1');
  });

  test('a configuration is described as it is on the wire, with plain values', () => {
    const config: McpConfig = {
      files: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'tok-value-1' }, enabled: false },
      web: { url: 'https://example.com/mcp', auth: { strategy: 'bearer', value: '${TOKEN}' }, timeout: 60 },
    };
    expect(mcpServers(config).description).toEqual({ mcp_config: config });
  });

  test('a configuration names hidden values: variables, headers, credentials, but no words or paths', () => {
    const provider = mcpServers({
      files: {
        command: 'a',
        env: { NODE_ENV: 'production', ROOT: '/srv/files', CODE: 'x9-f3k2-77', API_KEY: 'plainword' },
      },
      web: {
        url: 'https://example.com/mcp',
        headers: { Accept: 'application/json', Authorization: 'Bearer tok-value-1', 'X-Token': '${TOKEN}' },
        auth: { strategy: 'basic', username: 'ann', password: 'correct horse' },
      },
    });
    expect([...(provider.secretValues?.() ?? [])].sort()).toEqual(
      [
        'x9-f3k2-77',
        'plainword',
        'Bearer tok-value-1',
        'tok-value-1',
        'correct horse',
        btoa('ann:correct horse'),
      ].sort(),
    );
  });

  test('P9: hidden values are hidden also if they have a `$`; what names a secret is not', () => {
    const env = { API_KEY: 'pa$sword-0123', CODE: 'x9$f3k2', DATA: '$HOME/data', DOOR: '${DOOR:-none}', KEY: '$KEY' };
    const auth = { strategy: 'bearer', value: 'tok$en-value' } as const;
    const provider = mcpServers({ a: { command: 'a', env }, b: { url: 'https://example.com/mcp', auth } });
    expect([...(provider.secretValues?.() ?? [])].sort()).toEqual(['pa$sword-0123', 'tok$en-value', 'x9$f3k2']);
  });

  test('a configuration without servers has no tools', async () => {
    const { names } = await openServers({});
    expect(names()).toEqual([]);
  });

  test('a configuration whose servers are all disabled has no tools', async () => {
    const { names } = await openServers({ a: { ...scripted(), enabled: false }, b: { ...scripted(), disabled: true } });
    expect(names()).toEqual([]);
  });

  test('a configuration leaves out a server with disabled: true, as other programs write it', async () => {
    const { names } = await openServers({ off: { command: '/not/there', disabled: true }, s: scripted() });
    expect(names()).toContain('say');
  });

  test('a configuration with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled', async () => {
    const oauth = { url: 'http://127.0.0.1:9/mcp', auth: { strategy: 'oauth2' } } as const;
    await expect(openServers({ tickets: oauth })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      servers: ['tickets'],
      message: expect.stringContaining('oauth2'),
    });
    const { names } = await openServers({ tickets: { ...oauth, enabled: false }, s: scripted() });
    expect(names()).toContain('say');
  });

  test.each([
    [{}, 'records: expected an object with get and replace'],
    [{ records: new MemoryRecords(), redirectUrl: 'back' }, 'redirectUrl: expected a URL'],
    [{ records: new MemoryRecords(), redirectUrl: 'http://x/', hosts: ['a b'] }, 'hosts: expected a host'],
    [{ records: new MemoryRecords(), redirectUrl: 'http://x/', host: [] }, 'there is no option "host"'],
    [{ records: new MemoryRecords(), redirectUrl: 'http://x/', owner: 'ann' }, 'owner: expected a function'],
    [{ records: new MemoryRecords(), redirectUrl: 'http://x/', clientName: 1 }, 'clientName: expected a text'],
    [
      {
        records: new MemoryRecords(),
        redirectUrl: 'http://x/',
        clientMetadataUrl: 'http://app.example.com/client.json',
      },
      'clientMetadataUrl: expected an https URL',
    ],
  ])('a configuration with the authorization %j throws a TypeError', (auth, problem) => {
    expect(() => mcpServers({}, { auth: auth as unknown as McpAuthorization })).toThrow(problem);
  });
});

test('a program without servers does not load the client', () => {
  const entry = join(import.meta.dirname, '../../dist/index.js');
  const program = `
    const seen = [];
    const { registerHooks } = await import('node:module');
    registerHooks({ resolve: (name, context, next) => { seen.push(name); return next(name, context); } });
    const { mcpServers } = await import(${JSON.stringify(entry)});
    mcpServers({ a: { command: 'a' } });
    console.log(JSON.stringify(seen));
  `;
  const seen = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(seen).toContain('@conv/core');
  expect(seen).not.toMatch(/modelcontextprotocol|ajv/);
});
