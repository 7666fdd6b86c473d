import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { conv } from './command.ts';
import { newFolder } from './new-folder.ts';

const cwd = newFolder();
writeFileSync(join(cwd, 'broken.json'), '{ "x');
writeFileSync(join(cwd, 'other.yaml'), 'modle: gpt-5\n');
mkdirSync(join(cwd, 'folder'));

/** A command line that cannot be meant, the variables beside it, and what it is answered. */
type Mistake = readonly [args: readonly string[], says: string, env?: Readonly<Record<string, string>>];

const mistakes: readonly Mistake[] = [
  [['rum'], 'unknown command "rum"'],
  [['run', 'x', '--modle', 'y'], "unknown option '--modle'"],
  [['run', 'x', '--config', 'missing.yaml'], 'the configuration missing.yaml cannot be read: ENOENT'],
  [['run', 'x', '--config', 'folder'], 'the configuration folder cannot be read: EISDIR'],
  [['run', 'x', '--config', 'broken.json'], 'expected JSON or YAML'],
  [['run', 'x', '--config', 'other.yaml'], 'modle: unknown member; expected one of model, tools,'],
  [['run', 'x', '--mcp', 'missing.json'], 'the file of MCP servers missing.json cannot be read: ENOENT'],
  [['run', 'x', '--mcp', 'broken.json'], 'the file of MCP servers broken.json is not JSON'],
  [['run', 'x', '--secret', 'NOT_SET'], 'the secret NOT_SET has no value: set the variable NOT_SET'],
  [
    ['run', 'x', '--budget', 'free'],
    "option '--budget <usd>' argument 'free' is invalid. It must be a number above 0.",
  ],
  [['run', 'x', '--server', 'ftp://x'], 'expected http:// or https://, found ftp://'],
  [['backup', 'fs:folder'], "required option '--to <store>' not specified"],
  [['check', 'nowhere'], 'no conversation in nowhere'],
  [['check', 'sqlite:folder'], '/folder: expected a file with conversations, found a folder'],
  [
    ['backup', 'fs:folder', '--to', 'fs:/proc/x'],
    '/proc/x: expected a folder with conversations, found a place of the',
  ],
  [['check', 'fs:broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['backup', 'fs:nowhere', '--to', 'fs:out'], 'no conversation in fs:nowhere'],
  [
    ['backup', 'fs:folder', '--to', 'fs:broken.json'],
    '/broken.json: expected a folder with conversations, found a file',
  ],
  [['copy', '12345678', '--from', 'sqlite:folder', '--to', 'fs:out'], '/folder: expected a file with conversations'],
  [['list', '--dir', 'broken.json'], "option '--dir <dir>' argument 'broken.json' is invalid. "],
  [['show', '12345678', '--dir', 'broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['run', 'x', '--dir', 'broken.json'], '/broken.json: expected a folder with conversations, found a file'],
  [['resume', '12345678', '--dir', 'broken.json/below'], 'found a file in its path; give another address'],
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

test.for(mistakes)('P13: the command line %j is answered: %s', async ([args, says, env = {}]) => {
  const { stderr, exitCode } = await conv({ cwd, env }, ...args);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n\s+at |TypeError|is not a function/);
  expect(exitCode).toBeGreaterThan(0);
});
