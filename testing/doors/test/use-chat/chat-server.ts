import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keptPort } from '@conv/testing-harness';
import { createModelServer, type ModelServer, type Script } from '@conv/testing-model-server';

import { call, Writer } from '../../src/door/rest.ts';
import { ServerLog } from '../../src/round/server-log.ts';
import { KEY_HEADER } from '../../src/server/server-plan.ts';
import { ServerProcess } from '../../src/server/server-process.ts';

/** A server with chats, in a process that can be killed, and its scripted model, which lives on. */
export class ChatServer implements AsyncDisposable {
  readonly model: ModelServer;
  readonly #folder: string;
  readonly #process: ServerProcess;

  private constructor(folder: string, model: ModelServer, port: number) {
    this.#folder = folder;
    this.model = model;
    const plan = { directory: join(folder, 'store'), port, model: model.url };
    this.#process = new ServerProcess(plan);
  }

  static async start(script: Script): Promise<ChatServer> {
    const folder = await mkdtemp(join(tmpdir(), 'use-chat-'));
    const server = new ChatServer(folder, await createModelServer({ script }), await keptPort());
    await server.#process.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#process.port}`;
  }

  /** Makes a chat in which risky calls wait for a person. Resolves with its id. */
  async chat(): Promise<string> {
    const body = {
      conversation_id: randomUUID(),
      agent: { kind: 'Agent', llm: { model: 'scripted' }, tools: [] },
      workspace: { working_dir: await mkdtemp(join(this.#folder, 'work-')) },
      confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: false },
      security_analyzer: { kind: 'LLMSecurityAnalyzer' },
    };
    await call(() => this.url, { method: 'POST', path: '/api/conversations', body });
    return body.conversation_id;
  }

  /** Approves what waits, as a person in another program does. */
  async approveElsewhere(chat: string): Promise<void> {
    const log = this.log(chat);
    const decisions = (await log.waiting()).map((action) => ({ action, words: '', approved: true, reason: '' }));
    await new Writer(() => this.url, chat).decide(decisions);
  }

  /** Resolves with the status of the answer to a page that resumes: 204 while no answer is in progress. */
  async streamStatus(chat: string): Promise<number> {
    const left = new AbortController();
    const { status } = await fetch(`${this.url}/api/chat/${chat}/stream`, {
      headers: KEY_HEADER,
      signal: left.signal,
    });
    left.abort();
    return status;
  }

  log(chat: string): ServerLog {
    return new ServerLog(() => this.url, chat);
  }

  /** Ends the process as `kill -9` does. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Starts the process again, on the same port. */
  start(): Promise<void> {
    return this.#process.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill();
    await this.model.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
