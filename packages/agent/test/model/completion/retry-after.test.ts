import { expect, test } from 'vitest';
import { redact } from '../../../src/model/redact.ts';
import { retryAfterOf } from '../../../src/model/completion/retry-after.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Sun, 01 Mar 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
  [undefined, undefined],
])('%j asks for %s ms', (headers, expected) => {
  expect(retryAfterOf(headers as Record<string, string> | undefined, now)).toBe(expected);
});

test('known keys and what looks like one are masked', () => {
  const text =
    'my-own key, sk-proj-abc123DEF456, AIzaSyA1234567890abc, Bearer abcdef123456; api_version and skills stay';
  const masked = redact(text, ['my-own']);
  expect(masked).toBe('<redacted> key, <redacted>, <redacted>, <redacted>; api_version and skills stay');
});
