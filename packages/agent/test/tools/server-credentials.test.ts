import type { Cipher } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { ToolProvider } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { createAgent, createAgentFactory } from '../../src/index.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';

const model = scriptedModel([]);
let count = 0;
/** Its tokens are told from plain text as the real ones are, and differ each time. */
const cipher: Cipher = {
  encrypt: (plain) => `gAAAAA${++count}_${Buffer.from(plain.padEnd(40, '\0')).toString('base64url')}==`,
  decrypt: (token) => {
    const text = /^gAAAAA\d+_([\w-]+)==$/.exec(token)?.[1];
    return text === undefined ? undefined : Buffer.from(text, 'base64url').toString().replaceAll('\0', '');
  },
};

const R = '**********';
const VALUE = 'v4lue-0123456789';

function agentWith(server: JsonObject): ReturnType<typeof createAgent> {
  return createAgent({ model, tools: [scriptedProvider({ description: { mcp_config: { one: server } } })] });
}

/** The member of the only server that is described. */
function described(
  server: JsonObject,
  options: Parameters<ReturnType<typeof agentWith>['describe']>[0] = {},
): JsonObject {
  const { mcp_config: servers } = agentWith(server).describe(options);
  return (servers as JsonObject)['one'] as JsonObject;
}

describe('P9: credentials in the arguments of a server', () => {
  test.each([
    ['behind an option', ['--api-key', VALUE], ['--api-key', R]],
    ['in an option', [`--token=${VALUE}`], [`--token=${R}`]],
    ['in a variable', ['-e', `GITHUB_TOKEN=${VALUE}`], ['-e', `GITHUB_TOKEN=${R}`]],
    ['in a variable in an option', [`--env=GITHUB_TOKEN=${VALUE}`], [`--env=GITHUB_TOKEN=${R}`]],
    ['in camel case', [`--accessToken=${VALUE}`], [`--accessToken=${R}`]],
    ['in a header', ['--header', `Authorization: Bearer ${VALUE}`], ['--header', `Authorization: Bearer ${R}`]],
    ['in a header of its own', [`X-API-Key:${VALUE}`], [`X-API-Key:${R}`]],
    ['in an address', [`postgres://ann:${VALUE}@db/x`], [`postgres://ann:${R}@db/x`]],
    ['in a query', [`https://x.example/sse?a=1&api_key=${VALUE}#h`], [`https://x.example/sse?a=1&api_key=${R}#h`]],
    ['by its form', ['connect', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'], ['connect', R]],
    ['by its form within a text', ['{"k":"sk-abcdefghijklmnop0123456789"}'], [`{"k":"${R}"}`]],
    ['short', ['--password', 'pw'], ['--password', R]],
  ])('P9: credentials in arguments are redacted %s', (_, args, redacted) => {
    expect(described({ command: 'serve', args })['args']).toEqual(redacted);
    expect(described({ command: 'serve', args }, { secrets: 'plain' })['args']).toEqual(args);
  });

  test.each([
    [['--token', '${TOKEN}', '--key=$API_KEY', '--header', 'Authorization: Bearer ${TOKEN}']],
    [['--token-limit=100', '--max-tokens', '5000', '--secret', 'true', '--key', '/etc/ssl/server.pem']],
    [['--key=./keys/id', '--verbose', 'key', 'C:\\keys\\id', '--token']],
    [['-y', '@modelcontextprotocol/server-filesystem', '.', 'https://x.example/mcp?page=2&keyless=0']],
    [['--password', '--verbose']],
  ])('P9: arguments without credentials are not redacted: %j', (args) => {
    expect(described({ command: 'serve', args })['args']).toEqual(args);
  });

  test('P9: credentials are redacted where they equal a known one, and known to be masked', () => {
    const server = { command: 'serve', args: ['open', `as-${VALUE}-now`], env: { API_KEY: VALUE, MODE: 'fast' } };
    expect(described(server)['args']).toEqual(['open', `as-${R}-now`]);
    expect(agentWith(server).secretValues?.()).toEqual([VALUE]);
    const more = agentWith({
      url: 'https://x.example/mcp?api_key=a%2Bb%2F0123456789',
      args: ['--token', 'tok-12345678'],
    });
    expect(more.secretValues?.().toSorted()).toEqual(['a%2Bb%2F0123456789', 'a+b/0123456789', 'tok-12345678']);
  });

  test('P9: credentials are redacted in the address of a server', () => {
    const url = `https://ann:${VALUE}@x.example/mcp?session=${VALUE}&page=2`;
    expect(described({ url })['url']).toBe(`https://ann:${R}@x.example/mcp?session=${R}&page=2`);
  });
});

test('P9: a password in the address of a model or a critic is redacted, encrypted and masked', async () => {
  const stored: JsonObject = {
    kind: 'Agent',
    llm: { model: 'openai/x', base_url: `http://ann:${VALUE}@127.0.0.1:9/v1` },
    critic: { kind: 'APIBasedCritic', server_url: `http://ann:${VALUE}2@127.0.0.1:9` },
    include_default_tools: ['FinishTool'],
  };
  const agent = await createAgentFactory().revive(stored);
  expect(agent?.describe()).toMatchObject({ llm: { base_url: `http://ann:${R}@127.0.0.1:9/v1` } });
  const encrypted = agent?.describe({ secrets: 'encrypted', cipher }) ?? {};
  expect(JSON.stringify(encrypted)).not.toContain('v4lue');
  const again = await createAgentFactory().revive(encrypted, { cipher });
  expect(again?.describe({ secrets: 'plain' })).toMatchObject({ llm: stored['llm'], critic: stored['critic'] });
  expect(again?.secretValues?.()).toEqual(expect.arrayContaining([VALUE, `${VALUE}2`]));
});

describe('P9: encrypted credentials in arguments and addresses', () => {
  const server = {
    command: 'serve',
    args: ['--api-key', VALUE, `--token=${VALUE}1`, 'Authorization: Bearer abc', `x ${VALUE}`, '--fast'],
    env: { API_KEY: VALUE },
  };
  const far = { url: `https://ann:pw%20pw@x.example/mcp?api_key=${VALUE}` };

  /** Returns the configuration from which the servers are made when the stored description is built again. */
  async function revived(stored: JsonObject, by: Cipher): Promise<unknown> {
    let given: unknown;
    const mcp = (config: object): ToolProvider => {
      given = config;
      return scriptedProvider();
    };
    const agent = await createAgentFactory({ mcp, model: () => model }).revive(stored, { cipher: by });
    expect(agent?.describe({ secrets: 'plain' })['mcp_config']).toBeDefined();
    return given;
  }

  test('P9: encrypted credentials hold no value, and are the same again with the cipher', async () => {
    const mcp_config = { one: server, two: far };
    const agent = createAgent({ model, tools: [scriptedProvider({ description: { mcp_config } })] });
    const stored = agent.describe({ secrets: 'encrypted', cipher });
    expect(JSON.stringify(stored)).not.toMatch(/v4lue|pw%20pw|abc"/);
    expect(JSON.stringify(stored)).toContain('--fast');
    expect(await revived(stored, cipher)).toEqual(mcp_config);
    const again = await createAgentFactory({ mcp: () => scriptedProvider(), model: () => model }).revive(stored, {
      cipher,
    });
    expect(again?.describe({ secrets: 'plain' })['mcp_config']).toEqual(mcp_config);
  });

  test('P9: encrypted credentials are lost with another cipher, and are asterisks then', async () => {
    const stored = createAgent({
      model,
      tools: [scriptedProvider({ description: { mcp_config: { one: server, two: far } } })],
    }).describe({ secrets: 'encrypted', cipher });
    expect(await revived(stored, { ...cipher, decrypt: () => undefined })).toEqual({
      one: {
        ...server,
        args: ['--api-key', R, `--token=${R}`, `Authorization: Bearer ${R}`, `x ${R}`, '--fast'],
        env: { API_KEY: R },
      },
      two: { url: `https://ann:${R}@x.example/mcp?api_key=${R}` },
    });
  });
});
