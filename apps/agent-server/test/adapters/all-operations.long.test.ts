import { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import { isObject } from '@conv/core/platform';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';

import { PROTOCOLS } from '../../src/protocols/protocol-names.ts';
import { servedProtocols } from '../../src/protocols/served-protocols.ts';
import { OPERATIONS, type Place } from './operations.ts';
import { ALL, keyOf, RightsServer } from './rights-server.ts';

const place: Place = { id: 'id', event: 'event', action: 'action', other: 'other' };

/** Returns a member of the bodies that the matrix sends to a path. */
function sentTo(path: string, member: (body: Readonly<Record<string, unknown>>) => unknown): readonly string[] {
  const bodies = OPERATIONS.filter((each) => each.path(place) === path).map(({ body }) => body?.(place));
  return [...new Set(bodies.filter(isObject).map((body) => String(member(body))))].toSorted();
}

test('P10: the matrix of rights asks at every path of the adapters', () => {
  const asked = OPERATIONS.map(({ path }) => path(place).replace(/\?.*/, ''));
  const paths = servedProtocols(PROTOCOLS).flatMap((protocol) => protocol.paths);
  const pattern = (path: string): RegExp => new RegExp(`^${path.replace('*', '.+')}$`);
  // a client of A2A has the address of the card alone
  const left = paths.filter((path) => path !== '/api/a2a/*' && !asked.some((each) => pattern(path).test(each)));
  expect([left, paths.length > 5]).toEqual([[], true]);
});

test('P10: the matrix of rights has every method of A2A', () => {
  const source = JsonRpcTransportHandler.prototype.handle.toString();
  const methods = new Set([...source.matchAll(/(?:case |method === )["'](\w+)["']/g)].map(([, method = '']) => method));
  // there is no other card
  const expected = [...methods].filter((method) => method !== 'GetExtendedAgentCard').toSorted();
  expect(expected.length).toBeGreaterThan(8);
  expect(sentTo('/api/a2a', ({ method }) => method)).toEqual(expected);
});

test('P10: the matrix of rights has every tool of MCP', async () => {
  const server = await RightsServer.start();
  onTestFinished(() => server.close());
  const requestInit = { headers: { 'x-session-api-key': keyOf('own', ALL) } };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(sentTo('/mcp', ({ params }) => Object(params).name));
});
