import { OpenAI } from 'openai';

import { ServerLog } from '../round/server-log.ts';
import { KEY } from '../server/server-plan.ts';
import { ResponseDisplay } from '../show/response-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { newestMessage } from './newest-message.ts';
import { pause } from './rest.ts';

/** The published client of OpenAI's API, which follows a response in the background and comes back with `starting_after`. */
export const responseDoor: Door = {
  name: 'response',
  shows: 'turn',
  takesCursor: false,
  failsRejected: true,
  leavesOut: ['image', 'condensation'],
  open: async (visit) => {
    const client = new ResponseClient(visit);
    await client.resume();
    return client;
  },
};

class ResponseClient implements Client {
  readonly #visit: Visit;
  readonly #api: OpenAI;
  readonly #log: ServerLog;
  readonly #closed = new AbortController();
  readonly #responses: ResponseDisplay[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(visit: Visit) {
    const { url, id } = visit;
    this.#visit = visit;
    this.#log = new ServerLog(() => url, id);
    this.#api = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 });
  }

  async known(): Promise<undefined> {}

  /** Follows the newest response from its beginning, as a client does that kept its id alone. */
  async resume(): Promise<void> {
    const message = await newestMessage(this.#log);
    if (!message) return;
    const [conversation, event] = [this.#visit.id, message.id].map((id) => id.replaceAll('-', ''));
    const response = new ResponseDisplay(message.text, `resp_${conversation}_${event}`);
    this.#responses.push(response);
    this.#follow(response, () => this.#again(response));
    while (response.last === undefined && !this.#closed.signal.aborted) await pause();
  }

  async send({ text, image }: Said): Promise<void> {
    await this.#work;
    const content: OpenAI.Responses.ResponseInputMessageContentList = [{ type: 'input_text', text }];
    if (image !== undefined) content.push({ type: 'input_image', image_url: image, detail: 'auto' });
    const input = [{ role: 'user' as const, content }];
    await this.#begin(new ResponseDisplay(text), { input, conversation: this.#visit.id });
  }

  async decide(decisions: readonly Decided[]): Promise<void> {
    await this.#work;
    const input = decisions.map(({ action, approved, reason }) => ({
      type: 'mcp_approval_response' as const,
      approval_request_id: action,
      approve: approved,
      ...(approved ? {} : { reason }),
    }));
    await this.#begin(new ResponseDisplay(''), { input, conversation: this.#visit.id });
  }

  async stop(): Promise<void> {
    const id = this.#responses.at(-1)?.id;
    while (!this.#closed.signal.aborted)
      try {
        return void (await this.#api.responses.cancel(String(id)));
      } catch {
        await pause();
      }
  }

  /** Follows the newest response from its beginning: what was done elsewhere has no response of its own. */
  async look(): Promise<void> {
    await this.#work;
    const { text, id } = this.#responses.pop() as ResponseDisplay;
    const response = new ResponseDisplay(text, id);
    this.#responses.push(response);
    this.#follow(response, () => this.#again(response));
  }

  isAtRest(): boolean {
    return this.#responses.every(({ isOver }) => isOver);
  }

  shown(): readonly string[] {
    return this.#responses.flatMap((response) => response.lines());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
  }

  /** Sends a request as often as it takes until something came of it, because its server may end before its run begins. */
  async #begin(
    response: ResponseDisplay,
    request: Pick<OpenAI.Responses.ResponseCreateParamsStreaming, 'input' | 'conversation'>,
  ): Promise<void> {
    this.#responses.push(response);
    const key = crypto.randomUUID();
    this.#follow(response, () =>
      !response.hasBegun
        ? this.#api.responses.create(
            { ...request, model: 'story', stream: true, background: true },
            { headers: { 'idempotency-key': key }, signal: this.#closed.signal },
          )
        : this.#again(response),
    );
    while (response.id === undefined && !this.#closed.signal.aborted) await pause();
  }

  #again({ id, last }: ResponseDisplay): Promise<AsyncIterable<OpenAI.Responses.ResponseStreamEvent>> {
    const after = last === undefined ? {} : { starting_after: last };
    return this.#api.responses.retrieve(String(id), { stream: true, ...after }, { signal: this.#closed.signal });
  }

  #follow(
    response: ResponseDisplay,
    connect: () => Promise<AsyncIterable<OpenAI.Responses.ResponseStreamEvent>>,
  ): void {
    this.#work = (async () => {
      while (!response.isOver && !this.#closed.signal.aborted) {
        try {
          for await (const event of await connect()) response.take(event);
        } catch {
          // the connection was lost
        }
        if (!response.isOver) await pause();
      }
    })();
  }
}
