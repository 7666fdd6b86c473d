import { toConversationKey } from '@conv/core/store';

import { APPROVER } from '../auth/principal.ts';
import type { ConversationInfos } from '../conversations/conversation-infos.ts';
import { digestOf, stateDigest } from './state-digest.ts';
import type { WebhookFormat } from './webhook-message.ts';

const CONTENT_TYPE = 'application/json';

/** Bytes of one batch of OpenHands' server. */
const MOST_BYTES = 5 * 1024 * 1024;

/** Makes requests with batches of events below `/events`, and the info of a conversation below `/conversations`, as OpenHands' server posts them. */
export function openHandsBatches(
  base: string,
  { infos, bufferSize }: { readonly infos: ConversationInfos; readonly bufferSize: number },
): WebhookFormat {
  const root = base.replace(/\/+$/, '');
  return {
    mostEvents: 1000,
    mostBytes: MOST_BYTES,
    bufferSize,
    announces: true,
    events({ id }, events) {
      const key = toConversationKey(id);
      const [first, last] = [events.at(0), events.at(-1)];
      return {
        id: `${key}-${first?.index}-${last?.index}`,
        url: `${root}/events/${key}`,
        contentType: CONTENT_TYPE,
        body: JSON.stringify(events.map(({ event }) => event)),
      };
    },
    async state(reading, position) {
      const info = await infos.of(reading, { includeSkills: false, caller: APPROVER });
      const body = JSON.stringify(info);
      // a repetition may find another state, which needs another id: a receiver drops a known one
      const digest = digestOf([stateDigest(reading.fields, position), body]);
      return {
        id: `${toConversationKey(reading.id)}-state-${position.states}-${info.execution_status}-${digest}`,
        url: `${root}/conversations`,
        contentType: CONTENT_TYPE,
        body,
      };
    },
  };
}
