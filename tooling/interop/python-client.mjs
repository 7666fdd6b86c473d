import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { environment } from './servers.mjs';

const PROGRAM = fileURLToPath(new URL('python_client.py', import.meta.url));

/** OpenHands' Python client as one process that runs a case at a time on the server. */
export async function pythonClient({ server, model, folder, reference }) {
  const args = [PROGRAM, server.url, model.url, server.workFolder];
  const child = spawn((await reference).python, args, { env: environment(folder), stdio: ['pipe', 'pipe', 'pipe'] });
  child.stderr.pipe(createWriteStream(join(folder, 'client.log')));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the Python client ended; its log is ${join(folder, 'client.log')}`);
    return JSON.parse(value);
  };
  await next();
  return {
    async run(name) {
      child.stdin.write(`${JSON.stringify({ case: name })}\n`);
      for (;;) {
        const { need, ok, detail } = await next();
        if (need === undefined) {
          if (ok) return;
          throw new Error(detail);
        }
        await server.restart();
        child.stdin.write('{}\n');
      }
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
