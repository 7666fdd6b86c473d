import { expect, test } from 'vitest';

import { acpAgent } from '../src/index.ts';

test.each<[string, object, string]>([
  ['env', { env: 'A=1' }, 'expected an object of names and texts, found a string'],
  ['env', { env: ['A=1'] }, 'expected an object of names and texts, found an array'],
  ['env', { env: { A: 1 } }, 'expected an object of names and texts'],
  ['args', { args: '--fast' }, 'expected an array of texts, found a string'],
  ['promptTimeout', { promptTimeout: '5000' }, 'found a string'],
  ['promptTimeout', { promptTimeout: 0 }, 'found 0'],
  ['startupTimeout', { startupTimeout: Number.NaN }, 'found NaN'],
  ['sandbox', { sandbox: null }, 'expected a sandbox, such as sandbox() of @conv/sandbox, found null'],
  ['description', { description: null }, 'expected an object, found null'],
  ['model', { model: '' }, 'expected a text that is not empty, found an empty string'],
])('acpAgent refuses the option %s by name for %j', (name, option, words) => {
  const make = (): unknown => acpAgent({ command: 'x', ...option });
  expect(make).toThrow(`[INVALID_OPTION] acpAgent: ${name}: expected`);
  expect(make).toThrow(words);
});

test('secret variables are those of MCP servers: by their names, and by values that are no plain words', () => {
  const env = {
    SHIP: 'Albatross',
    PORT: '8080',
    SHIP_KEY: 'key-of-the-ship',
    BASIC_AUTH: 'captain:hook',
    SHIP_PWD: 'albatross',
    DATABASE_URL: 'postgres://captain:of-the-sea@harbour.example/log',
  };
  const hidden = acpAgent({ command: 'x', env }).secretValues?.() ?? [];
  expect([...hidden].sort()).toEqual(['albatross', 'captain:hook', 'key-of-the-ship', 'of-the-sea']);
});

test('P9: a secret variable is masked also if it has a `$`; what names a secret is not', () => {
  const env = {
    SHIP_KEY: 'key$of-the-ship',
    DATABASE_URL: 'postgres://captain:of$the-sea@harbour.example/log',
    LOG: 'log$book-0123',
    DOOR_KEY: '${DOOR:-key-of-the-door}',
    AUTHORIZATION: 'Bearer ${HARBOUR}',
    PIER_KEY: '$PIER',
    DATA: '$HOME/data',
    LOG_URL: 'postgres://captain:${HARBOUR}@harbour.example/log',
  };
  const hidden = acpAgent({ command: 'x', env }).secretValues?.() ?? [];
  expect([...new Set(hidden)].sort()).toEqual(['key$of-the-ship', 'key-of-the-door', 'log$book-0123', 'of$the-sea']);
});
