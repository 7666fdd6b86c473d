import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { ConversationInfo, Page } from '@conv/openhands/rest';

import { until, type TestServer } from './test-server.ts';

/** Returns the body of a message with this text. */
export function message(text: string, more: JsonObject = {}): JsonObject {
  return { role: 'user', content: [{ type: 'text', text }], ...more };
}

/** The conversation when its run has ended. */
export function ended(server: TestServer, id: string): Promise<ConversationInfo> {
  return until(async () => {
    const info = await server.info(id);
    return info.execution_status !== 'running' && info.execution_status !== 'idle' && info;
  });
}

/** Its events, at most a page of them. */
export async function events(server: TestServer, id: string, query = ''): Promise<readonly Event[]> {
  const { body } = await server.call<Page<Event>>('GET', `/api/conversations/${id}/events/search${query}`);
  return body.items;
}

/** Resolves with the kinds of a conversation's events. */
export async function kinds(server: TestServer, id: string): Promise<readonly string[]> {
  return (await events(server, id)).map(({ kind }) => kind);
}
