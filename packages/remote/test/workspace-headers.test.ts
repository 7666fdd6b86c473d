import { expect, test } from 'vitest';

import { RemoteWorkspace } from '../src/index.ts';

const host = 'http://127.0.0.1:1';

test.each<[string, unknown, string]>([
  ['no object', 'x-team: a', 'expected an object of names and values'],
  ['a name with a blank', { 'x team': 'a' }, 'found "x team"'],
  ['an empty name', { '': 'a' }, 'found ""'],
  ['a value of two lines', { 'x-team': 'secret\nvalue' }, 'for x-team'],
  ['a value beyond Latin-1', { 'x-team': 'secret — value' }, 'for x-team'],
  ['a value that is no text', { 'x-team': 5 }, 'for x-team'],
])('P13 P9: headers with %s are INVALID_INPUT, and no value is quoted', (_, headers, words) => {
  let error: unknown;
  try {
    // a caller in JavaScript may give anything
    void new RemoteWorkspace({ host, headers: headers as Record<string, string> });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(words) });
  expect(String(error)).not.toContain('secret');
});

test('headers that HTTP can send are taken', () => {
  const headers = { Authorization: 'Bearer a.b-c_d~e+f/g=', 'x-name': 'Zoë', 'x-empty': '', 'x-tab': 'a\tb' };
  expect(new RemoteWorkspace({ host, headers }).host).toBe(host);
});
