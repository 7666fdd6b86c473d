import { CAPABILITIES } from '@conv/openhands/rest';
import { expect, test } from 'vitest';
import { explain, statusIn } from '../../src/page/data/explain.ts';
import { detailIn, RequestError } from '../../src/page/data/request-error.ts';
import { missingFeatures } from '../../src/page/data/server.ts';

const failed = (status: number, detail: string): RequestError => new RequestError('GET /x', status, detail);

test.each([
  [failed(0, ''), 'The server does not answer. The page keeps trying; check that the server runs.'],
  [failed(403, 'this store is read-only'), 'This store is read-only.'],
  [failed(409, 'conversation x is owned by another process'), 'Conversation x is owned by another process.'],
  [
    failed(413, 'The message is too large'),
    'The message is too large. It is too large for the server. Send a smaller image or file.',
  ],
  [failed(500, ''), 'GET /x.'],
  [new Error('The image cannot be read. Attach another one.'), 'The image cannot be read. Attach another one.'],
])('the failure %s is explained by the sentence %s', (error, sentence) => {
  expect(explain(error)).toBe(sentence);
});

test('a failure of the remote client is explained by the answer behind it', () => {
  const cause = Object.assign(new Error('POST /x: 409'), { status: 409, detail: 'the agent is running' });
  const error = Object.assign(new Error('POST /x: 409', { cause }), { code: 'BUSY' });
  expect([explain(error), statusIn(error)]).toEqual(['The agent is running.', 409]);
  const silent = Object.assign(new Error('no answer'), { code: 'UNREACHABLE' });
  expect(statusIn(silent)).toBe(0);
});

test('the places of what a server refuses are named', () => {
  const detail = [{ loc: ['body', 'max_budget'], msg: 'must be above 0' }, { loc: [], msg: 'other' }, 7];
  expect(detailIn({ detail })).toBe('max_budget: must be above 0; other');
});

test('each feature that a server can lack is a capability that this project announces', () => {
  const lacking = missingFeatures({ capabilities: new Set() });
  expect(lacking.length).toBeGreaterThan(4);
  expect(missingFeatures({ capabilities: new Set(Object.values(CAPABILITIES)) })).toEqual([]);
});
