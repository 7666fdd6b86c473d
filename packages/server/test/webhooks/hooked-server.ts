import { MemoryRegistry } from '@conv/store-kit/registry';
import { WebhookReceiver } from '@conv/testing-harness';
import { onTestFinished } from 'vitest';

import type { WebhookOptions, WebhooksOptions } from '../../src/webhooks/webhooks-options.ts';
import { startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Options of a {@link hookedServer}. */
export interface Hooked extends Omit<TestServerOptions, 'webhooks'> {
  readonly receiver: WebhookReceiver;
  readonly registry?: MemoryRegistry;
  readonly webhook?: Partial<WebhookOptions>;
  readonly webhooks?: Partial<WebhooksOptions>;
}

/** Starts a receiver. Closed after the test. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A server with one webhook that loses no time. */
export function hookedServer({ receiver, registry, webhook, webhooks, ...options }: Hooked): Promise<TestServer> {
  const endpoint = {
    name: 'hook',
    url: receiver.url,
    secrets: [SECRET],
    timeout: 10_000,
    backoff: { first: 5, most: 20 },
  };
  return startServer({
    turns: Array.from({ length: 20 }, () => ({ text: 'done' })),
    webhooks: {
      registry: registry ?? new MemoryRegistry(),
      hosts: [`127.0.0.1:${receiver.port}`],
      scanInterval: 20,
      endpoints: [{ ...endpoint, ...webhook }],
      ...webhooks,
    },
    ...options,
  });
}
