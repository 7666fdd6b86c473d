import { randomUUID } from 'node:crypto';

import type { LoadProcess } from './load-process.ts';

/** Options for sending a message. */
export interface Sending {
  /** True if the agent is to answer. */
  readonly run: boolean;
  /** True if it has a key by which the server recognizes it. Default false. */
  readonly key?: boolean;
}

/** Sends a message; resolves when the server has acknowledged it. */
export async function sendMessage({ port }: LoadProcess, id: string, { run, key = false }: Sending): Promise<void> {
  const content = [{ type: 'text', text: 'go on' }];
  const answer = await fetch(`http://127.0.0.1:${port}/api/conversations/${id}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { 'idempotency-key': randomUUID() } : {}) },
    body: JSON.stringify({ role: 'user', content, run }),
  });
  if (!answer.ok) throw new Error(`a message was answered with ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Reads a path below that of a conversation. */
export async function readConversation({ port }: LoadProcess, id: string, path = ''): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/conversations/${id}${path}`);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** The addresses of the sockets of conversations at a server. */
export function socketsOf({ port }: LoadProcess, ids: readonly string[]): readonly string[] {
  return ids.map((id) => `ws://127.0.0.1:${port}/sockets/session/${id}`);
}
