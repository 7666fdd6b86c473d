import { createServer, type IncomingHttpHeaders } from 'node:http';

import { expect, test } from 'vitest';

import { openRemoteConversation, RemoteWorkspace } from '../../src/index.ts';
import { listening } from '../support/listening.ts';

test.each([301, 307, 308])(
  'P9: the key of a server does not follow its redirect to another origin (%i)',
  async (status) => {
    const stolen: IncomingHttpHeaders[] = [];
    const thief = await listening(
      createServer((request, response) => {
        stolen.push(request.headers);
        response.setHeader('content-type', 'application/json').end('{"version":"1.43.1"}');
      }),
    );
    let asked = 0;
    const url = await listening(
      createServer((request, response) => {
        asked++;
        response.writeHead(status, { location: thief + (request.url ?? '/') }).end();
      }),
    );
    const workspace = new RemoteWorkspace({ url, apiKey: 'the-key-of-the-server', requests: { requestTimeout: 50 } });
    const agent = { kind: 'Agent', llm: { model: 'fake', api_key: 'sk-0123456789' } };
    await expect(openRemoteConversation({}, { agent, workspace })).rejects.toThrow(String(status));
    expect([asked > 0, stolen]).toEqual([true, []]);
  },
);
