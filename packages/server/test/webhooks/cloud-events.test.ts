import type { Event } from '@conv/core/events';
import { expect, test } from 'vitest';

import type { Reading } from '../../src/hosting/stored-conversation.ts';
import { cloudEvents } from '../../src/webhooks/cloud-events.ts';

const reading = { id: '5f0c2c1e-6a9b-4d55-9d3e-8a0e0c1b2a3d' } as Reading;

test.each([
  ['2026-11-29T12:00:00Z', '2026-11-29T12:00:00.000Z'],
  ['yesterday', undefined],
  ['', undefined],
])('an event with the timestamp %j is told with the time %j', (timestamp, time) => {
  const event = { id: 'e', kind: 'MessageEvent', timestamp } as Event;
  const { body } = cloudEvents('https://example.org').events(reading, [{ event, index: 7 }]);
  const told = JSON.parse(body) as Record<string, unknown>;
  expect([told['time'], told['subject'], told['sequence']]).toEqual([time, 'e', '0000000007']);
});
