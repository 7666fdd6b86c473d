import type { EventsList } from '@conv/core';
import type { Event } from '@conv/core/events';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { Reading } from '../../src/hosting/stored-conversation.ts';
import { ConversationDelivery } from '../../src/webhooks/conversation-delivery.ts';
import { LogSteps } from '../../src/webhooks/log-steps.ts';
import type { WebhookFormat } from '../../src/webhooks/webhook-message.ts';
import { WebhookPositions } from '../../src/webhooks/webhook-positions.ts';

const ID = '5f0c2c1e-6a9b-4d55-9d3e-8a0e0c1b2a3d';
const EVENTS = 200;

const all = Array.from({ length: EVENTS }, (_, at) => ({ id: `${at}`, kind: 'MessageEvent', text: 'x'.repeat(1000) }));

test('a batch reads few events more than it has bytes for, and all batches together have each event once', async () => {
  let read = 0;
  const events: Pick<EventsList, 'length' | 'slice'> = {
    length: all.length,
    slice: async (from, to) => {
      const page = all.slice(from, to);
      read += page.length;
      return page as unknown as readonly Event[];
    },
  };
  const fields = { executionStatus: 'finished', title: null, createdAt: new Date(0).toISOString() };
  const reading = { id: ID, fields, state: { events }, [Symbol.asyncDispose]: async () => {} } as unknown as Reading;
  const message = { id: 'x', url: 'https://example.org', contentType: 'application/json' };
  const format: WebhookFormat = {
    mostEvents: 1000,
    mostBytes: 10_000,
    bufferSize: 1,
    announces: false,
    events: (_, batch) => ({ ...message, body: batch.map(({ index }) => index).join(' ') }),
    state: async () => ({ ...message, body: '' }),
  };
  const platform = new ManualPlatform();
  const registry = new MemoryRegistry();
  const positions = new WebhookPositions({ registry, platform, webhook: 'a', holder: 'h', lease: 1000 });
  const readings: number[] = [];
  const sent: string[] = [];
  const steps = new LogSteps({ format, since: 0, read: async () => reading });
  const delivery = new ConversationDelivery({
    positions,
    next: (...given) => steps.next(...given),
    post: async ({ body }) => {
      readings.push(read);
      read = 0;
      sent.push(body);
    },
    delivered: () => {},
  });
  const { signal } = new AbortController();
  expect(await delivery.deliver(ID, { flush: true, signal })).toBe('settled');
  expect(sent.filter((body) => body !== '').flatMap((body) => body.split(' '))).toEqual(all.map(({ id }) => id));
  expect(sent.length).toBeGreaterThan(EVENTS / 10);
  expect(Math.max(...readings)).toBe(20);
});
