import { createHash } from 'node:crypto';

import { toConversationKey } from '@conv/core/store';

import type { AccessKeys } from '../auth/access-keys.ts';
import { refusalFor } from '../auth/principal.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { readOnly } from '../protocols/served-conversations.ts';
import type { ServedProtocol } from '../protocols/served-protocol.ts';
import type { NextStep } from '../webhooks/conversation-delivery.ts';
import { START } from '../webhooks/webhook-positions.ts';
import type { PlaceReceivers } from './receiver-records.ts';

export interface ReceiverStepsDeps {
  readonly host: Pick<ConversationHost, 'readAside'>;
  readonly known: KnownConversations;
  readonly keys: AccessKeys;
  /** The protocols that have receivers, by name. */
  readonly protocols: ReadonlyMap<string, Required<Pick<ServedProtocol, 'nextMessage'>>>;
}

/**
 * Returns the messages of one receiver of a place. `read` resolves with the receivers that the place has now: a receiver that was removed is told nothing more. A
 * receiver is told nothing while the key that named it is void, or may not read the conversation. `over` is called when the receiver is not needed any more.
 */
export function receiverSteps(
  { host, known, keys, protocols }: ReceiverStepsDeps,
  {
    key,
    read,
    over,
  }: { readonly key: string; readonly read: () => Promise<PlaceReceivers | undefined>; readonly over: () => void },
): NextStep {
  return async (id, stored) => {
    const place = await read();
    const receiver = place?.receivers.find((each) => each.key === key);
    if (!place || !receiver) return 'gone';
    // a server that does not speak the protocol leaves its receivers to others
    const protocol = protocols.get(place.protocol);
    if (!protocol) return 'settled';
    const caller = await keys.ofKept(receiver.by);
    await using reading = await host.readAside(id);
    if (!reading) {
      over();
      return 'gone';
    }
    if (!caller || refusalFor(caller, 'read') !== undefined || !(await known.knows(caller, id))) return 'settled';
    const position = stored ?? START;
    const progress = { event: position.event, state: position.state };
    const told = { value: receiver.value, progress };
    const next = await protocol.nextMessage(readOnly(reading), place.event, told);
    if (next === undefined) return 'settled';
    if (next === 'over') {
      over();
      return 'gone';
    }
    const { event, state, ...request } = next;
    // a repetition may find another state, which needs another id: a receiver drops a known one
    const digest = createHash('sha256').update(`${key} ${request.body}`).digest('hex').slice(0, 16);
    const message = { ...request, id: `${toConversationKey(id)}-${position.states}-${digest}` };
    const after = { event, batchEnd: null, state, states: position.states + 1 };
    return { message, before: position, after, events: 0, isLast: false };
  };
}
