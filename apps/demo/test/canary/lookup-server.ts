import { once } from 'node:events';
import { createServer } from 'node:http';

/** Server that returns a secret to clients with the token for it. */
export interface LookupServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts a server on 127.0.0.1. */
export async function createLookupServer(token: string, value: string): Promise<LookupServer> {
  const server = createServer((request, response) => {
    const known = request.headers['x-vault-token'] === token;
    response.writeHead(known ? 200 : 403).end(known ? value : 'no');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
