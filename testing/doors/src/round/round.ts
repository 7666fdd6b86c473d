import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import type { CallItem } from '@conv/turns';

import type { Client, Decided, Door, Said } from '../door/door.ts';
import { call, pause, Writer } from '../door/rest.ts';
import type { CuttingProxy } from '../proxy/cutting-proxy.ts';
import { compare, type Difference } from '../show/compare.ts';
import { choiceFor, IMAGE, messageOf, REASON, TURNS, turnOf } from '../story/story.ts';
import { LiveLog } from './live-log.ts';
import { linesOfLog } from './server-log.ts';

/** Plan of a round. */
export interface RoundPlan {
  /** The round in words, for people. */
  readonly title: string;
  readonly door: Door;
  readonly seed: number;
  /** The number of the frame behind which the client is cut off; 0: never. */
  readonly cut: number;
  /** True if the client comes back when the run has ended, or waits for a person; else it comes back at once. */
  readonly isLate: boolean;
  /** The door that the client comes back through. Default: its own. */
  readonly next?: Door;
  /** Kills the server and starts it again, or lets another one of its fleet be the server, at the cut. Default: the server stays. */
  readonly move?: () => Promise<void>;
  readonly proxy: CuttingProxy;
  /** The address of the server without the proxy. */
  readonly url: () => string;
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
 * Plays a story with a client that is cut off once, and compares what it shows at rest with the log. A client or a server that stops on the way misses
 * what comes then; the error is the story. Rejects without a cut, because the frames are not known then.
 */
export async function playRound(plan: RoundPlan): Promise<RoundResult> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end after ${LONGEST / 1000} s`)), LONGEST);
  const playing = play(plan);
  // a round without an end may fail later
  playing.catch(() => {});
  try {
    return await Promise.race([playing, promise]);
  } catch (error) {
    const { title, cut } = plan;
    if (cut === 0) throw new Error(title, { cause: error });
    const difference = { missing: 1, duplicated: 0, misordered: 0 };
    return { title, ...difference, frames: 0, wasCut: true, story: [String(error)] };
  } finally {
    clearTimeout(timer);
  }
}

async function play(plan: RoundPlan): Promise<RoundResult> {
  const { title, proxy, seed, timeout, url } = plan;
  const id = await newConversation(plan);
  const log = new LiveLog(url, id);
  try {
    await new Writer(url, id).send({ text: messageOf(seed, 0) });
    await log.answered(messageOf(seed, 0));
    await log.standstill();
    const round = new Round(plan, id);
    const before = proxy.frames;
    await round.open();
    try {
      for (let turn = 1; turn <= TURNS; turn++) {
        await round.send(saidIn(seed, turn));
        await log.answered(messageOf(seed, turn));
        await goOn(round, log);
      }
      const events = await log.events();
      for (const until = Date.now() + timeout; !round.isAtRest(events.length) && Date.now() < until;) {
        await pause();
        await round.back();
      }
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
  } finally {
    log.close();
  }
}

function saidIn(seed: number, turn: number): Said {
  return { text: messageOf(seed, turn), ...(turnOf(seed, turn).hasImage ? { image: IMAGE } : {}) };
}

/** Does what a run waits for, until it has ended. */
async function goOn(round: Round, log: LiveLog): Promise<void> {
  for (;;) {
    const found = await log.standstill();
    if (found.kind === 'stop') {
      await round.stop();
      continue;
    }
    await round.back();
    await round.look();
    if (found.kind === 'rest') return;
    if (found.kind === 'decisions') {
      const decisions = found.calls.map(decisionOn);
      await round.decide(decisions);
      await log.settled(decisions);
    }
  }
}

function decisionOn({ actionId: action, input }: CallItem): Decided {
  const given = JSON.parse(input) as { readonly words: string };
  const { approved, words } = choiceFor(given.words);
  const edit = words === undefined ? {} : { input: { ...given, words } };
  return { action, words: given.words, approved, reason: REASON, ...edit };
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
  #isChanging = false;
  #wasElsewhere = false;

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
    if (this.#plan.isLate) this.#plan.proxy.isOpen = true;
    await this.#changing;
  }

  async send(message: Said): Promise<void> {
    await this.back();
    await this.#act((client) => client.send(message));
  }

  /** Has the client ask for what came of something that was done elsewhere. */
  async look(): Promise<void> {
    if (!this.#wasElsewhere) return;
    this.#wasElsewhere = false;
    await this.#act(async (client) => client.look?.());
  }

  /** Decides by the client, or elsewhere if its protocol cannot say it. */
  async decide(decisions: readonly Decided[]): Promise<void> {
    const isHere = this.door.edits === true || !decisions.some(({ input }) => input);
    await this.#act((client) => (isHere ? client.decide(decisions) : this.#elsewhere((by) => by.decide(decisions))));
  }

  /** Stops the run, also before the client is back: a page that loads waits for the end of the run. */
  async stop(): Promise<void> {
    if (this.#plan.isLate) this.#plan.proxy.isOpen = true;
    if (this.#isChanging) await this.#elsewhere((writer) => writer.stop());
    else await this.#act((client) => client.stop?.() ?? this.#elsewhere((writer) => writer.stop()));
  }

  isAtRest(length: number): boolean {
    return !this.#isChanging && this.#client?.isAtRest(length) === true;
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

  /** Does something by REST. */
  async #elsewhere(act: (writer: Writer) => Promise<void>): Promise<void> {
    await act(new Writer(this.#plan.url, this.#id));
    this.#wasElsewhere = true;
  }

  #cut(): void {
    const { isLate, next, move, proxy } = this.#plan;
    // a client that opens or waits for an answer needs the connection to go on
    if (isLate && this.#client && !this.#isActing) proxy.isOpen = false;
    const moving = move?.();
    this.#isChanging = true;
    this.#changing = (async () => {
      await moving;
      if (next) await this.#change(next);
      this.#isChanging = false;
    })();
    // a round that waits for the change is told of its error
    this.#changing.catch(() => {});
  }

  /** Goes on through the next door, behind the events that the client has. */
  async #change(next: Door): Promise<void> {
    // the client may be opening, or wait for an answer
    while (!this.#client || this.#isActing) await pause();
    const { proxy } = this.#plan;
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
