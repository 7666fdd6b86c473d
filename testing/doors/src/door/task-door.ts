import { Message, type SendMessageRequest, type StreamResponse } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  type Client as A2AClient,
} from '@a2a-js/sdk/client';

import { ServerLog } from '../round/server-log.ts';
import { KEY_HEADER } from '../server/server-plan.ts';
import { TaskDisplay } from '../show/task-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { newestMessage } from './newest-message.ts';
import { pause } from './rest.ts';

/** The published client of A2A. It comes back with the id of its task, which is told as it is, and then what comes of it. */
export const taskDoor: Door = {
  name: 'a2a',
  shows: 'turn',
  takesCursor: false,
  edits: true,
  leavesOut: ['reasoning', 'condensation'],
  lists: ['text', 'image', 'error'],
  open: async (visit) => {
    const client = new TaskClient(visit);
    await client.resume();
    return client;
  },
};

class TaskClient implements Client {
  readonly #visit: Visit;
  readonly #log: ServerLog;
  readonly #closed = new AbortController();
  readonly #tasks: TaskDisplay[] = [];
  #agent: A2AClient | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#log = new ServerLog(() => visit.url, visit.id);
  }

  async known(): Promise<undefined> {}

  /** Follows the newest task, as a client does that kept its id alone. */
  async resume(): Promise<void> {
    const message = await newestMessage(this.#log);
    if (!message) return;
    const task = new TaskDisplay(`${this.#visit.id}_${message.id}`);
    this.#tasks.push(task);
    this.#follow(task, (agent) => this.#again(agent, task));
    while (task.lines().length === 0 && !this.#closed.signal.aborted) await pause();
  }

  async send({ text, image }: Said): Promise<void> {
    await this.#work;
    const task = new TaskDisplay();
    this.#tasks.push(task);
    const images = image === undefined ? [] : [{ url: image, mediaType: 'image/png' }];
    await this.#begin(task, { contextId: this.#visit.id, parts: [{ text }, ...images] });
  }

  async decide(decisions: readonly Decided[]): Promise<void> {
    const parts = decisions.map(({ action: call, approved, reason, input }) => {
      return { data: { call, approved, ...(approved ? {} : { reason }), ...(input ? { arguments: input } : {}) } };
    });
    await this.#goOn(parts);
  }

  async stop(): Promise<void> {
    const name = { tenant: '', id: String(this.#tasks.at(-1)?.id), metadata: undefined };
    const isOver = async (): Promise<boolean> => {
      await (await this.#connected()).cancelTask(name, { signal: this.#closed.signal });
      return true;
    };
    while (!(await isOver().catch(() => false)) && (await this.#log.status()) === 'running') await pause();
  }

  isAtRest(): boolean {
    return this.#tasks.every(({ isAtRest }) => isAtRest);
  }

  shown(): readonly string[] {
    return this.#tasks.flatMap((task) => task.lines());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
  }

  async #goOn(parts: readonly object[]): Promise<void> {
    await this.#work;
    const task = this.#tasks.at(-1) as TaskDisplay;
    task.goOn();
    await this.#begin(task, { taskId: task.id, parts });
  }

  async #connected(): Promise<A2AClient> {
    return (this.#agent ??= await withKey.createFromUrl(this.#visit.url));
  }

  /** Sends a message as often as it takes until something came of it, because its server may end before its run begins. */
  async #begin(task: TaskDisplay, message: object): Promise<void> {
    const sent = requestOf(message);
    const { signal } = this.#closed;
    let isTaken = false;
    const send = async function* (agent: A2AClient): AsyncGenerator<StreamResponse> {
      for await (const update of agent.sendMessageStream(sent, { signal })) {
        isTaken = true;
        yield update;
      }
    };
    this.#follow(task, (agent) => (task.hasBegun ? this.#again(agent, task) : send(agent)));
    while (!isTaken && !signal.aborted) await pause();
  }

  /** Gets the task, and subscribes to it unless it is at rest. */
  async *#again(agent: A2AClient, task: TaskDisplay): AsyncGenerator<StreamResponse> {
    const name = { tenant: '', id: String(task.id) };
    const { signal } = this.#closed;
    task.show(await agent.getTask({ ...name, historyLength: undefined }, { signal }));
    if (!task.isAtRest) yield* agent.resubscribeTask(name, { signal });
  }

  #follow(task: TaskDisplay, connect: (agent: A2AClient) => AsyncIterable<StreamResponse>): void {
    this.#work = (async () => {
      while (!task.isAtRest && !this.#closed.signal.aborted) {
        try {
          for await (const update of connect(await this.#connected())) {
            task.take(update);
            // a subscription stays open while the task waits
            if (task.isAtRest) break;
          }
        } catch {
          // the connection was lost
        }
        if (!task.isAtRest) await pause();
      }
    })();
  }
}

/** Makes clients that show the key. */
const withKey = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [
      new JsonRpcTransportFactory({
        fetchImpl: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...KEY_HEADER } }),
      }),
    ],
  }),
);

function requestOf(message: object): SendMessageRequest {
  const given = { messageId: crypto.randomUUID(), role: 'ROLE_USER', ...message };
  return { tenant: '', message: Message.fromJSON(given), configuration: undefined, metadata: undefined };
}
