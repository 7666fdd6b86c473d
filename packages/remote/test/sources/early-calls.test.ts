import { initialFields, projections, type Projection } from '@conv/core';
import { expect, test } from 'vitest';

import { CommitReader } from '../../src/sources/commit-reader.ts';
import { CommitStateSource } from '../../src/sources/commit-state-source.ts';
import { EventReader } from '../../src/sources/event-reader.ts';
import { FakeConversation } from '../support/fake-conversation.ts';

const idle: Projection = { ...projections.empty, fields: { ...initialFields, executionStatus: 'idle' } };

/** A source that asks no server, because all it needs comes by the socket. */
function sourceWithoutServer(): CommitStateSource {
  const unasked = (): never => expect.fail('no request is sent');
  const reader = new EventReader({ search: unasked, count: unasked } as never);
  return new CommitStateSource(reader, new CommitReader({ call: unasked } as never, reader));
}

/** The statuses after two calls that a socket brings before their commits. */
async function statusesOfCalls(before: Projection): Promise<readonly string[]> {
  const fake = new FakeConversation('a', {}, false);
  const source = sourceWithoutServer();
  let projection = before;
  const statuses: string[] = [];
  for (const [index, call] of fake.call('one', 'two').entries()) {
    ({ projection } = await source.ahead(projection, index, call));
    statuses.push(projection.fields.executionStatus);
  }
  return statuses;
}

test('P10: a call that comes before the commit of its run is at work, and no person is asked about it', async () => {
  expect(await statusesOfCalls(idle)).toEqual(['running', 'running']);
});

test('P10: calls go on to wait for a person when another call comes early', async () => {
  const waiting = { ...idle, fields: { ...idle.fields, executionStatus: 'waiting_for_confirmation' as const } };
  expect(await statusesOfCalls(waiting)).toEqual(['waiting_for_confirmation', 'waiting_for_confirmation']);
});
