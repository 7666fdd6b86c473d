import { createChatTransport } from '@conv/ai-ui';
import { isObject } from '@conv/core/platform';
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type ChatTransport,
  type UIMessage,
} from 'ai';

import { KEY_HEADER } from '../server/server-plan.ts';
import { callLine, condensationLine, imageLine, OPEN } from '../show/lines-of.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { pause } from './rest.ts';

/** The published chat of the AI SDK, with the transport of `@conv/ai-ui`, which keeps the cursor. */
export const chatDoor: Door = chatDoorWith('chat', (api, page) => createChatTransport({ api, fetch: page.fetch }));

/** The published chat with its own transport, which has no cursor: it comes back by loading the page again. */
export const publishedChatDoor: Door = chatDoorWith('chat without a cursor', (api, page) => {
  return new DefaultChatTransport({ api, fetch: page.fetch });
});

type MakeTransport = (api: string, page: Page) => ChatTransport<UIMessage>;

/** A loaded page. A page that is closed ends its requests and stops no run. */
class Page {
  /** False if the last request found no answer in progress. */
  hasStream = true;
  readonly #closed = new AbortController();

  readonly fetch: typeof fetch = async (input, init) => {
    if (this.#closed.signal.aborted) return new Response('the page is closed', { status: 410 });
    const signals = [this.#closed.signal, ...(init?.signal ? [init.signal] : [])];
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(KEY_HEADER)) headers.set(name, value);
    const answer = await fetch(input, { ...init, headers, signal: AbortSignal.any(signals) });
    this.hasStream = answer.status !== 204;
    return answer;
  };

  close(): void {
    this.#closed.abort();
  }
}

function chatDoorWith(name: string, transport: MakeTransport): Door {
  return {
    name,
    shows: 'log',
    takesCursor: false,
    leavesOut: ['error'],
    open: async (visit) => {
      const client = new ChatClient(visit, transport);
      await client.load();
      return client;
    },
  };
}

/** The state of a page without a framework. */
class PageState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined;
  messages: UIMessage[];

  constructor(messages: readonly UIMessage[]) {
    this.messages = [...messages];
  }

  pushMessage(message: UIMessage): void {
    this.messages.push(message);
  }

  popMessage(): void {
    this.messages.pop();
  }

  replaceMessage(index: number, message: UIMessage): void {
    this.messages[index] = this.snapshot(message);
  }

  snapshot<Thing>(thing: Thing): Thing {
    return structuredClone(thing);
  }
}

/** The published chat. */
class Chat extends AbstractChat<UIMessage> {
  constructor(id: string, transport: ChatTransport<UIMessage>, messages: readonly UIMessage[]) {
    const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses;
    super({ id, transport, state: new PageState(messages), sendAutomaticallyWhen });
  }
}

class ChatClient implements Client {
  readonly #visit: Visit;
  readonly #transport: MakeTransport;
  #chat: Chat | undefined;
  #page: Page | undefined;
  /** The work of the page, until its answer has ended. */
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isClosed = false;

  constructor(visit: Visit, transport: MakeTransport) {
    this.#visit = visit;
    this.#transport = transport;
  }

  async known(): Promise<undefined> {}

  /** Loads the page: the history, and the answer in progress. */
  async load(): Promise<void> {
    while (!this.#isClosed) {
      const chat = await this.#loaded().catch(() => undefined);
      if (chat && chat.status === 'ready') return;
      await pause();
    }
  }

  async send({ text, image }: Said): Promise<void> {
    await this.#work;
    const files = image === undefined ? [] : [{ type: 'file' as const, mediaType: 'image/png', url: image }];
    this.#do((chat) => chat.sendMessage({ text, files }));
  }

  /** Decides on every call that the page asks about, as its person does. */
  async decide(decisions: readonly Decided[]): Promise<void> {
    await this.#work;
    const asked = (): readonly Decided[] => decisions.filter(({ action }) => this.#isIn(action, 'approval-requested'));
    if (asked().length === 0) await this.load();
    this.#do(async (chat) => {
      for (const { action: id, approved, reason } of asked())
        await chat.addToolApprovalResponse({ id, approved, ...(approved ? {} : { reason }) });
      await sent(chat);
    });
  }

  /** Stops the run by the request of the transport that keeps the cursor, because the published one stops its own request alone. */
  async stop(): Promise<void> {
    const { url, id } = this.#visit;
    while (!(await isStopped(`${url}/api/chat/${id}/stream`))) await pause();
  }

  async look(): Promise<void> {
    await this.#work;
    await this.load();
  }

  isAtRest(): boolean {
    return !this.#isWorking;
  }

  shown(): readonly string[] {
    return (this.#chat?.messages ?? []).flatMap(({ role, parts }) => {
      // the page puts the files of a message before its text
      const ordered = role === 'user' ? parts.toSorted((one, other) => rank(one) - rank(other)) : parts;
      return ordered.flatMap((part) => linesOfPart(role, part));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#page?.close();
    await this.#work;
  }

  /** True if the page shows a call in a state. */
  #isIn(action: string, state: string): boolean {
    const parts = this.#chat?.messages.at(-1)?.parts ?? [];
    return parts.some((part) => part.type === 'dynamic-tool' && part.state === state && part.toolCallId === action);
  }

  /** Works with the chat, and comes back if the connection was lost. A page that shows no answer then sends what it has again. */
  #do(work: (chat: Chat) => Promise<void>): void {
    this.#isWorking = true;
    this.#work = (async () => {
      if (await this.#fails(work)) await this.#fails((chat) => (isUnanswered(chat) ? chat.sendMessage() : undefined));
      this.#isWorking = false;
    })();
  }

  /** Resolves with true if the work failed, and the page was loaded again. */
  async #fails(work: (chat: Chat) => Promise<void> | undefined): Promise<boolean> {
    const chat = this.#chat as Chat;
    await work(chat)?.catch(() => {});
    if (this.#isClosed || chat.status !== 'error') return false;
    await this.load();
    return true;
  }

  async #loaded(): Promise<Chat> {
    const { url, id } = this.#visit;
    const history = async (): Promise<UIMessage[]> => {
      const answer = await fetch(`${url}/api/chat/${id}`, { headers: KEY_HEADER });
      if (!answer.ok) throw new Error(`the history was answered with ${answer.status}`);
      return (await answer.json()) as UIMessage[];
    };
    for (let messages = await history(); ;) {
      this.#page?.close();
      const page = new Page();
      this.#page = page;
      const chat = new Chat(id, this.#transport(`${url}/api/chat`, page), messages);
      this.#chat = chat;
      await chat.resumeStream();
      if (page.hasStream) return chat;
      // an answer that has ended since the history was loaded is in the history now
      const now = await history();
      if (JSON.stringify(now) === JSON.stringify(messages)) return chat;
      messages = now;
    }
  }
}

/** True if nothing has come of the newest message or decisions: a server may end before the run begins. */
function isUnanswered({ messages }: Chat): boolean {
  return messages.at(-1)?.role === 'user' || lastAssistantMessageIsCompleteWithApprovalResponses({ messages });
}

/** Resolves when the chat has sent what it was given, which it does by itself, and has begun when it says so. */
async function sent(chat: Chat): Promise<void> {
  while (chat.status === 'submitted' || chat.status === 'streaming') await pause();
}

async function isStopped(stream: string): Promise<boolean> {
  const answer = await fetch(stream, { method: 'DELETE', headers: KEY_HEADER }).catch(() => undefined);
  return answer?.ok === true;
}

function rank({ type }: UIMessage['parts'][number]): number {
  return type === 'file' ? 1 : 0;
}

function linesOfPart(role: string, part: UIMessage['parts'][number]): readonly string[] {
  if (part.type === 'text') return [`${role === 'user' ? 'user' : 'text'}: ${part.text}`];
  if (part.type === 'reasoning') return [`reasoning: ${part.text}`];
  if (part.type === 'file') return [imageLine(part.url)];
  if (part.type === 'data-condensation') return [condensationLine(String(Object(part.data).summary))];
  if (part.type !== 'dynamic-tool') return [];
  const { toolCallId, toolName, input, state } = part;
  const result =
    state === 'output-available'
      ? `output ${String(part.output)}`
      : state === 'output-error'
        ? `failed ${part.errorText}`
        : state === 'output-denied'
          ? `rejected ${isObject(part.approval) ? part.approval.reason : ''}`
          : OPEN;
  return [callLine(toolCallId, toolName, input, result)];
}
