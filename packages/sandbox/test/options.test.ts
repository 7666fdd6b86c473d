import { isToolError } from '@conv/core/tool';
import { expect, onTestFinished, test, vi } from 'vitest';

import { sandbox, sandboxProblem } from '../src/index.ts';
import { isHere } from './open-sandbox.ts';

test.each([
  [{ readonly: [] }, 'sandbox: there is no option "readonly"'],
  [{ read: ['data'] }, 'sandbox: read: expected absolute paths'],
  [{ readOf: ['/data'] }, 'sandbox: readOf: expected a function'],
  [{ write: '/data' }, 'sandbox: write: expected absolute paths'],
  [{ hide: [''] }, 'sandbox: hide: expected absolute paths'],
  [{ protect: ['../other'] }, 'sandbox: protect: expected paths in the workspace'],
  [{ protect: ['/etc'] }, 'sandbox: protect: expected paths in the workspace'],
  [{ directory: 'here' }, 'sandbox: directory: expected an absolute path'],
  [{ network: 'none' }, "sandbox: network: expected 'open', 'closed' or { hosts }"],
  [{ network: null }, "sandbox: network: expected 'open', 'closed' or { hosts }"],
  [{ network: { host: ['example.org'] } }, 'sandbox: network: there is no option "host"'],
  [{ network: { hosts: [] } }, 'sandbox: network: hosts: expected names or addresses of hosts'],
  [
    { network: { hosts: ['example.org', 'https://example.org'] } },
    'such as example.org, *.example.org or 192.0.2.1:8443, found "https://example.org"',
  ],
])('%j is refused by name', (options, message) => {
  expect(() => sandbox(options as never)).toThrow(message);
});

test('an opening without bubblewrap is refused, and says what to install', async () => {
  vi.stubEnv('PATH', '/nowhere');
  try {
    const opening = sandbox().open({ conversationId: 'any', workingDirectory: '/' });
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(isToolError(error, 'UNSUPPORTED')).toBe(true);
    expect(String(error)).toMatch(process.platform === 'linux' ? /install bubblewrap/ : /needs Linux/);
  } finally {
    vi.unstubAllEnvs();
  }
});

test.skipIf(!isHere)('a machine with bubblewrap has no problem', async () => {
  expect(await sandboxProblem()).toBeUndefined();
});

test('the problem of a machine without bubblewrap says what to install', async () => {
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await sandboxProblem()).toMatch(process.platform === 'linux' ? /install bubblewrap/ : /needs Linux/);
});
