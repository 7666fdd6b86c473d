import type { Subscriber } from '@conv/core';
import { parseEvent } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { wireCall, wireResult } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { LiveOutputs } from '../src/page/conversation/live-outputs.ts';

/** Outputs of a conversation, with the subscriber that tells of them; what is told is told at once. */
function followed(): { readonly outputs: LiveOutputs; readonly subscriber: Subscriber } {
  let subscriber: Subscriber = {};
  const subscribe = (given: Subscriber): { position: 0; caughtUp(): Promise<void> } => {
    subscriber = given;
    return { position: 0, caughtUp: async () => {} };
  };
  const outputs = new LiveOutputs({ subscribe } as never, (tell) => tell());
  return { outputs, subscriber };
}

const at = toEventIndex(0);
const stored = (fields: object): ReturnType<typeof parseEvent> =>
  parseEvent({ id: 'e', timestamp: '2026-11-20T09:00:00', ...fields });

test('the end of what each call prints is kept, and taken away by its result alone', async () => {
  const { outputs, subscriber } = followed();
  let told = 0;
  outputs.subscribe(() => told++);
  subscriber.onOutput?.({ toolCallId: 'a', text: 'one ' });
  subscriber.onOutput?.({ toolCallId: 'b', text: 'x'.repeat(5_000) });
  subscriber.onOutput?.({ toolCallId: 'a', text: 'two' });
  expect(outputs.of('a')).toBe('one two');
  expect(outputs.of('b')).toHaveLength(4_000);
  await subscriber.onEvent?.(stored(wireResult('terminal', 'a', 'one two', { kind: 'TerminalObservation' })), at);
  expect([outputs.of('a'), outputs.of('b').length]).toEqual(['', 4_000]);
  expect(told).toBe(4);
});

test('output before its call is kept, and pieces after the result are not, until the id is used again', async () => {
  const { outputs, subscriber } = followed();
  const call = stored(wireCall('terminal', 'a', { kind: 'TerminalAction', command: 'x' }));
  subscriber.onOutput?.({ toolCallId: 'a', text: 'early' });
  await subscriber.onEvent?.(call, at);
  expect(outputs.of('a')).toBe('early');
  await subscriber.onEvent?.(stored(wireResult('terminal', 'a', 'early', { kind: 'TerminalObservation' })), at);
  subscriber.onOutput?.({ toolCallId: 'a', text: 'late' });
  expect(outputs.of('a')).toBe('');
  await subscriber.onEvent?.(call, at);
  subscriber.onOutput?.({ toolCallId: 'a', text: 'again' });
  expect(outputs.of('a')).toBe('again');
});

test('output of few calls is kept, the newest', () => {
  const { outputs, subscriber } = followed();
  for (let call = 0; call < 100; call++) subscriber.onOutput?.({ toolCallId: `call-${call}`, text: 'x' });
  const kept = Array.from({ length: 100 }, (_, call) => outputs.of(`call-${call}`)).filter((text) => text !== '');
  expect(kept).toHaveLength(64);
  expect(outputs.of('call-99')).toBe('x');
});
