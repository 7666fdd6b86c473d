import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';

import { startTracing } from '../src/tracing/tracing.ts';

/** Starts a server that answers each request in this way. Resolves with its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends one span to a collector with this key. Resolves with the log when everything was sent or refused. */
async function logOfSending(endpoint: string): Promise<string> {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20col-key-0123456789',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  let log = '';
  const tracing = await startTracing(environment, pino({ level: 'debug' }, { write: (line) => (log += line) }));
  tracing?.tracer.startSpan('run').end();
  await tracing?.shutdown();
  return log;
}

test('P9: a collector that quotes its key when it refuses spans brings it into no line of the log', async () => {
  const endpoint = await answering(({ headers }, response) => {
    response.writeHead(401, `not known here: ${headers.authorization}`).end();
  });
  const log = await logOfSending(endpoint);
  expect(log).toContain('not known here');
  expect(log).not.toContain('col-key-0123456789');
});

test('P9: the key of a collector does not follow its redirect to another origin', async () => {
  const stolen: IncomingHttpHeaders[] = [];
  const thief = await answering((request, response) => {
    stolen.push(request.headers);
    response.end('{}');
  });
  const asked: IncomingHttpHeaders[] = [];
  const endpoint = await answering((request, response) => {
    asked.push(request.headers);
    response.writeHead(307, { location: `${thief}/v1/traces` }).end();
  });
  await logOfSending(endpoint);
  expect(asked).toMatchObject([{ authorization: 'Bearer col-key-0123456789' }]);
  expect(stolen).toEqual([]);
});
