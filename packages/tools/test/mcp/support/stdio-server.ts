import { writeFileSync } from 'node:fs';

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

import { newScript, scriptedServer, tool } from './scripted-server.ts';

// The behaviour of the server: `silent` answers nothing, `dies` ends at once, `modern` refuses the older handshake,
// `endless` has pages without end, `stubborn` lives on without input and after SIGTERM.
const [behaviour = 'plain', file] = process.argv.slice(2);
const script = newScript();
if (file) writeFileSync(file, `${process.pid}\n`, { flag: 'a' });

if (behaviour === 'dies') {
  process.stderr.write(`starting up\ncannot read ${process.env['API_KEY'] ?? 'nothing'}\n`);
  process.exit(7);
}
if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (behaviour === 'bad-schemas') {
  const broken = { type: 'object' as const, properties: { at: { $ref: '#/nowhere' } } };
  const pattern = { type: 'object' as const, properties: { at: { type: 'string' as const, pattern: '(?P<name>x)' } } };
  script.tools = [tool('broken', { inputSchema: broken }), tool('odd', { inputSchema: pattern }), tool('fine')];
}
if (behaviour === 'names') script.tools = [tool('a.b/c d'), tool('x'.repeat(80)), tool('plain_name-1')];
if (behaviour === 'early') {
  script.pageSize = 100;
  script.early = tool('new_one');
}
if (behaviour === 'reserved') script.tools = ['finish', 'think', 'other'].map((name) => tool(name));
if (behaviour === 'collides') script.tools = [tool('b_say')];
if (behaviour === 'endless') {
  script.tools = Array.from({ length: 100 }, (_, index) => tool(`tool_${index}`));
  script.pageSize = 1;
}

if (behaviour === 'silent') process.stdin.resume();
else if (behaviour === 'modern') serveStdio(() => scriptedServer(script), { legacy: 'reject' });
else await scriptedServer(script).connect(new StdioServerTransport());
