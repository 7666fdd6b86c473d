import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test, vi } from 'vitest';

import { Balancer } from '../src/balancer/balancer.ts';
import type { Backend } from '../src/balancer/health.ts';

/** Starts a server that is ready and does this with every other request. */
async function backend(name: string, listener: RequestListener): Promise<Backend & { readonly close: () => void }> {
  const server = createServer((request, response) => {
    if (request.url === '/ready') response.end('{}');
    else listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { name, port: (server.address() as AddressInfo).port, close };
}

async function balancerOf(...backends: readonly Backend[]): Promise<Balancer> {
  const balancer = await Balancer.start(backends, () => 'pass');
  onTestFinished(() => balancer[Symbol.asyncDispose]());
  return balancer;
}

/** Asks until some server was found. */
async function ask(balancer: Balancer, method = 'GET'): Promise<{ readonly status: number; readonly text: string }> {
  return vi.waitFor(
    async () => {
      const answer = await fetch(balancer.url, { method });
      const text = await answer.text();
      if (answer.status === 503) throw new Error('nobody is there yet');
      return { status: answer.status, text };
    },
    { timeout: 100_000, interval: 20 },
  );
}

test('requests go to the servers in turn', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => backend(name, (_, response) => response.end(name))),
  );
  const balancer = await balancerOf(one as Backend, two as Backend);
  await vi.waitFor(
    async () => {
      const texts = [(await ask(balancer)).text, (await ask(balancer)).text, (await ask(balancer)).text];
      expect(texts[0]).not.toBe(texts[1]);
      expect(texts[0]).toBe(texts[2]);
    },
    { timeout: 100_000, interval: 20 },
  );
});

test('a command whose server refuses it goes to the next one', async () => {
  const one = await backend('one', (_, response) => response.end('one'));
  const two = await backend('two', (_, response) => response.end('two'));
  const balancer = await balancerOf(one, two);
  await vi.waitFor(async () => expect((await ask(balancer)).text).toBe('two'), { timeout: 100_000, interval: 20 });
  two.close();
  for (let time = 0; time < 4; time++) expect(await ask(balancer, 'POST')).toEqual({ status: 200, text: 'one' });
});

test('a command without an answer is answered with 502 and not sent again, a GET goes to the next server', async () => {
  const given: string[] = [];
  const one = await backend('one', (request) => {
    given.push(`one ${request.method}`);
    request.socket.destroy();
  });
  const balancer = await balancerOf(one);
  expect((await ask(balancer, 'POST')).status).toBe(502);
  expect(given).toEqual(['one POST']);
  const two = await backend('two', (_, response) => response.end('two'));
  const both = await balancerOf(one, two);
  await vi.waitFor(
    async () => {
      expect(await ask(both)).toEqual({ status: 200, text: 'two' });
      expect(given).toContain('one GET');
    },
    { timeout: 100_000, interval: 20 },
  );
});
