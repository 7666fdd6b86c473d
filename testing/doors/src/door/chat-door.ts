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
import { callLine } from '../show/lines-of.ts';
import type { Client, Door, Visit } from './door.ts';
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

  async send(text: string): Promise<void> {
    await this.#work;
    this.#do((chat) => chat.sendMessage({ text }));
  }

  /** Decides on every call that the page asks about, as its person does. */
  async approve(actions: readonly string[]): Promise<void> {
    await this.#work;
    if (this.#asked(actions).length === 0) await this.load();
    this.#do(async (chat) => {
      for (const id of this.#asked(actions)) await chat.addToolApprovalResponse({ id, approved: true });
      // the chat sends the decisions by itself, and has begun when it says so
      while (chat.status === 'submitted' || chat.status === 'streaming') await pause();
    });
  }

  isAtRest(): boolean {
    return !this.#isWorking;
  }

  shown(): readonly string[] {
    return (this.#chat?.messages ?? []).flatMap(({ role, parts }) => parts.flatMap((part) => linesOfPart(role, part)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#page?.close();
    await this.#work;
  }

  #asked(actions: readonly string[]): readonly string[] {
    const parts = this.#chat?.messages.at(-1)?.parts ?? [];
    return parts.flatMap((part) => {
      const isAsked = part.type === 'dynamic-tool' && part.state === 'approval-requested';
      return isAsked && actions.includes(part.toolCallId) ? [part.toolCallId] : [];
    });
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

function linesOfPart(role: string, part: UIMessage['parts'][number]): readonly string[] {
  if (part.type === 'text') return [`${role === 'user' ? 'user' : 'text'}: ${part.text}`];
  if (part.type === 'reasoning') return [`reasoning: ${part.text}`];
  if (part.type !== 'dynamic-tool') return [];
  const { toolCallId, toolName, input, state } = part;
  const result =
    state === 'output-available'
      ? `output ${String(part.output)}`
      : state === 'output-error'
        ? `failed ${part.errorText}`
        : state === 'output-denied'
          ? `rejected ${isObject(part.approval) ? part.approval.reason : ''}`
          : 'open';
  return [callLine(toolCallId, toolName, input, result)];
}
