import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { environment } from './servers.mjs';

const PROGRAM = fileURLToPath(new URL('python_client.py', import.meta.url));

/** OpenHands' Python client as one process that runs a case at a time on the server. */
export async function pythonClient({ server, model, folder, reference }) {
  const args = [server.url, model.url, server.workFolder];
  const { forks } = await reference;
  const place = {
    cwd: folder,
    env: { ...environment(folder), INTEROP_SERVER_VERSION: server.version },
    log: join(folder, 'client.log'),
    socket: join(folder, 'client'),
  };
  const listener = createServer({ allowHalfOpen: true }).listen(place.socket);
  const connected = once(listener, 'connection');
  const child = await forks.fork({ program: PROGRAM, args, ...place });
  const exited = once(child, 'exit');
  const [peer] = await Promise.race([connected, exited]);
  listener.close();
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the Python client ended; its log is ${place.log}`);
  const lines = createInterface({ input: peer })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the Python client ended; its log is ${place.log}`);
    return JSON.parse(value);
  };
  await next();
  return {
    async run(name) {
      peer.write(`${JSON.stringify({ case: name })}\n`);
      for (;;) {
        const { need, ok, detail } = await next();
        if (need === undefined) {
          if (ok) return;
          throw new Error(detail);
        }
        await server.restart();
        peer.write('{}\n');
      }
    },
    async close() {
      peer.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
