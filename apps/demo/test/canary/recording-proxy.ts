import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and keeps every byte that the client sends. */
export interface RecordingProxy extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Bytes that clients sent, a buffer for each connection, in order. */
  readonly sent: readonly Buffer[];
}

/** Starts a proxy on 127.0.0.1 for a server on the port of 127.0.0.1. */
export async function createRecordingProxy(port: number): Promise<RecordingProxy> {
  const connections: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const sent: Buffer[] = [];
    connections.push(sent);
    client.on('data', (chunk: Buffer) => sent.push(chunk));
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the proxy has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    get sent() {
      return connections.map((chunks) => Buffer.concat(chunks));
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
