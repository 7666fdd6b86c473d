import { isConversationError } from '@conv/core';
import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';

test('a wrong key is DENIED, and neither key nor secrets are in the error', async () => {
  await using bench = await Bench.start({ apiKey: 'the right one' });
  const denied = bench.open({ workspace: bench.workspace({ apiKey: 'KEY-wrong' }), secrets: { TOKEN: 'VALUE-1' } });
  const error = await denied.catch((reason: unknown) => reason);
  expect(isConversationError(error, 'DENIED')).toBe(true);
  expect(String(error)).toMatch(/401 Unauthorized; give a key of this server as apiKey$/);
  expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(/KEY-wrong|VALUE-1/);
  expect(JSON.stringify(bench.workspace({ apiKey: 'KEY-wrong' }))).not.toContain('KEY-wrong');
});

test('an error does not hold the parts of a wrong request that the server repeats', async () => {
  await using bench = await Bench.start({
    fault: ({ method, path }) =>
      method === 'POST' && path === '/api/conversations'
        ? { status: 422, body: { detail: [{ loc: ['body', 'secrets'], msg: 'wrong', input: 'VALUE-1' }] } }
        : undefined,
  });
  const error = await bench.open().catch((reason: unknown) => reason);
  expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
  expect(String(error)).toContain('body.secrets: wrong');
  expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('VALUE-1');
});

test('P9: a server that quotes keys and secrets of a request brings them into no error', async () => {
  const quoted: string[] = [];
  await using bench = await Bench.start({
    fault: ({ method, path }) =>
      method === 'POST' && path === '/api/conversations'
        ? { status: 400, body: { detail: `cannot use ${'x'.repeat(460)} ${quoted.join(' and ')}` } }
        : undefined,
  });
  const llm = { model: 'fake', api_key: 'sk-MODEL-KEY-0123', extra_headers: { 'X-Team': 'HEADER-VALUE-1' } };
  quoted.push(llm.api_key, llm.extra_headers['X-Team'], 'SECRET-VALUE-1');
  const options = { agent: { kind: 'Agent', llm }, secrets: { TOKEN: 'SECRET-VALUE-1' } };
  const error = await bench.open(options).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
  expect(String(error)).toContain('cannot use');
  const shown = JSON.stringify([String(error), (error as Error).cause, ((error as Error).cause as Error).message]);
  expect(shown).not.toMatch(/sk-MODEL|HEADER-VALUE|SECRET-VALUE/);
});
