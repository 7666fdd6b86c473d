import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';
import { onTestFinished } from 'vitest';

/** Claims of a token, beside those of every valid token of the issuer. */
export interface TokenInput {
  readonly claims?: JWTPayload;
  /** Seconds from now. Default 300. */
  readonly validFor?: number;
  readonly audience?: string;
  readonly issuer?: string;
}

/** An issuer of tokens with keys of its own, which it serves over HTTP. Closed after the test. */
export interface TestIssuer {
  readonly url: string;
  /** The public key in use, as text. */
  readonly publicKey: () => Promise<string>;
  /** The id of the key in use. */
  readonly keyId: () => string;
  /** The number of times that its keys were read. */
  readonly reads: () => number;
  token(input?: TokenInput): Promise<string>;
  /** Makes a new key, and serves it alone. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an issuer. */
export async function startIssuer(algorithm = 'ES256'): Promise<TestIssuer> {
  let pair = await generateKeyPair(algorithm, { extractable: true });
  let keyId = 'key-1';
  let reads = 0;
  const jwk = async (): Promise<JWK> => ({ ...(await exportJWK(pair.publicKey)), kid: keyId, alg: algorithm });
  const server = createServer((request, response) => {
    const answer = async (): Promise<object> => {
      if (request.url !== '/keys') return { issuer: url, jwks_uri: `${url}/keys` };
      reads++;
      return { keys: [await jwk()] };
    };
    void answer().then((body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url,
    publicKey: () => exportSPKI(pair.publicKey),
    keyId: () => keyId,
    reads: () => reads,
    token: ({ claims = {}, validFor = 300, audience = 'conv', issuer = url } = {}) =>
      new SignJWT({ sub: 'ann', roles: ['developer'], ...claims })
        .setProtectedHeader({ alg: algorithm, kid: keyId })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(Math.floor(Date.now() / 1000) + validFor)
        .sign(pair.privateKey),
    rotate: async () => {
      pair = await generateKeyPair(algorithm, { extractable: true });
      keyId = `${keyId}+`;
    },
    close,
  };
}
