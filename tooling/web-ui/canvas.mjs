import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('canvas-process.mjs', import.meta.url));
/** Paths of the agent server; everything else is a page of the web UI. */
const ROUTES = ['/api', '/sockets', '/server_info', '/health', '/ready', '/alive', '/docs', '/openapi.json'];

/**
 * Serves the web UI in front of an agent server and an automation service, on a port of its own, with the key that opens the server.
 *
 * @param {{ canvas: string, server: string, automation: string, key: string, log: string }} options
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startCanvas({ canvas, server, automation, key, log }) {
  const own = ROUTES.flatMap((path) => ['--route', `${path}=${server}`]);
  const routes = ['--route', `/api/automation=${automation}`, ...own];
  const address = ['--host', '127.0.0.1', '--port', '0'];
  const args = [canvas, ...address, '--session-api-key', key, '--disable-telemetry', ...routes];
  const child = fork(PROGRAM, args, { silent: true });
  const written = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(written, { end: false });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) =>
    Promise.reject(new Error(`the web UI's server ended with ${code}; see ${log}`)),
  );
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {});
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill();
      await exited;
      written.end();
    },
  };
}
