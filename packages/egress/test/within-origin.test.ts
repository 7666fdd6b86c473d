import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { fetchWithinOrigin } from '../src/within-origin.ts';

let other: Server;
let server: Server;
let seen: IncomingMessage[];

async function listen(handle: Parameters<typeof createServer>[1]): Promise<Server> {
  const made = createServer(handle as never).listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

function origin(of: Server): string {
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  seen = [];
  other = await listen(((request: IncomingMessage, response: { end: (text: string) => void }) => {
    seen.push(request);
    response.end('taken');
  }) as never);
  server = await listen(((request: IncomingMessage, response: never) => {
    const answer = response as { writeHead: (status: number, headers: object) => { end: (text?: string) => void } };
    const [, status = '', where = ''] = (request.url ?? '').split('/');
    if (status === 'end') answer.writeHead(200, {}).end(`${request.method} ${request.headers['x-api-key'] as string}`);
    else
      answer
        .writeHead(Number(status), {
          location: where === 'other' ? `${origin(other)}/x` : where === 'loop' ? '/307/loop' : `/${where}`,
        })
        .end();
  }) as never);
});

afterEach(() => {
  server.close();
  other.close();
});

const keys = { 'x-api-key': 'k', 'x-goog-api-key': 'k', authorization: 'Bearer k', 'x-mine': 'k' };

test.each([301, 302, 303, 307, 308])(
  'P9: a redirect %i to another origin is refused, and no key gets there',
  async (status) => {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{}' } : {};
      await expect(
        fetchWithinOrigin(`${origin(server)}/${status}/other`, { method, headers: keys, ...body }),
      ).rejects.toThrow(`redirects to ${origin(other)}`);
    }
    expect(seen).toEqual([]);
  },
);

test('a redirect within one origin is followed with the same method and headers', async () => {
  const answer = await fetchWithinOrigin(`${origin(server)}/307/end`, { method: 'POST', headers: keys, body: '{}' });
  expect(await answer.text()).toBe('POST k');
});

test('a redirect that would send a body in another form, and one without end, are refused', async () => {
  await expect(fetchWithinOrigin(`${origin(server)}/302/end`, { method: 'POST', body: '{}' })).rejects.toThrow('302');
  await expect(fetchWithinOrigin(`${origin(server)}/307/loop`)).rejects.toThrow(TypeError);
});
