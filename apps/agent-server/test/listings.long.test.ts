import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerHere } from './server-here.ts';

let model: ModelServer;
let server: ServerHere;
/** A folder whose programs find the packages of this one, as those of a user find theirs. */
let folder: string;

beforeAll(async () => {
  const cache = join(import.meta.dirname, '../.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'listings-'));
  model = await createModelServer({ script: () => say('Two files.') });
  server = await ServerHere.start(newFolder());
  const llm = { model: 'openai/any', base_url: model.url, api_key: 'sk-any-0123456789', usage_id: 'agent' };
  await server.call('PATCH', '/api/settings', { agent_settings_diff: { llm } });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
  await model.close();
});

const variables = () => ({ ...process.env, SERVER: server.url, KEY: server.key });

/** Returns the first listing of a document whose text has these words. */
function listing(document: string, language: string, words: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../..', document), 'utf8');
  const all = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
  const found = all.find((code) => code.includes(words));
  if (found === undefined) throw new Error(`expected a listing with ${words} in ${document}, found none`);
  return found;
}

/** Runs a program, and resolves with what it prints. */
async function printed(name: string, code: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env: variables(), timeout: 60_000 });
  return stdout;
}

test.each([
  ['openai', "from 'openai'"],
  ['ag-ui', "from '@ag-ui/client'"],
  ['a2a', "from '@a2a-js/sdk/client'"],
  ['mcp', "from '@modelcontextprotocol/client'"],
  ['ai-ui', "from 'ai'"],
])('the client in the README of %s runs as it stands, in ten lines or so', async (name, words) => {
  const code = listing(`packages/${name}/README.md`, 'js', words);
  expect(code.split('\n').filter((line) => line !== '').length).toBeLessThan(16);
  expect(await printed(`${name}.mjs`, code)).toContain('Two files.');
});

test('the lines of the page about protocols set a model and get an answer', async () => {
  const lines = listing('docs/protocols.md', 'sh', '/v1/responses').split('\n');
  const [start, ...rest] = lines;
  expect(start).toContain('npm run server');
  const script = rest.join('\n').replace('"sk-…"', `"sk-any","base_url":${JSON.stringify(model.url)}`);
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env: variables(), timeout: 60_000 });
  expect(stdout).toContain('Two files.');
});

test('curl follows a conversation by the line of the page about streams', async () => {
  const { id } = (await (
    await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'conversation', input: 'What is in this folder?' }),
    })
  ).json()) as { readonly id: string };
  const [, hex = ''] = id.split('_');
  const ID = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const line = listing('packages/server/README.md', 'sh', 'curl -N').replace('http://localhost:8000', server.url);
  const curl = spawn('bash', ['-c', `exec ${line}`], {
    env: { ...variables(), ID },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void curl.kill());
  let told = '';
  for await (const piece of curl.stdout) if (/^event: state$/m.test((told += String(piece)))) break;
  expect(told).toMatch(/^id: 1$/m);
  expect(told).toContain('Two files.');
});

test('a handler is mounted in Fastify by the listing in the README of ai-ui', async () => {
  const code = listing('packages/ai-ui/README.md', 'ts', "from 'fastify'");
  const used = `
    const app = mounted(async (request) => {
      const said = [request.method, new URL(request.url).pathname, request.headers.get('x-of'), await request.text()];
      return new Response(said.join(' '), { status: 202 });
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { 'content-type': 'application/json', 'x-of': 'me' };
    for (const [path, method, body] of [['', 'POST', '{"a":'], ['/x/stream', 'GET'], ['/x/stream', 'DELETE']]) {
      const answer = await fetch(address + '/api/chat' + path, { method, headers, body });
      console.log(answer.status, await answer.text());
    }
    await app.close();`;
  expect(await printed('mounted.ts', code + used)).toBe(
    ['202 POST /api/chat me {"a":', '202 GET /api/chat/x/stream me ', '202 DELETE /api/chat/x/stream me ', ''].join(
      '\n',
    ),
  );
});
