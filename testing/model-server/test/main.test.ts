import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function scriptFile(source: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'model-server-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'script.mjs');
  await writeFile(path, source);
  return path;
}

function start(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('the process prints its URL, serves the script, logs requests and ends on SIGTERM', async () => {
  const path = await scriptFile(`export const script = [{ text: 'from a process' }];`);
  const child = start('--script', path, '--api-key', 'key', '--log');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => JSON.parse(String((await lines.next()).value)) as unknown;
  const { url } = (await nextLine()) as { url: string };
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);

  const ask = () =>
    fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    });
  expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: 'from a process' } }] });
  expect(await nextLine()).toEqual({ request: { index: 0, api: 'chat', model: 'm' } });
  expect((await ask()).status).toBe(400);
  expect(await nextLine()).toEqual({ request: { index: 1, api: 'chat', model: 'm' } });
  expect(await nextLine()).toMatchObject({ violation: { rule: 'script' } });

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.each([
  ['without --script', [], '--script'],
  ['with a module that exports no script', ['export const other = 1;'], `must export 'script'`],
])('%s it fails and says what is missing', async (_name, sources, message) => {
  const paths = await Promise.all(sources.map(scriptFile));
  const child = start(...paths.flatMap((path) => ['--script', path]));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(complaint).toContain(message);
});
