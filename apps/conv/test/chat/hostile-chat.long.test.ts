import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { once } from 'node:events';
import process from 'node:process';

import { inCi } from '@conv/testing-harness';
import {
  call,
  createModelServer,
  fail,
  lastUserText,
  type ModelServer,
  say,
  toolResults,
} from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { historyFileFor } from '../../src/chat/history/history-file.ts';
import { newFolder } from '../new-folder.ts';
import { environmentOf } from './model.ts';
import { ChatTerminal, KEYS, type TerminalSetting } from './terminal.ts';

/**
 * Clears the screen, sets the title, links, writes the clipboard, moves the cursor by C1, reorders, returns the cursor, blinks, takes the
 * other screen, asks for an answer of the terminal, and is longer than a row.
 */
const HOSTILE =
  'a\u001b[2J\u001b]0;owned\u0007b\u001b]8;;http://evil\u0007link\u001b]8;;\u0007c\u001b]52;c;b3duZWQ=\u001b\\d\u009b5A' +
  `\u202eevil\u2066e\rover\u001b[5mblink\u001b[?1049h\u001b[6n\u0008\u0007\u001b]0;open ${'long '.repeat(200)}end`;

/** Sequences of the chat itself: colours, cursor up and right, erasing below, frames, and pastes. */
const OURS = new RegExp(
  String.raw`\u001b\[(?:(?:0|1|2|22|3|23|4|24|7|27|39|49|3[0-7]|9[0-7])?m|\d*[ABCDGK]|J|\?(?:2026|25|2004)[hl])`,
  'g',
);
/** A carriage return in front of text, which would stand over what is there. */
const OVERWRITING = new RegExp(String.raw`\r+(?![\r\n\u001b]|$)[^]{0,30}`);
/** Everything that a terminal obeys, except line ends; and what reorders or hides text. */
const OBEYED = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\r\n]]/v;

/** Fails with the place if anything but the chat's own sequences has reached the terminal. */
function expectOurs({ written }: Pick<ChatTerminal, 'written'>, place: string): void {
  const rest = written.replace(OURS, '');
  const at = rest.search(OBEYED);
  expect(at < 0 ? '' : `${place}: ${JSON.stringify(rest.slice(Math.max(0, at - 60), at + 20))}`).toBe('');
  // a carriage return alone stands only in front of the chat's own sequences
  expect(`${place}: ${JSON.stringify(OVERWRITING.exec(written)?.[0] ?? '')}`).toBe(`${place}: ""`);
}

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const user = lastUserText(request);
      const result = toolResults(request, 'since-last-user-message').at(-1);
      if (user === 'fail') return fail(400, { message: HOSTILE });
      if (user === 'long answer') return say(['x'.repeat(LONG), `${HOSTILE} is long`]);
      if (user === 'reason') return say('reason done', { reasoning: `I think ${HOSTILE}` });
      if (user.startsWith('server') && result === undefined) return call(user.slice(7), { text: HOSTILE });
      const asked = CALLS[user];
      if (asked === undefined || result !== undefined) return say(`${user} done ${HOSTILE}`);
      // in one piece, because a stream of small pieces of megabytes takes long
      return call(asked.tool, [JSON.stringify({ summary: HOSTILE, security_risk: 'MEDIUM', ...asked.arguments })]);
    },
  });
});
afterAll(() => model.close());

/** Characters of a line. A call may not be as large. */
const LONG = 5 * 1024 * 1024;

const AGENT = 'read\u202eer\u2066';

/** A server whose every word is hostile: what it says of itself and of its tools, on standard error, as a result and as an error. */
const MCP_SERVER = `
  import { createInterface } from 'node:readline';
  const words = ${JSON.stringify(HOSTILE)};
  const tool = (name) => ({ name, title: words, description: words, inputSchema: { type: 'object', properties: { text: { type: 'string', description: words } } } });
  const answers = {
    initialize: ({ protocolVersion }) => ({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: words, version: words }, instructions: words } }),
    'tools/list': () => ({ result: { tools: [tool('loud'), tool('broken')] } }),
    'tools/call': ({ name }) =>
      name === 'loud' ? { result: { isError: true, content: [{ type: 'text', text: words }] } } : { error: { code: -32000, message: words } },
  };
  process.stderr.write(words);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = answers[method]?.(params);
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ?? { result: {} }) }) + '\\n');
  });
`;

/** Calls by the message that asks for them. */
const CALLS: Readonly<
  Record<string, { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }>
> = {
  command: { tool: 'terminal', arguments: { command: `echo ok # ${HOSTILE}` } },
  output: { tool: 'terminal', arguments: { command: 'cat hostile; until [ -e go ]; do sleep 0.1; done' } },
  file: {
    tool: 'file_editor',
    arguments: { command: 'create', path: `made${HOSTILE.slice(0, 120)}`, file_text: HOSTILE },
  },
  tasks: {
    tool: 'task_tracker',
    arguments: { command: 'plan', task_list: [{ title: HOSTILE, notes: HOSTILE, status: 'todo' }] },
  },
  'unknown tool': { tool: `no${HOSTILE}`, arguments: { text: HOSTILE } },
  'long lines': {
    tool: 'terminal',
    arguments: {
      command: `head -c ${LONG} /dev/zero | tr '\\0' x`,
      summary: `${HOSTILE}${' '.repeat(LONG / 20)}.`,
    },
  },
  'named sub-agent': { tool: 'task', arguments: { prompt: 'command', description: 'a look', subagent_type: AGENT } },
  'sub-agent': { tool: 'task', arguments: { prompt: 'command', description: HOSTILE.slice(0, 180) } },
};

/** A chat in a folder and a store whose names are hostile, with a history that another program wrote. */
function hostileSetting(env: Readonly<Record<string, string>> = {}): TerminalSetting & { readonly store: string } {
  const cwd = join(newFolder(), `w${HOSTILE.slice(0, 60).replaceAll('/', '_')}`);
  mkdirSync(cwd);
  const state = newFolder();
  const store = `fs:${join(cwd, 'store')}`;
  // the shell's own emulator waits for the end of a sequence that was begun
  writeFileSync(join(cwd, 'hostile'), `${HOSTILE.split('\u001b]0;open')[0]}${'long '.repeat(100)}\n`);
  const history = historyFileFor(join(cwd, 'store'), { XDG_STATE_HOME: state });
  mkdirSync(join(history, '..'), { recursive: true });
  writeFileSync(history, `${JSON.stringify(`before ${HOSTILE}`)}\n`);
  // a name cannot have control characters, but it can have characters that reorder text
  mkdirSync(join(cwd, '.openhands', 'agents'), { recursive: true });
  const agent = { name: AGENT, description: HOSTILE, tools: ['terminal'] };
  writeFileSync(join(cwd, '.openhands', 'agents', 'reader.md'), `---\n${JSON.stringify(agent)}\n---\n${HOSTILE}\n`);
  writeFileSync(join(cwd, 'server.mjs'), MCP_SERVER);
  writeFileSync(
    join(cwd, 'mcp.json'),
    JSON.stringify({ mcpServers: { hostile: { command: process.execPath, args: [join(cwd, 'server.mjs')] } } }),
  );
  return { cwd, store, rows: 50, env: { ...environmentOf(model), XDG_STATE_HOME: state, ...env } };
}

async function neverAsk(terminal: ChatTerminal): Promise<void> {
  await terminal.ask('/policy never', 'from now on no call waits');
}

/** The places of a chat where text of others is printed, with the way there. */
const PLACES: Readonly<Record<string, (terminal: ChatTerminal, cwd: string) => Promise<void>>> = {
  'the place of the store': async () => {},
  'an answer, streamed and in the log': async (terminal) => {
    await terminal.ask('hello', 'run finished');
  },
  'a call in question, with its reasons, its summary and its result': async (terminal) => {
    await terminal.ask('command', 'Run it?', 'screen');
    await terminal.ask('y', 'command done');
  },
  'the output of a running command, and its result': async (terminal, cwd) => {
    await terminal.ask('output', 'Run it?', 'screen');
    await terminal.ask('y', /│ (?:long ){3}/, 'screen');
    writeFileSync(join(cwd, 'go'), '');
    await terminal.until('output done');
  },
  'the path and the text of a file, and the list of files': async (terminal) => {
    await terminal.ask('file', 'Run it?', 'screen');
    await terminal.ask('y', 'file done');
    await terminal.ask('/files', /create$/m);
  },
  'tasks, and the state after an event': async (terminal) => {
    await neverAsk(terminal);
    await terminal.ask('tasks', 'tasks done');
    await terminal.until('ready', 'screen');
    await terminal.ask('/at', '/at NUMBER looks back');
    terminal.type('/at ');
    await terminal.until('→', 'screen');
    terminal.type('4', KEYS.enter);
    await terminal.until('after event 4 of');
  },
  'the name of a tool that is not there': async (terminal) => {
    await terminal.ask('unknown tool', 'unknown tool done');
  },
  'reasoning, streamed and in the log': async (terminal) => {
    await terminal.ask('reason', 'reason done');
    await terminal.until('ready', 'screen');
  },
  'lines of five megabytes': async (terminal) => {
    await terminal.ask('long lines', 'Run it?', 'screen', LONG_PATIENCE);
    await terminal.ask('y', 'long lines done', 'everywhere', LONG_PATIENCE);
    await terminal.until('ready', 'screen');
    await terminal.ask('long answer', 'end is long', 'everywhere', LONG_PATIENCE);
    await terminal.until('ready', 'screen');
  },
  'the words and errors of an MCP server': async (terminal) => {
    for (const [at, tool] of ['loud', 'broken'].entries()) {
      await terminal.ask(`server ${tool}`, 'Run it?', 'screen');
      await terminal.ask('y', `server ${tool} done`);
      await terminal.until('ready', 'screen');
      await terminal.ask('/at', new RegExp(`(/at NUMBER looks back[^]*){${at + 1}}`));
    }
  },
  'the name and the text of a sub-agent': async (terminal) => {
    await neverAsk(terminal);
    await terminal.ask('named sub-agent', 'named sub-agent done');
    await terminal.until('ready', 'screen');
  },
  'a sub-agent with its steps': async (terminal) => {
    await neverAsk(terminal);
    await terminal.ask('sub-agent', '↳ general-purpose');
    await terminal.until('sub-agent done');
  },
  'the error of a model': async (terminal) => {
    await terminal.ask('fail', 'stopped by an error', 'screen');
  },
  'what was typed before, and a paste': async (terminal) => {
    terminal.type(KEYS.up);
    await terminal.until('❯ before', 'screen');
    terminal.type(KEYS.ctrlC, `\u001b[200~pasted ${HOSTILE.slice(0, 150)}\u001b[201~`);
    await terminal.until('pasted', 'screen');
    terminal.type(KEYS.ctrlC);
  },
  'mistakes of a line': async (terminal) => {
    terminal.type(`\u001b[200~/model x${HOSTILE.slice(0, 100)}\u001b[201~`, KEYS.enter);
    await terminal.until('/model', 'everywhere');
    await terminal.ask('/fork zz', '/fork: expected');
  },
};

// the same function writes them all
test.each(inCi(Object.keys(PLACES), 3))(
  'P9: nothing but the own sequences of a chat reaches the terminal from %s',
  async (place) => {
    const { store, ...where } = hostileSetting();
    await using terminal = new ChatTerminal(where, 'chat', '--store', store, ...TOOLS, '--policy', 'always');
    await terminal.until('ready');
    await PLACES[place]?.(terminal, where.cwd);
    await terminal.until(/^❯/m, 'screen');
    terminal.type(KEYS.ctrlD, KEYS.ctrlD);
    await terminal.ended;
    expectOurs(terminal, place);
  },
);

test("P9: only the chat's own sequences come from the title and the last turns of a resumed conversation", async () => {
  const { store, ...where } = hostileSetting();
  {
    await using terminal = new ChatTerminal(where, 'chat', '--store', store);
    await terminal.until('ready');
    terminal.type(`\u001b[200~title ${HOSTILE}\u001b[201~`, KEYS.enter);
    await terminal.until('run finished');
  }
  await using terminal = new ChatTerminal(where, 'chat', '--last', '--store', store);
  await terminal.until('events before this');
  await terminal.until('ready', 'screen');
  terminal.type(KEYS.ctrlD);
  await terminal.ended;
  expectOurs(terminal, 'a conversation that comes back');
});

test("P9: only the chat's own sequences come from the words of a server", async () => {
  await using server = createServer((_, response) => response.writeHead(500).end(JSON.stringify({ detail: HOSTILE })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await using terminal = new ChatTerminal({ cwd: newFolder() }, 'chat', '--server', `http://127.0.0.1:${port}`);
  expect(await terminal.ended).toBe(9);
  expectOurs(terminal, 'a server');
});

test("P9: only the chat's own sequences come from an MCP server that does not start", async () => {
  const { store, ...where } = hostileSetting();
  writeFileSync(join(where.cwd, 'server.mjs'), `process.stderr.write(${JSON.stringify(HOSTILE)}); process.exit(1);`);
  await using terminal = new ChatTerminal(where, 'chat', '--store', store, '--mcp', 'mcp.json');
  await terminal.until('ready');
  await terminal.ask('hello', /!|error/);
  terminal.type(KEYS.ctrlD, KEYS.ctrlD);
  await terminal.ended;
  expectOurs(terminal, 'a server that does not start');
});

test("P9: only the chat's own sequences come with TERM=dumb", async () => {
  const { store, ...where } = hostileSetting({ TERM: 'dumb' });
  await using terminal = new ChatTerminal(where, 'chat', '--store', store, '--policy', 'always');
  await terminal.until('/help');
  await terminal.ask('command', 'Run it?');
  await terminal.ask('y', 'command done');
  terminal.type(KEYS.ctrlD);
  await terminal.ended;
  expect(terminal.written).not.toMatch(OBEYED);
});

/** Milliseconds for lines of megabytes, through the model's endpoint, the log, and the terminal. */
const LONG_PATIENCE = 90_000;

const TOOLS = ['--tools', 'terminal,file_editor,task_tracker,task', '--mcp', 'mcp.json'];
