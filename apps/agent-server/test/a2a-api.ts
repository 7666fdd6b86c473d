import { Message, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { createA2AHandler, type A2AHandlerOptions, type ContextRequest } from '@conv/a2a';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local } from '@conv/local';
import { openRemoteConversation } from '@conv/remote';
import { onTestFinished } from 'vitest';

import { keeping } from './kept-conversations.ts';
import { confirmationPolicy, weather } from './openai-api.ts';
import { ServerUnderTest } from './server-under-test.ts';
import { serveHandler } from './web-server.ts';

export type Make = (wanted: ContextRequest) => Promise<Conversation>;

const { name, parameters } = weather;
const clientTools = [{ name, description: name, parameters, answers: 'caller' }] as const;

/** Makes local conversations. */
export function localWith(agent: Agent, asks = false): Make {
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  return ({ id }) =>
    factory.create({
      agent,
      workspace: '.',
      clientTools,
      ...(id === undefined ? {} : { id }),
      ...(asks ? { confirmationPolicy } : {}),
    });
}

/** Makes conversations on a server. */
export function remoteWith(agent: Agent, asks = false): Make {
  return async ({ id }) => {
    const server = await ServerUnderTest.start(agent);
    onTestFinished(() => server.dispose());
    const { workspace } = server;
    return openRemoteConversation(
      {},
      {
        workspace,
        agent: agent.describe(),
        clientTools,
        ...(id === undefined ? {} : { id }),
        ...(asks ? { confirmationPolicy } : {}),
      },
    );
  };
}

export type Run = ReturnType<Conversation['run']>;

/** Returns a conversation whose runs are changed. */
export function withRun(conversation: Conversation, change: (begin: () => Run) => Run): Conversation {
  const run: Conversation['run'] = (options) => change(() => conversation.run(options));
  return new Proxy(conversation, {
    get(target, name) {
      const member: unknown = name === 'run' ? run : Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

export interface Api {
  readonly url: string;
  readonly client: Client;
  readonly conversations: readonly Conversation[];
}

/** The published client in front of the handler, behind a real server. */
export async function apiOver(make: Make, options: Partial<A2AHandlerOptions> = {}): Promise<Api> {
  const { conversations, ...kept } = keeping(make);
  const card = { name: 'Echo', description: 'Says it again.' };
  const { url } = await serveHandler(createA2AHandler({ card, ...kept, ...options }));
  return { url, client: await new ClientFactory().createFromUrl(url), conversations };
}

/** The published client of a server, which shows a key. */
export function keyedClient(url: string, key: string): Promise<Client> {
  const keyed: typeof fetch = (address, init) =>
    fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-session-api-key': key } });
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl: keyed })],
    cardResolver: new DefaultAgentCardResolver(),
  });
  return new ClientFactory(options).createFromUrl(url);
}

/** A request that sends parts, or a text. */
export function sends(
  parts: string | readonly object[],
  more: { readonly messageId?: string; readonly contextId?: string; readonly taskId?: string } = {},
  configuration: Partial<NonNullable<SendMessageRequest['configuration']>> = {},
): SendMessageRequest {
  const given = typeof parts === 'string' ? [{ text: parts }] : parts;
  const message = Message.fromJSON({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: given, ...more });
  return {
    tenant: '',
    message,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  };
}

/** Sends a message and resolves with its task. */
export async function taskFor(client: Client, ...given: Parameters<typeof sends>): Promise<Task> {
  return (await client.sendMessage(sends(...given))) as Task;
}

/** Returns what a task says: the text of its artifacts. */
export function answersOf({ artifacts }: Pick<Task, 'artifacts'>): readonly string[] {
  return artifacts.map(({ parts }) =>
    parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
  );
}

/** Returns the values of the data parts of the status: the calls that wait. */
export function waitingIn({ status }: Pick<Task, 'status'>): readonly { readonly call: string }[] {
  const parts = status?.message?.parts ?? [];
  return parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as { call: string }] : []));
}

/** Shows what a client of a stream shows at its end: artifacts put together by id, the messages of calls, the last state. */
export class Shown {
  readonly artifacts = new Map<string, string>();
  readonly messages = new Set<string>();
  /** The artifacts that were complete. */
  readonly ended = new Set<string>();
  task: Task | undefined;
  state: number | undefined;
  count = 0;

  take({ payload }: StreamResponse): void {
    this.count++;
    if (payload?.$case === 'task') {
      this.task = payload.value;
      this.state = payload.value.status?.state;
      for (const artifact of payload.value.artifacts) {
        this.artifacts.set(artifact.artifactId, answersOf({ artifacts: [artifact] })[0] ?? '');
        this.ended.add(artifact.artifactId);
      }
      for (const { messageId, role } of payload.value.history) if (role === 2) this.messages.add(messageId);
    }
    if (payload?.$case === 'statusUpdate') {
      const { status } = payload.value;
      this.state = status?.state;
      if (status?.message?.messageId.endsWith(':call')) this.messages.add(status.message.messageId);
    }
    if (payload?.$case === 'artifactUpdate' && payload.value.artifact) {
      const { artifact, append, lastChunk } = payload.value;
      const before = append ? (this.artifacts.get(artifact.artifactId) ?? '') : '';
      this.artifacts.set(artifact.artifactId, `${before}${answersOf({ artifacts: [artifact] })[0] ?? ''}`);
      if (lastChunk) this.ended.add(artifact.artifactId);
    }
  }

  /** The texts of all artifacts that say something. */
  get answers(): readonly string[] {
    return [...this.artifacts.values()].filter((text) => text !== '');
  }
}
