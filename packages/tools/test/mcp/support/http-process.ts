import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';

import { newScript, scriptedServer } from './scripted-server.ts';

// The scripted server of the revision 2026-07-28 as a process; prints its address.
const script = newScript();
const handle = toNodeHandler(createMcpHandler(() => scriptedServer(script), { legacy: 'reject' }));
const server = createServer((request, response) => {
  const { method = 'GET', url = '/' } = request;
  void handle(Object.assign(request, { method, url }), response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
