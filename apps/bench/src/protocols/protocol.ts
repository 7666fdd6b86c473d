import { WebSocket } from 'ws';

import type { AskingClient } from './asking-client.ts';
import { openEditor } from './editor.ts';
import { Frames } from './frames.ts';
import { eventsOf, newestMessage, post } from './requests.ts';

/** A way in which a client reads the answers of a conversation. */
export interface Protocol {
  readonly name: string;
  /** Resolves with a client of a conversation that is ready to ask. */
  open(port: number, id: string): Promise<AskingClient>;
  /** Resolves with what a client reads that only follows the newest turn. Absent where a client cannot. */
  readonly follow?: (port: number, id: string) => Promise<Followed>;
}

/** A stream of a client that follows. */
export interface Followed {
  readonly kind: 'socket' | 'stream';
  readonly url: string;
  /** The body of its request. Default: it has none. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The baseline: the session socket, and a request that sends the message. */
export const SESSION_SOCKET: Protocol = {
  name: 'socket',
  open: async (port, id) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/sockets/session/${id}`, { perMessageDeflate: false });
    const frames = new Frames();
    socket.on('message', (data: Buffer) => frames.take(data.toString()));
    await frames.until('"sync"');
    return {
      ask: (told) => askAside(port, id, frames, told),
      close: () => socket.terminate(),
    };
  },
  follow: async (port, id) => ({ kind: 'socket', url: `ws://127.0.0.1:${port}/sockets/session/${id}` }),
};

/** Server-sent events, and a request that sends the message. */
const STREAM: Protocol = {
  name: 'stream',
  open: async (port, id) => {
    const frames = new Frames();
    const left = new AbortController();
    const url = `http://127.0.0.1:${port}/api/conversations/${id}/stream`;
    const response = await fetch(url, { signal: left.signal });
    void readInto(response, frames).catch(() => {});
    await frames.until('event: state');
    return { ask: (told) => askAside(port, id, frames, told), close: () => left.abort() };
  },
  follow: async (port, id) => ({ kind: 'stream', url: `http://127.0.0.1:${port}/api/conversations/${id}/stream` }),
};

const CHAT: Protocol = {
  name: 'ai-ui',
  open: asking((port, id) => {
    const message = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text: 'go on' }] };
    return { url: `http://127.0.0.1:${port}/api/chat`, body: { id, messages: [message] }, piece: '"text-delta"' };
  }),
  follow: async (port, id) => ({ kind: 'stream', url: `http://127.0.0.1:${port}/api/chat/${id}/stream` }),
};

const AG_UI: Protocol = {
  name: 'ag-ui',
  open: asking((port, id) => {
    const messages = [{ id: crypto.randomUUID(), role: 'user', content: 'go on' }];
    const body = { threadId: id, runId: crypto.randomUUID(), messages, tools: [], context: [] };
    return { url: `http://127.0.0.1:${port}/api/ag-ui`, body, piece: '"TEXT_MESSAGE_CONTENT"' };
  }),
  follow: async (port, id) => ({ kind: 'stream', url: `http://127.0.0.1:${port}/api/ag-ui/${id}` }),
};

const RESPONSES: Protocol = {
  name: 'responses',
  open: asking((port, conversation) => {
    const body = { model: 'bench', input: 'go on', conversation, stream: true, background: true };
    return { url: `http://127.0.0.1:${port}/v1/responses`, body, piece: 'output_text.delta' };
  }),
  follow: async (port, id) => {
    const response = `resp_${[id, await newestMessage(port, id)].map((each) => each.replaceAll('-', '')).join('_')}`;
    return { kind: 'stream', url: `http://127.0.0.1:${port}/v1/responses/${response}?stream=true` };
  },
};

const COMPLETIONS: Protocol = {
  name: 'completions',
  open: asking((port, conversation) => {
    const body = {
      model: 'bench',
      messages: [{ role: 'user', content: 'go on' }],
      metadata: { conversation },
      stream: true,
    };
    return { url: `http://127.0.0.1:${port}/v1/chat/completions`, body, piece: '"content":"piece' };
  }),
};

const A2A: Protocol = {
  name: 'a2a',
  open: asking((port, contextId) => {
    const message = { messageId: crypto.randomUUID(), contextId, role: 'ROLE_USER', parts: [{ text: 'go on' }] };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } };
    const headers = { 'a2a-version': '1.0' };
    return { url: `http://127.0.0.1:${port}/api/a2a`, body, headers, piece: '"artifactUpdate"' };
  }),
  follow: async (port, id) => {
    const params = { id: `${id}_${await newestMessage(port, id)}` };
    const body = { jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params };
    return { kind: 'stream', url: `http://127.0.0.1:${port}/api/a2a`, body, headers: { 'a2a-version': '1.0' } };
  },
};

const EDITOR: Protocol = { name: 'acp', open: openEditor };

/** The adapters that tell answers in pieces. */
export const PROTOCOLS: readonly Protocol[] = [STREAM, CHAT, AG_UI, RESPONSES, COMPLETIONS, A2A, EDITOR];

interface Asked {
  readonly url: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** A part of the first event with a piece. */
  readonly piece: string;
}

/** Returns how to open a client whose request is answered by the stream. */
function asking(asked: (port: number, id: string) => Asked): Protocol['open'] {
  return async (port, id) => ({
    ask: async (told) => {
      const { url, body, headers, piece } = asked(port, id);
      let isTold = false;
      for await (const event of eventsOf(await post(url, body, headers)))
        if (!isTold && event.includes(piece)) {
          isTold = true;
          told();
        }
      if (!isTold) throw new Error(`${url} told no piece`);
    },
    close: () => {},
  });
}

/** Sends a message by REST to a client that follows. */
async function askAside(port: number, id: string, frames: Frames, told: () => void): Promise<void> {
  const first = frames.until('"piece 0 "').then(told);
  const end = frames.until('"finished"');
  const content = [{ type: 'text', text: 'go on' }];
  const sent = await post(`http://127.0.0.1:${port}/api/conversations/${id}/events`, {
    role: 'user',
    content,
    run: true,
  });
  await sent.arrayBuffer();
  await Promise.all([first, end]);
}

async function readInto(response: Response, frames: Frames): Promise<void> {
  for await (const event of eventsOf(response)) frames.take(event);
}
