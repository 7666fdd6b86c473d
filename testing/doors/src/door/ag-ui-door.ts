import { Readable } from 'node:stream';

import { HttpAgent, type Message, type ResumeEntry, type UserMessage } from '@ag-ui/client';
import { isObject } from '@conv/core/platform';

import { KEY_HEADER } from '../server/server-plan.ts';
import { callLine, condensationLine, imageLine, OPEN } from '../show/lines-of.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { pause } from './rest.ts';

/** The published client of AG-UI, which has no cursor: it runs again with the messages that it has. */
export const agUiDoor: Door = {
  name: 'ag-ui',
  shows: 'log',
  takesCursor: false,
  edits: true,
  leavesOut: ['error'],
  open: async (visit) => {
    const client = new AgUiClient(visit);
    await client.load();
    return client;
  },
};

/** Ends the body of a lost connection, because the published client leaves the error of its reader unhandled. */
async function quietly(url: string, init: RequestInit): Promise<Response> {
  const { body, headers, status } = await fetch(url, init);
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* body ?? [];
    } catch {
      // the client runs again
    }
  };
  return new Response(Readable.toWeb(Readable.from(parts())) as ReadableStream, { headers, status });
}

class AgUiClient implements Client {
  readonly #agent: HttpAgent;
  /** The work of the client, until its run has ended. */
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isClosed = false;
  #hasEnded = false;
  /** The server has what the client sent. */
  #accepted = Promise.withResolvers<void>();

  constructor({ url, id }: Visit) {
    this.#agent = new HttpAgent({ url: `${url}/api/ag-ui`, threadId: id, headers: KEY_HEADER, fetch: quietly });
    const end = (): void => void (this.#hasEnded = true);
    const onRunStartedEvent = (): void => this.#accepted.resolve();
    this.#agent.subscribe({ onRunStartedEvent, onRunFinishedEvent: end, onRunErrorEvent: end });
  }

  async known(): Promise<undefined> {}

  /** Gets what the log has, and follows the run that is active. */
  async load(): Promise<void> {
    await this.#run();
  }

  async send({ text, image }: Said): Promise<void> {
    await this.#work;
    await this.#follow();
    const id = crypto.randomUUID();
    const content = image === undefined ? text : [{ type: 'text' as const, text }, imagePart(image)];
    this.#agent.addMessage({ id, role: 'user', content });
    await this.#begin();
  }

  async decide(decisions: readonly Decided[]): Promise<void> {
    await this.#work;
    const decided = new Map(decisions.map((decision) => [decision.action, decision]));
    const asked = (): boolean => this.#agent.pendingInterrupts.some(({ id }) => decided.has(id));
    if (!asked()) await this.#follow();
    if (!asked()) return;
    await this.#begin(
      this.#agent.pendingInterrupts.map(({ id }) => {
        const { approved, reason, input } = decided.get(id) ?? { approved: false };
        const more = approved ? (input ? { editedArgs: input } : {}) : { reason };
        return { interruptId: id, status: 'resolved', payload: { approved, ...more } };
      }),
    );
  }

  async look(): Promise<void> {
    await this.#work;
    await this.#follow();
  }

  isAtRest(): boolean {
    return !this.#isWorking;
  }

  shown(): readonly string[] {
    const { messages } = this.#agent;
    return messages.flatMap((message) => linesOfMessage(message, messages));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#agent.abortRun();
    await this.#work;
  }

  /** Forgets the interrupts, and gets the open ones. */
  async #follow(): Promise<void> {
    this.#agent.pendingInterrupts = [];
    await this.#run();
  }

  /** Begins a run. Resolves when the server has the request. */
  async #begin(resume?: ResumeEntry[]): Promise<void> {
    this.#isWorking = true;
    this.#accepted = Promise.withResolvers<void>();
    this.#work = this.#run(resume).then(() => {
      this.#isWorking = false;
      this.#accepted.resolve();
    });
    await this.#accepted.promise;
  }

  /** Runs until a run has ended, over as many connections as it takes. */
  async #run(resume?: ResumeEntry[]): Promise<void> {
    this.#hasEnded = false;
    while (!this.#isClosed) {
      await this.#agent.runAgent(resume ? { resume } : {}).catch(() => {});
      if (this.#hasEnded) return;
      await pause();
    }
  }
}

function imagePart(url: string): Extract<Exclude<UserMessage['content'], string>[number], { type: 'image' }> {
  const [, mimeType = '', value = ''] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  return { type: 'image', source: { type: 'data', value, mimeType } };
}

function linesOfMessage(message: Message, messages: readonly Message[]): readonly string[] {
  const { role, content = '' } = message;
  if (role === 'tool') return [];
  if (role === 'activity') return activityLines(message.activityType, message.content);
  const text = textOf(content);
  const said = text === '' ? [] : [`${role === 'assistant' ? 'text' : role}: ${text}`];
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [
    ...said,
    ...imagesIn(content),
    ...calls.flatMap(({ id, function: { name, arguments: input } }) => {
      const result = messages.find((each) => each.role === 'tool' && each.toolCallId === id);
      const line = callLine(id, name, JSON.parse(input || '{}'), result ? resultOf(result) : OPEN);
      return [line, ...imagesIn(result?.content)];
    }),
  ];
}

function activityLines(type: string, content: Readonly<Record<string, unknown>>): readonly string[] {
  if (type === 'condensation') return [condensationLine(String(content['summary']))];
  return type === 'images' ? (content['images'] as readonly string[]).map(imageLine) : [];
}

function resultOf({ content, metadata }: Message): string {
  const outcome: unknown = isObject(metadata) ? metadata['conv/outcome'] : undefined;
  return `${typeof outcome === 'string' ? outcome : 'output'} ${textOf(content)}`;
}

/** A part of the content of a message. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly type: string; readonly value: string; readonly mimeType?: string };
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Part[]).map(({ text = '' }) => text).join('');
}

function imagesIn(content: Message['content']): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly Part[]).flatMap(({ source }) => {
    if (!source) return [];
    return [imageLine(source.type === 'url' ? source.value : `data:${source.mimeType};base64,${source.value}`)];
  });
}
