import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

// An MCP server with one tool, on standard input and output. It notes in the file of the variable SHIP_LIST that its tools were listed.

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

const TOOL = { name: 'hoist', description: 'Hoists a sail.', inputSchema: { type: 'object', properties: {} } };

function resultOf({ method = '', params }: Request): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'ship', version: '1.0.0' },
      };
    case 'tools/list':
      writeFileSync(process.env['SHIP_LIST'] ?? '/dev/null', '');
      return { tools: [TOOL] };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'hoisted' }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  const result = resultOf(request);
  const answer = result ? { result } : { error: { code: -32_601, message: 'not known here' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
});
