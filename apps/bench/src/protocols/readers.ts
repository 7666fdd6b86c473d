import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';

import { WebSocket } from 'ws';

import type { Followed } from './protocol.ts';

/** Clients that are opened at the same time. */
const AT_ONCE = 50;

/** Clients that read until each has the last piece. */
export interface Readers extends AsyncDisposable {
  readonly done: Promise<void>;
}

/** Opens so many clients. Resolves when each has got something, so that it follows. */
export async function openReaders(followed: Followed, count: number, last: string): Promise<Readers> {
  const closes: (() => void)[] = [];
  const ends: Promise<void>[] = [];
  const open = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(promise);
    const found = finder(last, resolve);
    if (followed.kind === 'socket') {
      const socket = new WebSocket(followed.url, { perMessageDeflate: false });
      closes.push(() => socket.terminate());
      socket.on('message', (data: Buffer) => found(data));
      await once(socket, 'message');
      return;
    }
    const response = await responseTo(followed, closes);
    response.on('error', () => {});
    response.on('data', found);
    await once(response, 'data');
  };
  for (let opened = 0; opened < count; opened += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - opened) }, open));
  return {
    done: Promise.all(ends).then(() => {}),
    [Symbol.asyncDispose]: async () => {
      for (const close of closes) close();
    },
  };
}

/** Asks for a stream until there is one: a conversation may be a moment behind the request that began its run. */
async function responseTo(followed: Followed, closes: (() => void)[]): Promise<IncomingMessage> {
  const { url, body, headers = {} } = followed;
  for (;;) {
    // an agent of its own, because each client has its own connection
    const asked = request(url, {
      agent: new Agent(),
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    });
    asked.end(body ? JSON.stringify(body) : undefined);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode === 200) {
      closes.push(() => asked.destroy());
      return response;
    }
    asked.destroy();
    if (response.statusCode !== 204) throw new Error(`${url} was answered with ${response.statusCode}`);
  }
}

/** Returns a function that calls `onFound` when it got a part, which may come in pieces. */
function finder(part: string, onFound: () => void): (data: Buffer) => void {
  let rest = '';
  return (data) => {
    const text = rest + data.toString('latin1');
    if (text.includes(part)) onFound();
    rest = text.slice(-part.length);
  };
}
