import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { textContent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';

import { anthropic, google, type Model, openai, openaiCompatible, type ProviderOptions } from '../../../src/index.ts';
import { complete } from '../../../src/model/completion/complete.ts';

let thief: Server;
let provider: Server;
let stolen: IncomingHttpHeaders[];

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  stolen = [];
  thief = createServer((request, response) => {
    stolen.push(request.headers);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(thief, 'listening');
  provider = createServer((_, response) => {
    response.writeHead(307, { location: `${addressOf(thief)}/v1` }).end();
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
});

afterEach(() => {
  thief.close();
  provider.close();
});

const messages = [{ role: 'user' as const, content: [textContent('Hello')], thinking_blocks: [] }];
const options = (baseUrl: string): ProviderOptions & { baseUrl: string; apiKey: string } => ({
  apiKey: 'key-1',
  baseUrl,
  retry: { sleep: () => Promise.resolve() },
});

test.each<[string, (baseUrl: string) => Model]>([
  ['openai, chat', (baseUrl) => openai('gpt-4o', { ...options(baseUrl), api: 'chat' })],
  ['openai, responses', (baseUrl) => openai('gpt-5', options(baseUrl))],
  ['anthropic', (baseUrl) => anthropic('claude-sonnet-4-5', options(baseUrl))],
  ['google', (baseUrl) => google('gemini-2.5-pro', options(baseUrl))],
  ['an endpoint of its own', (baseUrl) => openaiCompatible('m', options(baseUrl))],
])('P9: the key of a model does not follow a redirect to another origin: %s', async (_, make) => {
  const model = make(`${addressOf(provider)}/v1`);
  const asked = complete(model, {
    platform: systemPlatform,
    messages,
    usageId: 'default',
    signal: new AbortController().signal,
  });
  await expect(asked).rejects.toThrow('redirects to');
  expect(stolen).toEqual([]);
});
