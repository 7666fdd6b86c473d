import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random, type StoreKind } from '@conv/testing-harness';

import type { Breakage } from '../broken/breakage.ts';
import type { LifePlan, Strike } from '../life-plan.ts';
import { ChildProcess } from './child-process.ts';
import { drawStrike } from './draw-strike.ts';
import { Findings } from './findings.ts';
import { Inspection } from './inspection.ts';
import { Ledger } from './ledger.ts';
import { openInspectedStore, type InspectedStore } from './open-inspected-store.ts';
import type { Place } from './places/place.ts';

/** Milliseconds in which the next owner is somewhere in opening. */
const OPENING = 300;

/**
 * Maximal milliseconds until the next owner while a process is stopped. A process stopped with the lock of a database blocks all
 * others until it is woken.
 */
const LONGEST_STOP = 4000;

/** Milliseconds that a woken zombie may go on for before it is killed. */
const ZOMBIE_TIME = 400;

/** Options of a round. */
export interface RoundOptions {
  readonly seed: number;
  readonly kind: StoreKind;
  readonly place: Place;
  /** A folder for this round alone. */
  readonly folder: string;
  readonly breakage: Breakage | null;
  /** Receives what happens and what is told, for people. */
  readonly log: (line: string) => void;
}

/** Result of a round. */
export interface RoundResult {
  /** Commits that were acknowledged. */
  readonly acknowledged: number;
  readonly findings: Findings;
}

type Life = ChildProcess<LifePlan>;

/** A conversation that several processes work in, one after the other and at the same time, until each is struck or done. */
export class Round {
  readonly #options: RoundOptions;
  readonly #random: Random;
  readonly #findings = new Findings();
  readonly #ledger = new Ledger(this.#findings);
  readonly #inspection: Inspection;
  readonly #plan: Omit<LifePlan, 'life' | 'seed' | 'actions' | 'strike'>;
  #lives = 0;

  private constructor(options: RoundOptions, inspected: InspectedStore) {
    this.#options = options;
    this.#random = new Random(options.seed);
    const { folder, breakage, place } = options;
    this.#plan = {
      address: place.address,
      conversationId: randomUUID(),
      workspace: join(folder, 'workspace'),
      witness: join(folder, 'witness'),
      leaseTimeout: place.leaseTimeout,
      breakage,
    };
    mkdirSync(this.#plan.workspace, { recursive: true });
    this.#inspection = new Inspection({ ...this.#plan, ...inspected, ledger: this.#ledger, findings: this.#findings });
  }

  /** Plays a round until its end. */
  static async play(options: RoundOptions): Promise<RoundResult> {
    const inspected = await openInspectedStore(options.place);
    try {
      return await new Round(options, inspected).#play();
    } finally {
      await inspected.close();
    }
  }

  async #play(): Promise<RoundResult> {
    const lives = this.#random.between(2, 4);
    let current: Life | undefined;
    while (current !== undefined || this.#lives < lives) {
      const child: Life = current ?? this.#begin(drawStrike(this.#random, this.#options.kind));
      await child.halted;
      current = child.gone ? undefined : await this.#succeed(child);
      if (!current) await this.#finish(child);
    }
    await this.#finish(this.#begin(null, 0));
    await this.#inspection.lookAtEnd();
    return { acknowledged: this.#inspection.acknowledged, findings: this.#findings };
  }

  #begin(strike: Strike | null, actions: number = this.#random.between(4, 20)): Life {
    const life = ++this.#lives;
    const plan: LifePlan = { ...this.#plan, life, seed: this.#random.seed(), actions, strike };
    this.#options.log(`life ${life}: ${JSON.stringify({ actions, strike })}`);
    const { log, place } = this.#options;
    const child = new ChildProcess('child', plan, (line) => {
      log(`life ${life} ${JSON.stringify(line)}`);
      if (line.kind === 'opened') place.opened();
      this.#ledger.take(life, line);
    });
    if (strike?.at === 'request') place.ambush(strike, () => child.strike(strike.signal));
    return child;
  }

  /** Lets another process take over from a stopped process, which is woken before, while or after it does. */
  async #succeed(zombie: Life): Promise<Life> {
    const strike = drawStrike(this.#random, this.#options.kind);
    // one stopped process at a time: the successor of this one ends by itself or dies
    const successor = this.#begin(strike?.signal === 'SIGSTOP' ? { ...strike, signal: 'SIGKILL' } : strike);
    const longest = sleep(LONGEST_STOP);
    await Promise.race([longest, this.#moment(successor)]);
    this.#options.log(`life ${zombie.plan.life}: woken`);
    zombie.wake();
    const late = setTimeout(() => zombie.kill(), this.#random.between(ZOMBIE_TIME / 4, ZOMBIE_TIME));
    await this.#finish(zombie);
    clearTimeout(late);
    return successor;
  }

  /** Resolves at the moment at which the stopped owner is woken. */
  async #moment(successor: Life): Promise<void> {
    const when = this.#random.weighted({ opening: 2, opened: 3, working: 2, settings: 3 });
    await successor.next('opening');
    const pause = this.#random.between(0, OPENING);
    if (when === 'opening') return sleep(pause);
    this.#options.place.stall();
    await successor.next('opened');
    await sleep(this.#random.between(0, 3));
    if (when === 'working') await successor.next('seen');
    if (when === 'settings') await successor.next('settings');
  }

  async #finish(child: Life): Promise<void> {
    const { life } = child.plan;
    const end = await child.ended;
    this.#options.place.stall();
    this.#options.log(`life ${life}: ${end}${child.errors === '' ? '' : `, ${child.errors}`}`);
    if (end === 'hung' || end === 'crashed') {
      const detail = end === 'hung' ? 'does not end' : child.errors;
      this.#findings.add('unopenable', `life ${life}`, detail);
    }
    await this.#inspection.look();
  }
}
