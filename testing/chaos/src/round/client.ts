import { randomUUID } from 'node:crypto';

import { isConversationError, type RunResult } from '@conv/core';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { type Random, Recorder, type Sent } from '@conv/testing-harness';

import type { FaultyProxy } from '../proxy/faulty-proxy.ts';

/** Plan of a client. */
export interface ClientPlan {
  readonly name: string;
  readonly conversationId: string;
  /** The folder on the server that agents work in. */
  readonly workingDir: string;
  readonly policy: 'NeverConfirm' | 'AlwaysConfirm';
  readonly proxy: FaultyProxy;
  readonly random: Random;
  /** Logs refused commands. */
  readonly log: (line: string) => void;
}

/** Milliseconds. Short, because the weather changes quickly. */
const HEARTBEAT = 500;
const REQUESTS = {
  answerTimeout: 2_000,
  requestTimeout: 15_000,
  backoff: { first: 20, most: 400 },
  // no warning, because servers are killed on purpose
  onRetry: () => {},
};

/** Milliseconds after which an opening is given up and retried. */
const OPENING = 30_000;

const AGENT = { kind: 'Agent', llm: { model: 'scripted' }, tools: [] };

/** An action of a client. */
type Deed = 'send' | 'run' | 'pause' | 'approve' | 'reject' | 'reconnect' | 'subscribe' | 'rest';

const DEEDS: Readonly<Record<Deed, number>> = {
  send: 0.3,
  run: 0.25,
  pause: 0.05,
  approve: 0.08,
  reject: 0.04,
  reconnect: 0.08,
  subscribe: 0.1,
  rest: 0.1,
};

/** A user of a conversation, with its own faulty network. */
export class Client {
  readonly plan: ClientPlan;
  readonly recorders: Recorder[] = [];
  readonly sent: Sent[] = [];
  /** Runs that this client waits for, by a name. */
  readonly running: Map<string, Promise<void>> = new Map();
  #conversation: RemoteConversation | undefined;

  constructor(plan: ClientPlan) {
    this.plan = plan;
  }

  /** Opens the conversation, with any number of attempts, and continues its subscribers. */
  async open(): Promise<void> {
    const { conversationId: id, policy, workingDir, proxy, log, name } = this.plan;
    const workspace = new RemoteWorkspace({ host: proxy.host, workingDir, requests: REQUESTS });
    for (;;) {
      try {
        this.#conversation = await openRemoteConversation(
          { heartbeat: HEARTBEAT, finishedGrace: HEARTBEAT },
          { workspace, id, agent: AGENT, confirmationPolicy: { kind: policy }, signal: AbortSignal.timeout(OPENING) },
        );
        break;
      } catch (error) {
        log(`${name} opening: ${wordsOf(error)}`);
      }
    }
    if (this.recorders.length === 0) this.recorders.push(new Recorder(`${name}.0`, 0));
    for (const recorder of this.recorders) recorder.follow(this.#conversation);
  }

  /** Performs this many actions, one after the other; runs continue meanwhile. */
  async act(times: number): Promise<void> {
    const { random, log, name } = this.plan;
    for (let time = 0; time < times; time++) {
      const deed = random.among(DEEDS) ?? 'rest';
      try {
        await this.#do(deed);
      } catch (error) {
        log(`${name} ${deed}: ${wordsOf(error)}`);
      }
    }
  }

  /** Sends a message with a unique text. */
  async send(): Promise<void> {
    const { name, random } = this.plan;
    const text = `${name} ${this.sent.length} ${randomUUID()}${'.'.repeat(random.chance(0.1) ? 20_000 : 10)}`;
    const at = this.sent.push({ text, client: name, id: undefined }) - 1;
    const { id } = await this.conversation.sendMessage(text);
    this.sent[at] = { text, client: name, id };
  }

  /** Runs, and waits for its end. */
  run(join: boolean): Promise<RunResult> {
    return this.conversation.run({ pollInterval: HEARTBEAT, join });
  }

  get conversation(): RemoteConversation {
    if (!this.#conversation) throw new Error(`${this.plan.name} has not opened the conversation`);
    return this.#conversation;
  }

  async close(): Promise<void> {
    await this.#conversation?.close();
  }

  #do(deed: Deed): Promise<void> | void {
    const { conversation } = this;
    const { random } = this.plan;
    if (deed === 'send') return this.send();
    if (deed === 'run') return this.#start();
    if (deed === 'reconnect') return this.close().then(() => this.open());
    if (deed === 'subscribe') return this.#subscribe();
    if (deed === 'rest') return new Promise((resolve) => setTimeout(resolve, random.between(0, 150)));
    return conversation[deed]();
  }

  #start(): void {
    const { name, random, log } = this.plan;
    const run = `${name} run ${randomUUID().slice(0, 8)}`;
    const ended = this.run(random.chance(0.5)).then(
      () => {},
      (error: unknown) => {
        if (!isUsual(error)) log(`${run}: ${wordsOf(error)}`);
      },
    );
    this.running.set(
      run,
      ended.finally(() => this.running.delete(run)),
    );
  }

  #subscribe(): void {
    const { name, random } = this.plan;
    const from = random.between(0, this.conversation.events.length);
    const recorder = new Recorder(`${name}.${this.recorders.length}`, from);
    this.recorders.push(recorder);
    recorder.follow(this.conversation);
  }
}

/** True if another client's run is active, or this client disconnected. */
function isUsual(error: unknown): boolean {
  return isConversationError(error, 'BUSY') || isConversationError(error, 'CLOSED');
}

function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return isConversationError(error) ? `${error.code} ${error.message}${cause}` : String(error);
}
