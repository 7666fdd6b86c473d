import { MemoryStore } from '@conv/core/store';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { expect, test } from 'vitest';

import { agentServer } from '../../src/plugin.ts';
import type { WebhooksOptions } from '../../src/webhooks/webhooks-options.ts';

const server = { store: new MemoryStore(), persistenceDir: 'x', agents: { revive: async () => undefined } };
const registry = new MemoryRegistry();
const endpoint = { name: 'a', url: 'https://example.org/hook' };

test('webhooks with all members are taken', () => {
  const secrets = [`whsec_${Buffer.alloc(24).toString('base64')}`];
  const full = { secrets, headers: { Authorization: 'Bearer x' }, timeout: 5, backoff: { first: 1, most: 2 } };
  const endpoints = [
    { ...endpoint, ...full },
    { ...endpoint, name: 'b', format: 'openhands', bufferSize: 3, flushDelay: 5 } as const,
    { ...endpoint, name: 'c', url: 'https://example.org/hook?signature=s3cret' },
  ];
  const hosts = ['hooks.internal:8080'];
  expect(
    agentServer({ ...server, webhooks: { registry, endpoints, hosts, scanInterval: 5, observer: {} } }),
  ).toBeTypeOf('function');
});

test.each([
  [{ endpoints: {} }, 'webhooks: endpoints: expected a list of receivers, found an object'],
  [{ registry: {} }, 'webhooks'],
  [{ hosts: ['https://x.org'] }, 'webhooks: hosts: expected a host such as'],
  [{ scanInterval: 0 }, 'webhooks: scanInterval: expected milliseconds above 0'],
  [{ endpoints: [endpoint, endpoint] }, 'expected different names, found two times a; rename one'],
  [{ endpoints: [{ ...endpoint, name: 'a/b' }] }, 'endpoints: 0: name: expected 1 to 40 letters'],
  [{ endpoints: [{ ...endpoint, url: 'ftp://example.org' }] }, 'endpoints: 0: url: expected an http or https URL'],
  [
    { endpoints: [{ ...endpoint, url: 'https://u:s3cret@example.org' }] },
    'endpoints: 0: url: expected an http or https URL',
  ],
  [
    { endpoints: [{ ...endpoint, format: 'openhands', url: 'https://example.org/hook?key=s3cret' }] },
    'endpoints: 0: url: expected a base URL without query in the format openhands, found a string',
  ],
  [
    { endpoints: [{ ...endpoint, format: 'openhands', url: 'https://example.org/hook?' }] },
    'endpoints: 0: url: expected a base URL without query',
  ],
  [{ endpoints: [{ ...endpoint, format: 'json' }] }, 'endpoints: 0: format: expected cloudevents or openhands'],
  [{ endpoints: [{ ...endpoint, secrets: ['s3cret'] }] }, 'endpoints: 0: secrets: expected a list of keys: whsec_'],
  [{ endpoints: [{ ...endpoint, headers: { 'webhook-id': 'x' } }] }, 'endpoints: 0: headers: expected other headers'],
  [{ endpoints: [{ ...endpoint, headers: { 'x-a': 's3cret\n' + 'x' } }] }, 'endpoints: 0: headers: x-a: expected'],
  [{ endpoints: [{ ...endpoint, timeout: Infinity }] }, 'endpoints: 0: timeout: expected milliseconds above 0'],
  [{ endpoints: [{ ...endpoint, backoff: { most: -1 } }] }, 'endpoints: 0: backoff: most: expected milliseconds'],
  [{ endpoints: [{ ...endpoint, bufferSize: 5 }] }, 'bufferSize and flushDelay belong to the format openhands'],
  [{ endpoints: [{ ...endpoint, format: 'openhands', bufferSize: 0 }] }, 'bufferSize: expected a whole number from 1'],
  [{ endpoints: [{ ...endpoint, secret: 'x' }] }, 'endpoints: 0: there is no option "secret"; did you mean secrets?'],
])('the webhooks %j are refused by name, and no secret is repeated', (given, message) => {
  const webhooks = { registry, endpoints: [], ...given } as unknown as WebhooksOptions;
  const refuse = (): unknown => agentServer({ ...server, webhooks });
  expect(refuse).toThrow(message);
  expect(refuse).not.toThrow('s3cret');
});

test('a server that takes no commands has no webhooks', () => {
  expect(() => agentServer({ ...server, readOnly: 'a copy', webhooks: { registry, endpoints: [] } })).toThrow(
    'expected readOnly or webhooks, found both',
  );
});
