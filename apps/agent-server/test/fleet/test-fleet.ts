import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { agentServer, type AgentServer, type AgentServerOptions } from '@conv/server';
import { openStore, type OpenedStore } from '@conv/stores';
import { keptPort } from '@conv/testing-harness';
import { fastify, type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

import { Gate, newConversation, workers } from './work-script.ts';

/** The answer to a request. */
export interface Answer<Body = JsonObject> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** Server of a fleet, in this process, with a store object of its own. */
export interface FleetMember {
  readonly url: string;
  readonly host: AgentServer['host'];
  /** Outcomes of commands for other servers. */
  readonly forwarded: readonly string[];
  readonly tookOver: readonly string[];
  readonly reported: readonly string[];
  call<Body = JsonObject>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<Body>>;
  close(): Promise<void>;
}

/** Options of the members. */
export type MemberOptions = Partial<AgentServerOptions>;

/** Servers on one store. They are closed after the test. */
export class TestFleet {
  readonly folder: string;
  readonly gate: Gate = new Gate();
  readonly members: FleetMember[] = [];
  readonly #address: string;

  private constructor(folder: string, kind: 'fs' | 'sqlite') {
    this.folder = folder;
    this.#address = kind === 'fs' ? `fs:${join(folder, 'store')}` : `sqlite:${join(folder, 'store.db')}`;
  }

  static async start(kind: 'fs' | 'sqlite' = 'fs'): Promise<TestFleet> {
    const fleet = new TestFleet(await mkdtemp(join(tmpdir(), 'conv-fleet-')), kind);
    onTestFinished(async () => {
      fleet.gate.open();
      await Promise.all(fleet.members.map((member) => member.close()));
      await rm(fleet.folder, { recursive: true, force: true });
    });
    return fleet;
  }

  /** Starts another server. */
  async join(options: MemberOptions = {}): Promise<FleetMember> {
    for (;;) {
      const port = await keptPort();
      const member = await this.#start(port, options).catch((error: NodeJS.ErrnoException) => {
        // another process took the port first
        if (error.code === 'EADDRINUSE') return undefined;
        throw error;
      });
      if (!member) continue;
      this.members.push(member);
      return member;
    }
  }

  /** Makes a conversation at a server, which owns it then. */
  async make(member: FleetMember, model: 'says' | 'works' = 'says', more: JsonObject = {}): Promise<string> {
    const body = newConversation(model, join(this.folder, 'work'), more);
    const answer = await member.call<ConversationInfo>('POST', '/api/conversations', body);
    if (answer.status !== 201) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  }

  async #start(port: number, given: MemberOptions): Promise<FleetMember> {
    const opened = await openStore(this.#address);
    const url = `http://127.0.0.1:${port}`;
    const told = { forwarded: [] as string[], tookOver: [] as string[], reported: [] as string[] };
    const server = agentServer({
      persistenceDir: join(this.folder, opened.address.kind === 'fs' ? 'store' : 'side'),
      agents: workers(this.gate),
      cipher: fernetCipher('one key for all'),
      secrets: createSecretVault,
      report: (error, about) => void told.reported.push(`${about.doing}: ${String(error)}`),
      ...given,
      store: opened.store,
      handoverGrace: 0,
      fleet: {
        url,
        peers: ['http://127.0.0.1:*'],
        key: 'the key of a test fleet',
        scanInterval: 100,
        observer: {
          forwarded: (outcome) => void told.forwarded.push(outcome),
          tookOver: (id) => void told.tookOver.push(id),
        },
        ...given.fleet,
      },
    });
    const app = fastify({ pluginTimeout: 0, return503OnClosing: false });
    await app.register(server);
    const close = closing(app, opened);
    try {
      await app.listen({ host: '127.0.0.1', port });
    } catch (error) {
      await close();
      throw error;
    }
    return { url, host: server.host, ...told, call: (...asked) => ask(url, ...asked), close };
  }
}

/** Its events, at most a hundred. */
export async function eventsAt(member: FleetMember, id: string): Promise<readonly Event[]> {
  const { body } = await member.call<Page<Event>>('GET', `/api/conversations/${id}/events/search?limit=100`);
  return body.items;
}

/** Returns the texts of the user's messages, in order. */
export function userTexts(events: readonly Event[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'MessageEvent' && event.source === 'user'
      ? [(event['llm_message'] as unknown as { content: { text: string }[] }).content[0]?.text ?? '']
      : [],
  );
}

export async function statusAt(member: FleetMember, id: string): Promise<string> {
  return (await member.call<ConversationInfo>('GET', `/api/conversations/${id}`)).body.execution_status;
}

function closing(app: FastifyInstance, opened: OpenedStore): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await app.close();
    await opened.close();
  };
  return () => (closed ??= end());
}

async function ask<Body>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<Body>> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
}
