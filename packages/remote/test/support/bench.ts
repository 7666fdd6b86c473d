import type { Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';

import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '../../src/index.ts';
import type { RemoteConversationOptions, RemoteRuntimeOptions, RemoteWorkspaceOptions } from '../../src/index.ts';
import { FakeServer, type FakeServerOptions } from './fake-server.ts';

/** Capabilities of a server that numbers events and takes idempotency keys. */
export const NUMBERED: readonly string[] = ['session_socket_v1', 'idempotency_v1'];

/** Both kinds of servers. */
export const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['events socket', []],
  ['session socket', NUMBERED],
];

/** An agent that every fake server takes. */
export const AGENT: { readonly kind: 'Agent'; readonly llm: { readonly model: string } } = {
  kind: 'Agent',
  llm: { model: 'fake' },
};

/** A fake server, and conversations on it; all of it ends with the test. */
export class Bench {
  readonly server: FakeServer;
  readonly #open: RemoteConversation[] = [];

  private constructor(server: FakeServer) {
    this.server = server;
  }

  static async start(options: FakeServerOptions = {}): Promise<Bench> {
    const server = new FakeServer(options);
    await server.start();
    return new Bench(server);
  }

  workspace(options: RemoteWorkspaceOptions = {}): RemoteWorkspace {
    // patient tests: waits between tries are short, the number of tries is not
    return new RemoteWorkspace({ url: this.server.url, requests: { backoff: { first: 5, most: 50 } }, ...options });
  }

  async open(
    options: Partial<RemoteConversationOptions> = {},
    runtime: RemoteRuntimeOptions = {},
  ): Promise<RemoteConversation> {
    const conversation = await openRemoteConversation(runtime, {
      agent: AGENT,
      workspace: this.workspace(),
      ...options,
    });
    this.#open.push(conversation);
    return conversation;
  }

  /** Opens a conversation that the server has, as another client that knows its id alone. */
  async openAgain(id: string, runtime: RemoteRuntimeOptions = {}): Promise<RemoteConversation> {
    const conversation = await openRemoteConversation(runtime, { id, workspace: this.workspace(), create: 'never' });
    this.#open.push(conversation);
    return conversation;
  }

  /** Looks until it is so. */
  async until(so: () => boolean): Promise<void> {
    while (!so()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const conversation of this.#open) await conversation.close();
    await this.server.stop();
  }
}

/** Collects what a subscriber is given, from the first event on. */
export function collect(conversation: RemoteConversation): { readonly seen: Event[]; readonly numbers: number[] } {
  const seen: Event[] = [];
  const numbers: number[] = [];
  const onEvent = (event: Event, index: number): void => {
    seen.push(event);
    numbers.push(index);
  };
  conversation.subscribe({ onEvent }, { from: toEventIndex(0) });
  return { seen, numbers };
}

/** Kinds of events, messages by who says them, statuses by what they say. */
export function told(events: readonly unknown[]): readonly string[] {
  return (events as readonly Record<string, unknown>[]).map(({ kind, source, value }) => {
    if (kind === 'MessageEvent') return String(source);
    return kind === 'ConversationStateUpdateEvent' ? `status ${String(value)}` : String(kind);
  });
}
