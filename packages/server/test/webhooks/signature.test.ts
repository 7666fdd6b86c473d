import { expect, test } from 'vitest';

import { signatures, signingKey } from '../../src/webhooks/signature.ts';

// the example of the libraries of Standard Webhooks
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PARTS = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

test('a request has the signature that Standard Webhooks asks for', () => {
  expect(signatures([signingKey(SECRET)!], PARTS)).toBe(SIGNATURE);
});

test('each of several keys signs', () => {
  const other = signingKey(`whsec_${Buffer.alloc(32).toString('base64')}`)!;
  const [first, second] = signatures([other, signingKey(SECRET)!], PARTS).split(' ');
  expect(second).toBe(SIGNATURE);
  expect(first).toMatch(/^v1,[A-Za-z\d+/]{43}=$/);
});

test.each([
  '',
  SECRET.slice(6),
  'whsec_',
  'whsec_!!!!',
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  `whsec_${Buffer.alloc(65).toString('base64')}`,
])('%j is no key', (secret) => {
  expect(signingKey(secret)).toBeUndefined();
});
