import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { agentServer } from '@conv/server';
import { type Principal, type Scope } from '@conv/server/access';
import { fastify } from 'fastify';

import { PROTOCOLS } from '../../src/protocols/protocol-names.ts';
import { servedProtocols } from '../../src/protocols/served-protocols.ts';
import { calls, confirmationPolicy, scripted } from '../openai-api.ts';
import { OPERATIONS, requestOf, type Operation, type Place } from './operations.ts';

export const ALL: readonly Scope[] = ['read', 'run', 'approve', 'admin'];

/** All sets of scopes. */
export const SETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_scope, at) => (bits & (1 << at)) !== 0),
);

/** Limits of the keys of a set. */
export const LIMITS: Readonly<Record<string, NonNullable<Principal['limits']>>> = {
  all: {},
  own: { own: true },
  tagged: { tags: { team: 'red' } },
};

export type Which = 'own' | 'foreign' | 'missing';
export const WHICH: readonly Which[] = ['own', 'foreign', 'missing'];

/** The key `LIMITS:SCOPES:OWNER` is a principal with these limits and scopes. */
function principal(key: string): Principal | undefined {
  const [limits = '', scopes = '', name = ''] = key.split(':');
  if (!(limits in LIMITS)) return undefined;
  return { name, scopes: scopes.split('+').filter(Boolean) as Scope[], limits: LIMITS[limits] ?? {} };
}

export const keyOf = (limits: string, scopes: readonly Scope[], name = 'ann'): string =>
  `${limits}:${scopes.join('+')}:${name}`;

/** The key of a caller, and the conversation that it asks for. */
export interface Asking {
  readonly scopes: readonly Scope[];
  readonly limits: string;
  readonly which: Which;
}

/** Returns the refusal that the scopes and limits of a key say; `undefined` if its holder may do it. */
export function refusalOf({ scopes, limits, which }: Asking, needs: readonly Scope[]): 403 | 404 | undefined {
  if (limits !== 'all' && which !== 'own') return 404;
  if (!scopes.includes('read')) return 403;
  if (which === 'missing') return 404;
  return needs.every((scope) => scopes.includes(scope)) ? undefined : 403;
}

/** The request of a client that names a receiver. */
const RECEIVER = OPERATIONS.find(({ name }) => name === 'A2A CreateTaskPushNotificationConfig') as Operation;

/** A server with conversations of two people, each with a call that waits. Adapters work with the key of each sender. */
export class RightsServer {
  readonly places: Readonly<Record<Which, Place>>;
  readonly #app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
  readonly #store = new MemoryStore();
  readonly #opened = new Map<string, Promise<Conversation>>();
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    const missing = { id: randomUUID(), event: randomUUID(), action: randomUUID(), other: randomUUID() };
    this.places = { own: missing, foreign: missing, missing };
  }

  static async start(): Promise<RightsServer> {
    const server = new RightsServer(await mkdtemp(join(tmpdir(), 'conv-rights-')));
    await server.#listen();
    const { places } = server;
    Object.assign(places, { own: await server.waiting('ann', 'red'), foreign: await server.waiting('bob', 'blue') });
    return server;
  }

  get url(): string {
    const { port } = this.#app.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    for (const conversation of this.#opened.values()) await conversation.then((each) => each.close());
    await this.#app.close();
    await this.#store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Opens a conversation with the rights of a key, once. */
  open(id: string, key: string): Promise<Conversation> {
    const known = this.#opened.get(`${id} ${key}`);
    if (known) return known;
    const opening = this.fresh(id, key);
    this.#opened.set(`${id} ${key}`, opening);
    opening.catch(() => this.#opened.delete(`${id} ${key}`));
    return opening;
  }

  /** Opens a conversation anew, which the caller closes. */
  fresh(id: string, key: string): Promise<Conversation> {
    return openRemoteConversation({}, { workspace: this.#workspaceOf(key), id, create: 'never' });
  }

  /** Makes a conversation whose first call waits for a person, and whose task has a receiver. */
  async waiting(owner: string, team: string): Promise<Place> {
    const workspace = this.#workspaceOf(keyOf('all', ALL, owner));
    const agent = scripted().describe();
    const make = async (): Promise<Conversation> => {
      const made = await openRemoteConversation({}, { workspace, agent, confirmationPolicy, tags: { team } });
      this.#opened.set(made.id, Promise.resolve(made));
      return made;
    };
    const conversation = await make();
    const { id: event } = await conversation.sendMessage('Go');
    await conversation.run();
    const [call] = conversation.state.pendingActions;
    const place = { id: conversation.id, event, action: String(call?.id), other: (await make()).id };
    const asks = requestOf(RECEIVER, place, { url: this.url, key: keyOf('all', ALL, owner) });
    const asked = await (await fetch(asks)).text();
    if (!asked.includes('"result"')) throw new Error(`expected a receiver, found ${asked}`);
    return place;
  }

  /** Resolves with what a refused request must not change of the conversations of both people. */
  async untouched(): Promise<readonly unknown[]> {
    const facts: unknown[] = [];
    for (const which of ['own', 'foreign'] as const) {
      const { id, other } = this.places[which];
      const { state, events } = await (this.#opened.get(id) as Promise<Conversation>);
      facts.push([state.executionStatus, state.queue.length, events.length, Object.keys(state.calls)]);
      facts.push((await this.#opened.get(other))?.events.length);
    }
    return facts;
  }

  async #listen(): Promise<void> {
    const agents = { revive: async () => scripted(calls('echo', 'hi'), { text: 'Done.' }, { text: 'On.' }) };
    const protocols = servedProtocols(PROTOCOLS);
    const options = {
      store: this.#store,
      persistenceDir: this.#folder,
      agents,
      principal,
      protocols,
      report: () => {},
    };
    await this.#app.register(agentServer(options));
    await this.#app.listen({ host: '127.0.0.1', port: 0 });
  }

  #workspaceOf(apiKey: string): RemoteWorkspace {
    return new RemoteWorkspace({ host: this.url, apiKey, workingDir: this.#folder });
  }
}

/** The result of {@link RightsServer.untouched} if nothing was changed. */
export const UNTOUCHED = [['waiting_for_confirmation', 0, 3, []], 0, ['waiting_for_confirmation', 0, 3, []], 0];
