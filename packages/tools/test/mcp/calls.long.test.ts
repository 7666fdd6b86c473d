import { join } from 'node:path';

import { isToolError } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { otherNames } from '../../src/mcp/tool-name.ts';
import { temporaryFolder, textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { sessionServer } from './support/http-server.ts';
import { openServers, scripted, warnings } from './support/open-servers.ts';
import { lines } from './support/processes.ts';
import { tool } from './support/scripted-server.ts';

const open = async (more: Parameters<typeof openServers>[1] = {}): ReturnType<typeof openServers> =>
  openServers({ s: { url: (await sessionServer()).url } }, more);

describe('a tool', () => {
  test('a tool is what its server says it is', async () => {
    const { tool: named } = await open();
    const say = named('say');
    const { name, description, annotations, inputSchema, wire } = say;
    expect({ name, description, annotations }).toEqual({
      name: 'say',
      description: 'Does say.',
      annotations: { title: 'Say it', readOnly: true, openWorld: false },
    });
    expect(inputSchema).toMatchObject({ type: 'object', required: ['text'] });
    expect(say.resources({})).toEqual([]);
    expect(named('receive').resources({})).toBeUndefined();
    expect(wire.definition).toMatchObject({
      kind: 'MCPToolDefinition',
      mcp_tool: { name: 'say' },
      annotations: { readOnlyHint: true, destructiveHint: true, openWorldHint: false },
    });
    const action = wire.toAction({ text: 'hi' });
    expect(action).toEqual({ data: { text: 'hi' }, kind: 'MCPToolAction' });
    expect(wire.fromAction(action)).toEqual({ text: 'hi' });
  });

  test('a tool that models could not name gets a name that they can, and is called by its own', async () => {
    const { names, call } = await openServers({ s: scripted('names') });
    expect(names()[2]).toBe('plain_name-1');
    expect(names()[0]).toMatch(/^a_b_c_d_[0-9a-f]{8}$/);
    expect(textOf(await call(names()[0] ?? ''))).toBe('a.b/c d was called');
  });

  test('a tool has its server before its name where there are several servers', async () => {
    const { names, call } = await openServers({ one: scripted(), two: scripted() });
    expect(names()).toHaveLength(28);
    expect(names()).toContain('one_say');
    expect(textOf(await call('two_say', { text: 'hi' }))).toBe('hi');
  });

  test("a tool with the name of another server's tool gets its own name, and both are called", async () => {
    const servers = { a: scripted('collides'), a_b: scripted() };
    const { names, call } = await openServers(servers);
    expect(new Set(names()).size).toBe(names().length);
    expect(textOf(await call('a_b_say'))).toBe('b_say was called');
    const own = names().find((name) => /^a_b_say_[0-9a-f]{8}$/.test(name)) ?? '';
    expect(textOf(await call(own, { text: 'hi' }))).toBe('hi');
    expect((await openServers(servers)).names()).toEqual(names());
  });

  test("a tool with the name of an agent's tool has its server before its name, and keeps it", async () => {
    const taken = new Set(['finish', 'think', 'say']);
    const { names, call } = await openServers({ s: scripted('reserved') }, { taken });
    expect(names()).toEqual(['s_finish', 's_think', 'other']);
    expect(textOf(await call('s_think'))).toBe('think was called');
  });

  test('a tool whose every name is taken is left out with a warning', async () => {
    const told = warnings();
    const all = otherNames('finish', 's');
    const { names } = await openServers({ s: scripted('reserved') }, { taken: new Set(['finish', ...all]) });
    expect(names()).toEqual(['think', 'other']);
    expect(await told.next()).toMatch(/server s: its tool finish is left out/);
  });

  test('a tool with a broken schema is left out with a warning, and a foreign pattern breaks no schema', async () => {
    const told = warnings();
    const { names, call } = await openServers({ s: scripted('bad-schemas') });
    expect(names()).toEqual(['odd', 'fine']);
    expect(await told.next()).toMatch(/server s: its tool broken is left out/);
    expect(textOf(await call('odd', { at: 'x' }))).toBe('odd was called');
  });
});

describe('arguments', () => {
  const parse = async (input: unknown): Promise<unknown> => {
    const { tool } = await open();
    return tool('say').parse(input);
  };
  const refused: readonly (readonly [unknown, string])[] = [
    [{}, 'text: is required'],
    [{ text: 7 }, 'text: must be a string'],
    [{ text: '' }, 'text: must NOT have fewer than 1 characters'],
    [{ text: 'x', volume: 'tok-value-1' }, 'volume: is not known'],
    [{ text: 'x', tone: 'tok-value-1' }, 'tone: must be one of "loud", "low"'],
    [{ text: 'x', either: ['tok-value-1'] }, 'either: must be a string or a number'],
    [{ text: 'x', to: { port: 1.5 } }, 'to.name: is required; to.port: must be an integer'],
    [{ text: null }, 'text: is required'],
    ['tok-value-1', '(arguments): must be an object'],
  ];
  test.each(refused)('arguments %j are refused, naming parameters and no values', async (input, message) => {
    const error: unknown = await parse(input).catch((thrown: unknown) => thrown);
    expect(isToolError(error, 'INVALID_INPUT')).toBe(true);
    expect((error as Error).message).toBe(`Invalid arguments for tool 'say': ${message}`);
    expect(String(error)).not.toContain('tok-value-1');
  });

  test('arguments lose nulls of optional parameters at every depth, and keep nulls of nullable parameters', async () => {
    const input = { text: 'x', times: null, tone: null, maybe: null, to: { name: 'y', port: null } };
    const parsed = { text: 'x', maybe: null, to: { name: 'y' } };
    expect(await parse(input)).toEqual(parsed);
    expect(await parse(parsed)).toEqual(parsed);
    expect(input.times).toBeNull();
  });

  test('arguments are not held against patterns, which may take for ever', async () => {
    const input = { text: 'x', slug: `${'a'.repeat(5000)}!` };
    expect(await parse(input)).toEqual(input);
  });

  test('arguments are not held against patterns of names, at any depth', async () => {
    const input = { text: 'x', labels: { [`${'a'.repeat(5000)}!`]: 'y' } };
    expect(await parse(input)).toEqual(input);
    await expect(parse({ text: 'x', labels: [] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('missing arguments count as an empty object', async () => {
    const { tool } = await open();
    expect(tool('receive').parse(undefined)).toEqual({});
  });
});

describe('secrets', () => {
  test("P9: secrets in the descriptions of a server's tools are masked", async () => {
    const server = await sessionServer();
    const at = { type: 'string' as const, description: 'below tok-value-1' };
    server.script.tools = [
      tool('find', { description: 'Finds in tok-value-1.', inputSchema: { type: 'object', properties: { at } } }),
    ];
    const { provided } = await openServers(
      { s: { url: server.url } },
      { secrets: fakeSecrets({ TOKEN: 'tok-value-1' }) },
    );
    expect(provided.tools[0]?.description).toBe('Finds in <secret-hidden>.');
    expect(JSON.stringify(provided.tools[0]?.wire.definition)).not.toContain('tok-value-1');
    expect(provided.tools[0]?.inputSchema).toMatchObject({
      properties: { at: { description: 'below <secret-hidden>' } },
    });
  });

  const secrets = () => fakeSecrets({ TOKEN: 'tok-value-1', CODE: 'ABC-1234' }, [{ name: 'GONE', reason: 'no key' }]);

  test('P9: secrets that are named with a $ go into the request, and results show them masked', async () => {
    const { tool, call } = await open({ secrets: secrets() });
    const input = { url: 'https://x/?key=${TOKEN}', deep: [{ and: '$TOKEN' }], name: 'TOKEN' };
    const action = tool('receive').wire.toAction(tool('receive').parse(input));
    expect(JSON.stringify(action)).not.toContain('tok-value-1');
    const result = await call('receive', input);
    expect(textOf(result)).toBe(
      '{"url":"https://x/?key=<secret-hidden>","deep":[{"and":"<secret-hidden>"}],"name":"TOKEN"}',
    );
  });

  test('secrets reach the server in clear', async () => {
    // the masker of this conversation knows nothing, so the echo shows what arrived
    const vault = { ...secrets(), masker: fakeSecrets({}).masker };
    const { call } = await open({ secrets: vault });
    expect(textOf(await call('receive', { a: '$TOKEN $UNKNOWN ${HOME:-x}' }))).toBe(
      '{"a":"tok-value-1 $UNKNOWN ${HOME:-x}"}',
    );
  });

  test('secrets without a value here are told, and nothing is called', async () => {
    const { call } = await open({ secrets: secrets() });
    const result = await call('receive', { a: '$GONE' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('Not called: The secret GONE has no value here: no key.');
  });

  test('secrets are checked when they are there: a name stands for any length, its value must fit', async () => {
    const { tool, call } = await open({ secrets: secrets() });
    expect(() => tool('say').parse({ text: 'x', code: 'short' })).toThrow(
      'code: must NOT have fewer than 8 characters',
    );
    expect(textOf(await call('say', { text: 'x', code: '$CODE' }))).toBe('x');
    const error: unknown = await call('say', { text: 'x', code: '$TOKEN' }).catch((thrown: unknown) => thrown);
    expect(isToolError(error, 'INVALID_INPUT')).toBe(true);
    expect(String(error)).not.toContain('tok-value-1');
  });

  test('a hidden value that the model repeats is not written in the place of the value', async () => {
    const { call } = await open({ secrets: secrets() });
    const result = await call('receive', { text: 'key=<secret-hidden>' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Not called: /);
    expect((await call('say', { text: '<secret-hidden>' })).isError).toBeUndefined();
  });
});

describe('a result', () => {
  test('a result with an image is a data URL of the type that the bytes have', async () => {
    const { call } = await open();
    const { content } = await call('give', { what: 'image' });
    expect(content).toMatchObject([
      { type: 'image', image_urls: [expect.stringMatching(/^data:image\/png;base64,iVBOR/)] },
    ]);
  });

  test('a result with an image that models cannot read says so', async () => {
    const { call } = await open();
    expect(textOf(await call('give', { what: 'drawing' }))).toBe(
      '[image of type image/svg+xml and 6 bytes, which cannot be shown]',
    );
  });

  test('a result with resources, links and sound is text about them', async () => {
    const { call } = await open();
    expect(textOf(await call('give', { what: 'resources' })).split('\n')).toEqual([
      '[Resource note://1 (text/plain)]',
      'a note',
      '[Resource blob://1]',
      '[resource of type application/zip and 4 bytes, which cannot be shown]',
      '[Resource a: file:///a.txt the first]',
      '[audio of type audio/wav and 4 bytes, which cannot be shown]',
    ]);
  });

  test('a result with structured content is JSON, once', async () => {
    const { call } = await open();
    expect(JSON.parse(textOf(await call('give', { what: 'structured' })))).toEqual({ answer: 42 });
    expect(textOf(await call('give', { what: 'both' }))).toBe('{"answer": 42}');
  });

  test('a result of 20 MiB arrives whole', async () => {
    const { call } = await openServers({ s: scripted() });
    expect(textOf(await call('give', { what: 'huge', bytes: 20_971_520 }))).toHaveLength(20_971_520);
  });

  test('a result above what a message may have is an error, and the next call has a new server', async () => {
    const { call } = await openServers({ s: scripted() });
    const result = await call('give', { what: 'huge', bytes: 68_000_000 });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('more than 64 MiB');
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  });

  test('a failed result reaches the model', async () => {
    const { call } = await open();
    const result = await call('give', { what: 'failure' });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toBe('there is no such thing');
  });

  test('an error of the protocol is a failed result too', async () => {
    const { call } = await open();
    const result = await call('give', { what: 'nonsense' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('The MCP server s did not do it: cannot give nonsense');
  });
});

describe('time', () => {
  test('a timeout is a failed result, and the server is told to stop', async () => {
    const file = join(temporaryFolder(), 'notes');
    const { call } = await openServers({ s: scripted() }, { callTimeout: 0.3 });
    const result = await call('slow', { file });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('did not answer within 0.3 s');
    expect(await lines(file, 2)).toEqual(['started', 'cancelled']);
  });

  test('the timeout of one server can differ from that of another', async () => {
    const { call } = await openServers({ s: { ...scripted(), timeout: 0.2 } }, { callTimeout: 60 });
    expect(textOf(await call('slow'))).toContain('did not answer within 0.2 s');
  });

  test('P7: an abort rejects with its reason, and the server is told to stop', async () => {
    const file = join(temporaryFolder(), 'notes');
    const { call } = await openServers({ s: scripted() });
    const controller = new AbortController();
    const calling = call('slow', { file }, controller.signal);
    await lines(file);
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
    expect(await lines(file, 2)).toEqual(['started', 'cancelled']);
    expect(textOf(await call('say', { text: 'still here' }))).toBe('still here');
  });

  test('a timeout before a call begins rejects the call with its reason', async () => {
    const { call } = await openServers({ s: scripted() });
    const reason = new Error('stop');
    await expect(call('say', { text: 'hi' }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
