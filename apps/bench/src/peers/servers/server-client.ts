import { once } from 'node:events';

import { WebSocket } from 'ws';

import { SERVER_KEY } from './agent-server.ts';

/** Frame of a socket, as far as measurements look into it. */
interface Frame {
  readonly type?: string;
  readonly seq?: number;
  readonly kind?: string;
  readonly source?: string;
  readonly event?: Frame;
}

/** Event on its way to a client, and the bytes of its frame. */
export interface Arrival {
  readonly event: Frame;
  readonly text: string;
}

/** A client of an agent server by the protocol that OpenHands' clients speak. */
export class ServerClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves with the id of a new conversation, whose agent asks a model at this address. */
  async create(workingDir: string, model: string): Promise<string> {
    const answer = await this.#ask('POST', '/api/conversations', {
      workspace: { kind: 'LocalWorkspace', working_dir: workingDir },
      agent: {
        kind: 'Agent',
        llm: {
          model: 'openai/scripted',
          base_url: model,
          api_key: 'bench-model-key',
          usage_id: 'agent',
          num_retries: 0,
        },
        tools: [],
      },
      autotitle: false,
    });
    return ((await answer.json()) as { id: string }).id;
  }

  /** Sends a message; resolves when the server has acknowledged it. */
  async send(id: string, text: string, run: boolean): Promise<void> {
    const content = [{ type: 'text', text }];
    const answer = await this.#ask('POST', `/api/conversations/${id}/events`, { role: 'user', content, run });
    await answer.arrayBuffer();
  }

  /** Opens the socket of events, or with `after` the numbered one from behind an event; calls `take` with each event. */
  async follow(id: string, take: (arrival: Arrival) => void, after?: number): Promise<WebSocket> {
    const path = after === undefined ? `events/${id}` : `session/${id}?after_seq=${after}`;
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/sockets/${path}`, {
      perMessageDeflate: false,
      headers: { 'x-session-api-key': SERVER_KEY },
    });
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      const frame = JSON.parse(text) as Frame;
      if (frame.type === 'durable' && frame.event) take({ event: frame.event, text });
      else if (frame.type === undefined) take({ event: frame, text });
    });
    await once(socket, 'open');
    return socket;
  }

  async #ask(method: string, path: string, body: object): Promise<Response> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-session-api-key': SERVER_KEY },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}
