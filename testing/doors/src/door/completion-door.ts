import { OpenAI } from 'openai';

import { ServerLog } from '../round/server-log.ts';
import { KEY } from '../server/server-plan.ts';
import { CompletionDisplay, type RepeatedMessage } from '../show/completion-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { newestMessage } from './newest-message.ts';
import { pause, Writer } from './rest.ts';

/** The published client of chat completions, which have no cursor: it repeats its request, and is answered from the beginning of the turn. */
export const completionDoor: Door = {
  name: 'chat completions',
  shows: 'turn',
  takesCursor: false,
  edits: true,
  leavesOut: ['reasoning', 'image', 'call', 'condensation'],
  open: async (visit) => {
    const client = new CompletionClient(visit);
    await client.resume();
    return client;
  },
};

class CompletionClient implements Client {
  readonly #id: string;
  readonly #api: OpenAI;
  readonly #log: ServerLog;
  readonly #writer: Writer;
  readonly #closed = new AbortController();
  readonly #answers: CompletionDisplay[] = [];
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;

  constructor({ url, id }: Visit) {
    this.#id = id;
    this.#log = new ServerLog(() => url, id);
    this.#writer = new Writer(() => url, id);
    this.#api = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 });
  }

  async known(): Promise<undefined> {}

  /** Repeats the newest request. */
  async resume(): Promise<void> {
    const message = await newestMessage(this.#log);
    if (message) await this.#begin(new CompletionDisplay(message, message.id));
  }

  async send(message: Said): Promise<void> {
    await this.#work;
    await this.#begin(new CompletionDisplay(message, crypto.randomUUID()));
  }

  /** Decides elsewhere, as the protocol wants it, and repeats the request until the answer was asked for behind the run. */
  async decide(decisions: readonly Decided[]): Promise<void> {
    await this.#work;
    await this.#writer.decide(decisions);
    await this.look();
  }

  async look(): Promise<void> {
    await this.#work;
    let isOver = false;
    void this.#log.rest().then(() => (isOver = true));
    const answer = this.#answers.at(-1);
    if (answer) this.#follow(answer, () => isOver);
  }

  isAtRest(): boolean {
    return !this.#isWorking;
  }

  shown(): readonly string[] {
    return this.#answers.flatMap((answer) => answer.lines());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
  }

  async #begin(answer: CompletionDisplay): Promise<void> {
    this.#answers.push(answer);
    this.#follow(answer, () => true);
    while (!answer.hasBegun && !this.#closed.signal.aborted) await pause();
  }

  /** Repeats a request until its answer has ended that was asked for when `isEnough` was true. */
  #follow(answer: CompletionDisplay, isEnough: () => boolean): void {
    this.#isWorking = true;
    this.#work = (async () => {
      while (!this.#closed.signal.aborted) {
        const isLast = isEnough();
        await this.#ask(answer);
        if (isLast && answer.isOver) {
          // a failed run leaves text behind that the log does not have
          if (answer.hasFailed) await this.#ask(answer);
          if (answer.isOver) break;
        }
        await pause();
      }
      this.#isWorking = false;
    })();
  }

  async #ask(answer: CompletionDisplay): Promise<void> {
    answer.ask();
    try {
      const stream = await this.#api.chat.completions.create(
        {
          model: 'story',
          stream: true,
          messages: [{ role: 'user', content: contentOf(answer.message) }],
          metadata: { conversation: this.#id },
        },
        { headers: { 'idempotency-key': answer.key }, signal: this.#closed.signal },
      );
      for await (const chunk of stream) answer.take(chunk);
    } catch (error) {
      // a run that failed has a code, and a lost connection has none
      const code = error instanceof OpenAI.APIError ? error.code : undefined;
      if (typeof code === 'string') answer.fail(code);
    }
  }
}

function contentOf({ text, image, isImageFirst }: RepeatedMessage): OpenAI.ChatCompletionContentPart[] {
  const images = image === undefined ? [] : [{ type: 'image_url' as const, image_url: { url: image } }];
  const said = { type: 'text' as const, text };
  return isImageFirst === true ? [...images, said] : [said, ...images];
}
