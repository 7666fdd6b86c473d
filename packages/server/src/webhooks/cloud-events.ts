import { toConversationKey } from '@conv/core/store';

import { stateDigest } from './state-digest.ts';
import type { WebhookFormat } from './webhook-message.ts';

const CONTENT_TYPE = 'application/cloudevents+json; charset=utf-8';

/** Digits of a sequence, so that its texts sort as its numbers. */
const DIGITS = 10;

/** Makes requests with a CloudEvent 1.0 each, in structured JSON. https://github.com/cloudevents/spec */
export function cloudEvents(url: string): WebhookFormat {
  const message = (conversationId: string, id: string, about: object): ReturnType<WebhookFormat['events']> => {
    const source = `/api/conversations/${conversationId}`;
    const body = JSON.stringify({ specversion: '1.0', id, source, datacontenttype: 'application/json', ...about });
    return { id, url, contentType: CONTENT_TYPE, body };
  };
  return {
    mostEvents: 1,
    mostBytes: Infinity,
    bufferSize: 1,
    announces: false,
    events({ id }, [first]) {
      if (!first) throw new TypeError('expected an event, found none');
      const { event, index } = first;
      return message(id, `${toConversationKey(id)}-${index}`, {
        type: `conv.event.${event.kind}`,
        subject: event.id,
        ...timeOf(event.timestamp),
        sequence: String(index).padStart(DIGITS, '0'),
        data: event,
      });
    },
    async state({ id, fields }, position) {
      const { executionStatus, title } = fields;
      // a repetition may find another state, which needs another id: a receiver drops a known one
      const stateId = `state-${position.states}-${executionStatus}-${stateDigest(fields, position)}`;
      return message(id, `${toConversationKey(id)}-${stateId}`, {
        type: 'conv.state',
        subject: executionStatus,
        data: { execution_status: executionStatus, title },
      });
    },
  };
}

/** Returns the member `time`; none for an event of another program whose timestamp is no time. */
function timeOf(timestamp: string): { readonly time?: string } {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? {} : { time: new Date(time).toISOString() };
}
