import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { initialFields } from '@conv/core';
import { FsStore } from '@conv/persist-fs';
import { inCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { conv, onlyId, published } from './command.ts';
import { newFolder } from './new-folder.ts';

const cwd = newFolder();
writeFileSync(join(cwd, 'broken.json'), '{ "x');
writeFileSync(join(cwd, 'other.yaml'), 'modle: gpt-5\n');
mkdirSync(join(cwd, 'folder'));

/** A command line that cannot be meant, the variables beside it, and what it is answered. */
type Mistake = readonly [args: readonly string[], says: string, env?: Readonly<Record<string, string>>];

const mistakes: readonly Mistake[] = [
  [['rum'], "unknown command 'rum'"],
  [['run', 'x', '--modle', 'y'], "unknown option '--modle'"],
  [
    ['run', 'x', '--config', 'missing.yaml'],
    'the configuration missing.yaml cannot be read: ENOENT; --config takes the path of a YAML or JSON file',
  ],
  [['run', 'x', '--config', 'folder'], 'the configuration folder cannot be read: EISDIR'],
  [['run', 'x', '--config', 'broken.json'], 'expected JSON or YAML'],
  [['run', 'x', '--config', 'other.yaml'], 'line 1: modle: unknown member; did you mean model?'],
  [
    ['run', 'x', '--mcp', 'missing.json'],
    'the file of MCP servers missing.json cannot be read: ENOENT; --mcp takes the path of a JSON file',
  ],
  [['run', 'x', '--mcp', 'broken.json'], 'the file of MCP servers broken.json is not JSON'],
  [['run', 'x', '--secret', 'NOT_SET'], 'the secret NOT_SET has no value: set the variable NOT_SET'],
  [
    ['run', 'x', '--budget', 'free'],
    "option '--budget <usd>' argument 'free' is invalid. It must be a number above 0.",
  ],
  [['run', 'x', '--server', 'ftp://x'], 'expected http:// or https://, found ftp://'],
  [['export', '12345678', '--htm', 'a'], "unknown option '--htm'\n(Did you mean --html?)"],
  [['export', '12345678'], "required option '--html <file>' not specified"],
  [['backup', 'fs:folder', '--too', 'b'], "unknown option '--too'\n(Did you mean --to?)"],
  [['copy', '12345678', '--too', 'b'], "unknown option '--too'\n(Did you mean --to?)"],
  [['backup', 'fs:folder'], "required option '--to <store>' not specified"],
  [['check', 'nowhere'], '/nowhere; check the address'],
  [['check', 'sqlite:folder'], '/folder: expected a file with conversations, found a folder'],
  [
    ['backup', 'fs:folder', '--to', 'fs:/proc/x'],
    '/proc/x: expected a folder with conversations, found a place of the',
  ],
  [['check', 'fs:broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['backup', 'fs:nowhere', '--to', 'fs:out'], 'there is no store at'],
  [
    ['backup', 'fs:folder', '--to', 'fs:broken.json'],
    '/broken.json: expected a folder with conversations, found a file',
  ],
  [['copy', '12345678', '--from', 'sqlite:folder', '--to', 'fs:out'], '/folder: expected a file with conversations'],
  [['list', '--dir', 'broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['show', '12345678', '--dir', 'broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['run', 'x', '--dir', 'broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['resume', '12345678', '--dir', 'broken.json/below'], 'found a file in its path; give another address'],
  [
    ['list', '--store', 'fs:a', '--server', 'http://127.0.0.1:1'],
    "option '--server <url>' cannot be used with option '--store <address>'",
  ],
  [['list', '--store', 'fs:a', '--dir', 'b'], "option '--dir <dir>' cannot be used with option '--store <address>'"],
  [['list', '--store', 'http://x'], 'found http://x, the URL of a server; name it with --server'],
  [
    ['list', '--store', 'localhost:8000'],
    'looks like a server; write a server as a URL, such as http://localhost:8000',
  ],
  [['studio', 'localhost:8000'], 'looks like a server; write a server as a URL, such as http://localhost:8000'],
  [['studio', '--server', 'localhost:8000', '--read-only'], 'expected a store, found a server'],
  [['studio', '--server', 'ftp://x'], 'expected http:// or https://, found ftp://'],
  [['show', '12345678', '--store', 'redis:x'], 'unknown kind of store redis: expected one of fs:DIR, sqlite:FILE'],
  [['run', 'x', '--store', 'postgres:x'], 'expected postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  [['check', 'fs:a', 'abcd1234', '--store', 'fs:b'], 'expected one id, found "fs:a" and "abcd1234"'],
  [['check', '--server', 'http://127.0.0.1:1'], 'check reads the records of a store, which a server does not provide'],
  [['backup', '--server', 'http://127.0.0.1:1', '--to', 'fs:b'], 'backup reads the records of a store'],
  [['delete', 'abcd1234'], 'no conversation begins with abcd1234; check the id, or list the conversations'],
  [
    ['delete', '12345678-1234-1234-1234-123456789012', '--yes'],
    'there is no conversation 12345678-1234-1234-1234-123456789012; check the id, or list the conversations',
  ],
  [['list', '--server-key', 'KEY'], '--server-key has no effect without --server'],
  [['list', '--server', 'http://127.0.0.1:1', '--server-key', 'UNSET'], 'set the variable UNSET'],
  [['show', 'abc'], 'expected an id or at least its first 4 characters, found "abc"'],
  [['run', 'x'], 'provider "opnai" is not known; a base URL is needed', { LLM_MODEL: 'opnai/x', LLM_API_KEY: 'k' }],
  [['run', 'x'], 'LLM_BASE_URL is not an http(s) URL', { LLM_MODEL: 'openai/x', LLM_BASE_URL: 'localhost:1' }],
  [['run', 'x'], 'LLM_API_KEY is not set', { LLM_MODEL: 'openai/x' }],
  [
    ['run', 'x'],
    'LLM_CONTEXT_WINDOW expected a number of at least 1, found "0"',
    { LLM_MODEL: 'openai/x', LLM_API_KEY: 'k', LLM_CONTEXT_WINDOW: '0' },
  ],
  [
    ['run', 'x'],
    'LLM_PRICE_INPUT is not set: prices of a cache need those of tokens',
    { LLM_MODEL: 'openai/x', LLM_API_KEY: 'k', LLM_PRICE_CACHE_READ: '1' },
  ],
];

/** Each line says the words of one place in the program. */
test.for(inCi(mistakes, 3))('P13: the command line %j is answered: %s', async ([args, says, env = {}]) => {
  const { stderr, exitCode } = await conv({ cwd, env }, ...args);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n\s+at |TypeError|is not a function/);
  expect(exitCode).toBeGreaterThan(0);
});

const ID = '12345678-1234-4234-8234-123456789012';

const commands = [
  ['list'],
  ['show', ID],
  ['replay', ID],
  ['messages', ID],
  ['diagram', ID],
  ['export', ID, '--html', 'out.html'],
  ['delete', ID, '--yes'],
  ['confirm-damage', ID],
  ['check'],
  ['backup', '--to', 'fs:out'],
  ['copy', ID, '--to', 'fs:out'],
  ['fork', ID],
  ['resume', ID],
  ['chat', ID, '-'],
  ['chat', '--last', '-'],
  ['studio'],
];

test.each(inCi(commands, 3))(
  'P13: %s names a store that is not there, of folders and in a file, and makes none',
  async (...args) => {
    const given = args.filter((arg) => typeof arg === 'string');
    const where = newFolder();
    for (const [address, path] of [
      ['fs:mistyped', 'mistyped'],
      ['sqlite:mistyped.db', 'mistyped.db'],
    ] as const) {
      const { stderr, exitCode } = await conv({ cwd: where }, ...given, '--store', address);
      expect(stderr).toBe(
        `conv: there is no store at ${join(where, path)}; check the address, a store is made by its first conversation`,
      );
      expect(exitCode).toBe(3);
    }
    expect(readdirSync(where)).toEqual([]);
  },
);

test('P13: studio names a store that is not there in its own argument, too', async () => {
  const { stderr, exitCode } = await conv({ cwd }, 'studio', './mistyped');
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('/mistyped; check the address')]);
});

test.each([
  ['--server', 'http://127.0.0.1:1'],
  ['--store', 'fs:.'],
])('P13: studio refuses an argument and %s together', async (option, place) => {
  const { stderr, exitCode } = await conv({ cwd }, 'studio', 'fs:.', option, place, '--no-open', '--port', '0');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`expected one place, found fs:. and option '${option}'`),
  ]);
});

test('P13: a start of an id that two conversations have is answered with how many there are', async () => {
  const directory = join(newFolder(), 'c');
  const store = new FsStore({ directory });
  for (const end of ['1', '2']) {
    const id = `abcd1234-0000-4000-8000-00000000000${end}`;
    const journal = await store.open(id, { create: 'must', owner: 'test' });
    await journal.append({ id: randomUUID(), events: [], patch: { set: { id } } }, { ...initialFields, id });
    await journal.close();
  }
  await store.close();
  const { stderr, exitCode } = await conv({ cwd }, 'show', 'abcd', '--store', `fs:${directory}`);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('2 conversations begin with abcd; add more')]);
});

test('P13: run says what to set without a model, a script and a configuration', async () => {
  const env = { XDG_DATA_HOME: newFolder() };
  const { stderr, exitCode } = await published({ cwd, env }, 'run', 'x');
  expect(stderr).toContain('no model is configured: set LLM_MODEL');
  expect(exitCode).toBe(6);
});

test('P13: delete without a terminal asks for --yes, and deletes nothing', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`true`');
  const id = await onlyId(setting);
  const { stderr, exitCode } = await conv(setting, 'delete', id);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('add --yes')]);
  expect(await onlyId(setting)).toBe(id);
});
