import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { ConversationStore } from '@conv/core/store';
import { checkMessages, checkRecorder, Findings, Random } from '@conv/testing-harness';

import type { Counter } from '../counters.ts';
import { FaultyProxy } from '../proxy/faulty-proxy.ts';
import type { Traffic } from '../proxy/traffic.ts';
import { CALM, STORM, type Weather } from '../proxy/weather.ts';
import { Client } from './client.ts';
import { measureReturn, type Return } from './measure-return.ts';
import { lengthAtRest, readLog } from './server-log.ts';
import type { ServerProcess } from './server-process.ts';

/** Options of a round. */
export interface RoundOptions {
  readonly seed: number;
  readonly server: ServerProcess;
  /** The server's, for reading. */
  readonly store: ConversationStore;
  /** Milliseconds in calm weather. */
  readonly timeout: number;
  /** Logs refused commands. */
  readonly log: (line: string) => void;
}

/** Result of a round. */
export interface RoundResult {
  /** In the log at the end. */
  readonly events: number;
  readonly findings: Findings<Counter>;
  /** In the storm. */
  readonly traffic: readonly Traffic[];
  /** A return in calm weather. */
  readonly returned: Return | undefined;
}

/** Milliseconds until the server is killed, and for which it is away. */
const KILL = 1_500;
const AWAY = 300;

/** A conversation of several clients in bad weather. When the weather is calm, the received events are compared with the log. */
export class Round {
  readonly #options: RoundOptions;
  readonly #random: Random;
  readonly #findings = new Findings<Counter>();
  readonly #id: string = randomUUID();
  readonly #clients: Client[] = [];

  private constructor(options: RoundOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Plays a round until its end. */
  static async play(options: RoundOptions): Promise<RoundResult> {
    const round = new Round(options);
    try {
      return await round.#play();
    } finally {
      for (const { plan } of round.#clients) await plan.proxy.close();
    }
  }

  async #play(): Promise<RoundResult> {
    await this.#enter();
    const killed = this.#kill();
    await Promise.all(this.#clients.map((client) => client.act(this.#random.between(4, 12))));
    await killed;
    this.#turn(CALM);
    await this.#awaitRuns();
    const traffic = this.#clients.map(({ plan }) => ({ ...plan.proxy.traffic }));
    await this.#runAlone();
    this.#turn(CALM);
    const length = await this.#arrive();
    const returned = await this.#return(length);
    await this.#arrive();
    for (const client of this.#clients) await client.close();
    return { events: await this.#compare(), findings: this.#findings, traffic, returned };
  }

  /** The first client creates the conversation and the others open it, in bad weather. */
  async #enter(): Promise<void> {
    const { server, log } = this.#options;
    const { directory, breakage } = server.plan;
    const policy = this.#random.chance(0.35) ? 'AlwaysConfirm' : 'NeverConfirm';
    const count = this.#random.between(2, 3);
    for (let number = 1; number <= count; number++) {
      const random = new Random(this.#random.seed());
      const proxy = await FaultyProxy.start(random, () => server.port, breakage === 'swapping');
      proxy.weather = STORM;
      const workingDir = join(directory, 'work');
      const plan = {
        name: `client ${number}`,
        conversationId: this.#id,
        workingDir,
        policy,
        proxy,
        random,
        log,
      } as const;
      const client = new Client(plan);
      this.#clients.push(client);
      await client.open();
    }
  }

  async #kill(): Promise<void> {
    const kills = this.#random.chance(0.4) ? this.#random.between(1, 2) : 0;
    for (let kill = 0; kill < kills; kill++) {
      const [before, away] = [this.#random.between(20, KILL), this.#random.between(0, AWAY)];
      await new Promise((resolve) => setTimeout(resolve, before));
      this.#options.log('the server is killed');
      await this.#options.server.kill(away);
    }
  }

  #turn(weather: Weather): void {
    for (const { plan } of this.#clients) plan.proxy.weather = weather;
  }

  async #awaitRuns(): Promise<void> {
    const runs = this.#clients.flatMap(({ running }) => [...running]);
    await this.#inTime(Promise.all(runs.map(([, ended]) => ended)));
    for (const { running } of this.#clients)
      for (const run of running.keys()) this.#findings.add('stuckRuns', `${run} does not end`);
  }

  /** Plays a run without disturbances. When it ends, its subscribers have received all its events (P11). */
  async #runAlone(): Promise<void> {
    const { server, timeout, store, log } = this.#options;
    const [client] = this.#clients as [Client];
    const until = Date.now() + timeout;
    await lengthAtRest(() => server.port, this.#id, until);
    client.plan.proxy.weather = STORM;
    const alone = client
      .send()
      .then(() => client.run(true))
      .then(() => client.recorders.map(({ next }) => next))
      .catch((error: unknown) => log(`alone: ${String(error)}`));
    if (!(await this.#inTime(alone))) return this.#findings.add('stuckRuns', 'the run alone does not end');
    const reached = await alone;
    const length = await lengthAtRest(() => server.port, this.#id, until);
    const stored = await readLog(store, this.#id, length, until);
    for (const next of reached ?? [])
      if (next < stored.length) this.#findings.add('missing', `a run ended at event ${next} of ${stored.length}`);
  }

  /** Resolves with the length of the log when every subscriber has reached it, or after the timeout. */
  async #arrive(): Promise<number> {
    const { server, timeout } = this.#options;
    const until = Date.now() + timeout;
    const length = await lengthAtRest(() => server.port, this.#id, until);
    const recorders = this.#clients.flatMap((client) => client.recorders);
    while (recorders.some(({ next }) => next < length) && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return length;
  }

  /** Measures the return of a client that missed a few events. */
  async #return(length: number): Promise<Return | undefined> {
    const [sender, observer] = this.#clients as [Client, Client];
    if (observer.recorders.some(({ next }) => next !== length)) return undefined;
    const { server, timeout, log } = this.#options;
    try {
      const target = async (): Promise<number> => lengthAtRest(() => server.port, this.#id, Date.now() + timeout);
      return await measureReturn({ sender, observer, length, target, until: Date.now() + timeout });
    } catch (error) {
      log(`returning: ${String(error)}`);
      return undefined;
    }
  }

  async #compare(): Promise<number> {
    const { server, store, timeout } = this.#options;
    const until = Date.now() + timeout;
    const length = await lengthAtRest(() => server.port, this.#id, until);
    const log = await readLog(store, this.#id, length, until);
    if (log.length !== length) this.#findings.add('missing', `${log.length} of ${length} events are stored`);
    for (const { recorders } of this.#clients)
      for (const recorder of recorders) checkRecorder(recorder, log, this.#findings);
    checkMessages(
      this.#clients.flatMap(({ sent }) => sent),
      log,
      this.#findings,
    );
    return log.length;
  }

  /** Resolves with true if the work settles in time. */
  async #inTime(work: Promise<unknown>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#options.timeout);
    });
    const done = await Promise.race([work.then(() => true), late]);
    clearTimeout(timer);
    return done;
  }
}
