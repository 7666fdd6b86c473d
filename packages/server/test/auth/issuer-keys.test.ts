import { createRemoteJWKSet, customFetch, exportJWK, generateKeyPair, jwksCache, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';

import { IssuerKeys } from '../../src/auth/issuer-keys.ts';

test('no token waits for an issuer that hangs after it has failed, while its last keys count', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] };
  const token = await new SignJWT({ sub: 'ann' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const answers: Response[] = [Response.json(jwks), new Response(null, { status: 503 })];
  let [now, reads, waiting] = [0, 0, Promise.withResolvers<Response>()];
  const fetch = async (): Promise<Response> => answers[reads++] ?? waiting.promise;
  const cache = {};
  const remote = createRemoteJWKSet(new URL('https://login.example/keys'), {
    cacheMaxAge: Infinity,
    [customFetch]: fetch,
    [jwksCache]: cache,
  });
  const keys = new IssuerKeys({ remote, cache, cooldown: 30_000, now: () => now });
  const nameAt = async (time: number): Promise<string | undefined> => {
    now = time;
    return (await jwtVerify(token, keys.of)).payload.sub;
  };
  expect(await nameAt(0)).toBe('ann');
  expect(await nameAt(600_000)).toBe('ann');
  expect(reads).toBe(2);
  // the third reading has no answer while these tokens are verified
  for (const time of [630_000, 660_000, 690_000]) expect(await nameAt(time)).toBe('ann');
  expect(reads).toBe(3);
  // a key that was withdrawn meanwhile counts no more after the answer
  waiting.resolve(Response.json({ keys: [] }));
  await waiting.promise;
  await expect.poll(() => remote.reloading).toBe(false);
  await expect(nameAt(700_000)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
});
