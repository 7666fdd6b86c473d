import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client, Door } from '../door/door.ts';
import { call, pause, Writer } from '../door/rest.ts';
import type { CuttingProxy } from '../proxy/cutting-proxy.ts';
import { compare, type Difference } from '../show/compare.ts';
import { messageOf, TURNS } from '../story/story.ts';
import { linesOfLog, ServerLog } from './server-log.ts';

/**
 * The way of a client back: at once, late, which is when the run has ended or waits for a person, or through another door. `kill`
 * ends the server with the connection.
 */
export type Return = 'at once' | 'late' | 'other door' | 'kill';

/** Plan of a round. */
export interface RoundPlan {
  /** The round in words, for people. */
  readonly title: string;
  readonly door: Door;
  /** The door that a client comes back through that changes it. */
  readonly next: Door;
  readonly seed: number;
  /** The number of the frame behind which the client is cut off; 0: never. */
  readonly cut: number;
  readonly back: Return;
  readonly proxy: CuttingProxy;
  /** The address of the server without the proxy. */
  readonly url: () => string;
  /** Kills the server and starts it again, or lets another one of its fleet be the server. */
  readonly kill: () => Promise<void>;
  /** Milliseconds for a client to show the log, when the run has ended. */
  readonly timeout: number;
  /** The folder in which the conversation gets one to work in. */
  readonly folder: string;
}

/** The result of a round. */
export interface RoundResult extends Difference {
  readonly title: string;
  /** Frames that the client got. */
  readonly frames: number;
  readonly wasCut: boolean;
  /** The lines of the client and of the log, if they differ. */
  readonly story: readonly string[];
}

/** Milliseconds after which a round that has not ended is an error. */
const LONGEST = 180_000;

/**
 * Plays a story with a client that is cut off once, and compares what it shows at rest with the log. Rejects if the client or the
 * server stops on the way.
 */
export async function playRound(plan: RoundPlan): Promise<RoundResult> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${plan.title}: no end after ${LONGEST / 1000} s`)), LONGEST);
  return Promise.race([play(plan), promise]).finally(() => clearTimeout(timer));
}

async function play(plan: RoundPlan): Promise<RoundResult> {
  const { title, proxy, seed, timeout, url } = plan;
  const id = await newConversation(plan);
  const log = new ServerLog(url, id);
  await new Writer(url, id).send(messageOf(seed, 0));
  await log.rest();
  const round = new Round(plan, id);
  const before = proxy.frames;
  await round.open();
  try {
    for (let turn = 1; turn <= TURNS; turn++) {
      await round.send(messageOf(seed, turn));
      await untilAnswered(log, messageOf(seed, turn));
      while ((await log.rest()) === 'waiting_for_confirmation') {
        await round.back();
        const actions = await log.waiting();
        if (actions.length === 0) continue;
        await round.approve(actions);
        await untilDecided(log, actions);
      }
      await round.back();
    }
    const events = await log.events();
    for (const until = Date.now() + timeout; !round.isAtRest(events.length) && Date.now() < until;) await pause();
    const shown = round.shown();
    const lines = linesOfLog(events, round.door, shown);
    const difference = compare(shown, lines);
    const isEqual = difference.missing + difference.duplicated + difference.misordered === 0;
    const story = isEqual
      ? []
      : ['shows', ...shown.map((line) => `  ${line}`), 'the log has', ...lines.map((line) => `  ${line}`)];
    return { title, ...difference, frames: proxy.frames - before, wasCut: round.wasCut, story };
  } finally {
    await round.close();
  }
}

/** The client of a round, with its cut. */
class Round {
  door: Door;
  wasCut = false;
  readonly #plan: RoundPlan;
  readonly #id: string;
  #client: Client | undefined;
  #changing: Promise<void> = Promise.resolve();
  #isActing = false;

  constructor(plan: RoundPlan, id: string) {
    this.#plan = plan;
    this.#id = id;
    this.door = plan.door;
  }

  async open(): Promise<void> {
    const { proxy, cut } = this.#plan;
    const first = proxy.frames;
    proxy.watch = (frame) => {
      if (this.wasCut || frame - first !== cut) return false;
      this.wasCut = true;
      this.#cut();
      return true;
    };
    this.#client = await this.door.open({ url: proxy.url, id: this.#id });
    await this.#changing;
  }

  /** Lets a client come back that was to come back late. */
  async back(): Promise<void> {
    if (this.#plan.back === 'late') this.#plan.proxy.isOpen = true;
    await this.#changing;
  }

  async send(text: string): Promise<void> {
    await this.back();
    await this.#act((client) => client.send(text));
  }

  async approve(actions: readonly string[]): Promise<void> {
    await this.back();
    await this.#act((client) => client.approve(actions));
  }

  isAtRest(length: number): boolean {
    return this.#client?.isAtRest(length) === true;
  }

  shown(): readonly string[] {
    return this.#client?.shown() ?? [];
  }

  async close(): Promise<void> {
    const { proxy } = this.#plan;
    proxy.isOpen = true;
    proxy.watch = () => false;
    await this.#changing;
    await this.#client?.close();
  }

  async #act(act: (client: Client) => Promise<void>): Promise<void> {
    this.#isActing = true;
    try {
      await act(this.#client as Client);
    } finally {
      this.#isActing = false;
    }
  }

  #cut(): void {
    const { back, proxy, kill } = this.#plan;
    // a client that opens or waits for an answer needs the connection to go on
    if (back === 'late' && this.#client && !this.#isActing) proxy.isOpen = false;
    if (back === 'kill') this.#changing = kill();
    if (back === 'other door') this.#changing = this.#change();
  }

  /** Goes on through the next door, behind the events that the client has. */
  async #change(): Promise<void> {
    // the client may be opening, or wait for an answer
    while (!this.#client || this.#isActing) await pause();
    const { next, proxy } = this.#plan;
    const known = next.takesCursor ? await this.#client.known() : undefined;
    const old = this.#client;
    this.door = next;
    this.#client = await next.open({ url: proxy.url, id: this.#id, ...(known ? { known } : {}) });
    await old.close();
  }
}

async function newConversation({ url, folder }: RoundPlan): Promise<string> {
  const body = {
    conversation_id: randomUUID(),
    agent: { kind: 'Agent', llm: { model: 'story' }, tools: [] },
    workspace: { working_dir: await mkdtemp(join(folder, 'work-')) },
    confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: false },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
  };
  await call(url, { method: 'POST', path: '/api/conversations', body });
  return body.conversation_id;
}

/** Milliseconds after which a run that does not go on is an error. */
const PATIENCE = 60_000;

/** Waits until the log has the message, and something of the agent behind it. */
async function untilAnswered(log: ServerLog, message: string): Promise<void> {
  await until(`an answer to ${message}`, async () => {
    const events = await log.events();
    const at = events.findLastIndex(({ event }) => JSON.stringify(event).includes(JSON.stringify(message)));
    return at >= 0 && events.slice(at + 1).some(({ event }) => event.source !== 'user');
  });
}

/** Waits until one of these calls has its result. */
async function untilDecided(log: ServerLog, actions: readonly string[]): Promise<void> {
  await until(`a result of ${actions.join(', ')}`, async () => {
    const waiting = await log.waiting();
    return actions.some((action) => !waiting.includes(action));
  });
}

async function until(what: string, isThere: () => Promise<boolean>): Promise<void> {
  for (const last = Date.now() + PATIENCE; !(await isThere()); await pause())
    if (Date.now() > last) throw new Error(`${what} did not come`);
}
