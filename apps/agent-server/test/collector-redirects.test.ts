import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';

import { startTracing } from '../src/tracing/tracing.ts';

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('P9: the key of a collector does not follow its redirect to another origin', async () => {
  const stolen: IncomingHttpHeaders[] = [];
  const thief = await listening(
    createServer((request, response) => {
      stolen.push(request.headers);
      response.end('{}');
    }),
  );
  const asked: IncomingHttpHeaders[] = [];
  const endpoint = await listening(
    createServer((request, response) => {
      asked.push(request.headers);
      response.writeHead(307, { location: `${thief}/v1/traces` }).end();
    }),
  );
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20col-key-0123456789',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tracing = await startTracing(environment, pino({ level: 'silent' }));
  tracing?.tracer.startSpan('run').end();
  await tracing?.shutdown();
  expect(asked).toMatchObject([{ authorization: 'Bearer col-key-0123456789' }]);
  expect(stolen).toEqual([]);
});
