import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { openServers } from './support/open-servers.ts';

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['http', 'sse'] as const)(
  'P9: keys of an MCP server do not follow its redirect to another origin (%s)',
  async (transport) => {
    const stolen: IncomingHttpHeaders[] = [];
    const thief = await listening(
      createServer((request, response) => {
        stolen.push(request.headers);
        response.end('{}');
      }),
    );
    let asked = 0;
    const url = await listening(
      createServer((_, response) => {
        asked++;
        response.writeHead(307, { location: `${thief}/mcp` }).end();
      }),
    );
    const auth = { strategy: 'bearer', value: 'a key of the server' } as const;
    const headers = { 'x-api-key': 'another key of the server' };
    const opened = openServers({ s: { url: `${url}/mcp`, transport, auth, headers } }, { connectTimeout: 20 });
    await expect(opened).rejects.toThrow('s');
    expect([asked > 0, stolen]).toEqual([true, []]);
  },
);
