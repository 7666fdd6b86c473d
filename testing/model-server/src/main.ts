import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createModelServer } from './model-server.ts';
import type { Script } from './script.ts';

/**
 * `node main.js --script <module> [--port 0] [--api-key key] [--log]`: serves the module's export `script`, prints
 * `{"url": …}` as its first line and, with `--log`, a line per request and per refused request. Ends on SIGTERM and SIGINT.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string' },
      port: { type: 'string', default: '0' },
      'api-key': { type: 'string' },
      log: { type: 'boolean', default: false },
    },
  });
  const { script: path, port, 'api-key': apiKey, log } = values;
  if (path === undefined) throw new TypeError('--script <module path> is missing');
  const server = await createModelServer({
    script: await loadScript(path),
    port: Number(port),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(log ? { onRequest: ({ index, api, model }) => print({ request: { index, api, model } }) } : {}),
    ...(log ? { onViolation: ({ rule, message }) => print({ violation: { rule, message } }) } : {}),
  });
  print({ url: server.url });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.close());
}

async function loadScript(path: string): Promise<Script> {
  const loaded: unknown = await import(pathToFileURL(resolve(path)).href);
  const script = typeof loaded === 'object' && loaded !== null && 'script' in loaded ? loaded.script : undefined;
  if (!isScript(script)) throw new TypeError(`${path} must export 'script': an array of turns or a function`);
  return script;
}

function isScript(value: unknown): value is Script {
  return Array.isArray(value) || typeof value === 'function';
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

await main();
