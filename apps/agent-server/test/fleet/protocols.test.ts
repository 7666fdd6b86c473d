import { randomUUID } from 'node:crypto';

import { servedProtocols } from '@conv/agent-server';
import { expect, test } from 'vitest';

import { eventsAt, TestFleet, userTexts, type FleetMember } from './test-fleet.ts';

interface Speaking extends FleetMember {
  /** The number of sockets that were opened here. */
  readonly sockets: () => number;
}

/** Adds a server that speaks with pages. */
async function speaking(fleet: TestFleet): Promise<Speaking> {
  let sockets = 0;
  const member = await fleet.join({
    protocols: servedProtocols(['ai-ui']),
    sockets: { opened: () => void sockets++ },
  });
  return Object.assign(member, { sockets: () => sockets });
}

/** Sends a message as a page does. Resolves with the answer as it was streamed. */
async function ask(member: FleetMember, id: string, text: string): Promise<string> {
  const messages = [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] }];
  const { status, body } = await member.call<string>('POST', '/api/chat', { id, messages });
  expect([status, body]).toEqual([200, expect.stringMatching(/"delta":"Yes\."[^]*"finishReason":"stop"[^]*\[DONE\]/)]);
  return body;
}

test('P2: a server answers for its own conversations without a connection, and for others by their owners', async () => {
  const fleet = await TestFleet.start();
  const [owner, other] = [await speaking(fleet), await speaking(fleet)];
  const id = await fleet.make(owner);
  await ask(owner, id, 'one');
  expect([owner.sockets(), other.sockets()]).toEqual([0, 0]);
  await ask(other, id, 'two');
  // the owner has one of the other server, which shows the pieces of its answers
  expect(other.sockets()).toBe(1);
  expect(other.forwarded).toContain('answered');
  await ask(owner, id, 'three');
  await owner.close();
  // the conversation that it has opened is taken over with its first command, and is its own for the next request
  await ask(other, id, 'four');
  await ask(other, id, 'five');
  expect(other.sockets()).toBe(1);
  expect(userTexts(await eventsAt(other, id))).toEqual(['one', 'two', 'three', 'four', 'five']);
});
