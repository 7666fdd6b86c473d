import { expect, test } from 'vitest';

import { read } from './read-settings.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('webhooks are read from JSON, with hosts of private networks', async () => {
  const webhooks = [{ name: 'billing', url: 'https://example.org/hook', secrets: [SECRET], headers: { 'x-a': 'b' } }];
  const environment = { CONV_WEBHOOKS: JSON.stringify(webhooks), CONV_WEBHOOK_HOSTS: 'hooks.internal:8080' };
  expect(await read(environment)).toMatchObject({ webhooks, webhookHosts: ['hooks.internal:8080'] });
});

test("webhooks of OpenHands' server are read from its variables", async () => {
  const environment = {
    OH_WEBHOOKS_0_BASE_URL: 'https://example.org/api',
    OH_WEBHOOKS_0_HEADERS: '{"Authorization":"Bearer x"}',
    OH_WEBHOOKS_0_EVENT_BUFFER_SIZE: '2',
    OH_WEBHOOKS_0_RETRY_DELAY: '1',
    OH_WEBHOOKS_1_BASE_URL: 'https://example.com',
  };
  const first = { url: 'https://example.org/api', headers: { Authorization: 'Bearer x' }, bufferSize: 2 };
  const second = { url: 'https://example.com', bufferSize: 5, backoff: { first: 5000 } };
  const format = { format: 'openhands', flushDelay: 30_000 };
  const { webhooks } = await read(environment);
  expect(webhooks).toMatchObject([
    { ...first, ...format, backoff: { first: 1000 } },
    { ...second, ...format },
  ]);
  expect(webhooks.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^openhands-[\da-f]{12}$/),
    expect.stringMatching(/^openhands-[\da-f]{12}$/),
  ]);
  expect(await read({ OH_WEBHOOKS: '[{"base_url":"https://example.com"}]' })).toMatchObject({ webhooks: [second] });
});

test.each([
  ['CONV_WEBHOOKS', '{}', 'CONV_WEBHOOKS: must be a list of objects with name and url'],
  ['CONV_WEBHOOKS', '[{"name":"x"}]', 'CONV_WEBHOOKS (0.url): '],
  ['CONV_WEBHOOKS', '[{"name":"x","url":"https://example.org","urls":1}]', 'CONV_WEBHOOKS (0): '],
  ['CONV_WEBHOOKS', '["https://example.org/s3cret"]', 'CONV_WEBHOOKS (0): must be an object such as'],
  [
    'OH_WEBHOOKS',
    '[{"base_url":"https://example.org","event_buffer_size":0}]',
    'CONV_WEBHOOKS (0.event_buffer_size): ',
  ],
  ['CONV_WEBHOOK_HOSTS', 'https://example.org', 'CONV_WEBHOOK_HOSTS (0): expected a host such as hooks.internal:8080'],
])('%s=%s is refused by its name, and no value of a webhook is repeated', async (name, value, message) => {
  const error: unknown = await read({ [name]: value }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toMatch(/s3cret/);
});

test('hosts have an effect for webhooks and for push notifications of A2A', async () => {
  const hosts = { CONV_WEBHOOK_HOSTS: '10.0.0.7' };
  expect(await read(hosts)).toMatchObject({ webhookHosts: ['10.0.0.7'] });
  await expect(read({ ...hosts, CONV_PROTOCOLS: 'mcp' })).rejects.toThrow(
    'CONV_WEBHOOK_HOSTS: it has no effect without webhooks and push notifications',
  );
});
