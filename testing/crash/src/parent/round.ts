import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { FsStore } from '@conv/persist-fs';

import type { Breakage } from '../broken/breakage.ts';
import type { LifePlan, Strike } from '../life-plan.ts';
import { Random } from '../random.ts';
import { ChildProcess } from './child-process.ts';
import { drawStrike } from './draw-strike.ts';
import { Findings } from './findings.ts';
import { Inspection } from './inspection.ts';
import { Ledger } from './ledger.ts';

/** Milliseconds without a sign of life after which a stopped owner may be taken over. */
const STORE_PATIENCE = 200;

/** Milliseconds that a woken zombie may go on for before it is killed. */
const ZOMBIE_TIME = 400;

/** How a round is played. */
export interface RoundOptions {
  readonly seed: number;
  /** A folder for this round alone. */
  readonly folder: string;
  readonly breakage: Breakage | null;
  /** Receives what happens and what is told, for people. */
  readonly log: (line: string) => void;
}

/** What came of a round. */
export interface RoundResult {
  /** Commits that were acknowledged. */
  readonly acknowledged: number;
  readonly findings: Findings;
}

/** A conversation that several processes work in, one after the other and at the same time, until each is struck or done. */
export class Round {
  readonly #options: RoundOptions;
  readonly #random: Random;
  readonly #findings = new Findings();
  readonly #ledger = new Ledger(this.#findings);
  readonly #inspection: Inspection;
  readonly #plan: Omit<LifePlan, 'life' | 'seed' | 'actions' | 'strike'>;
  #lives = 0;

  constructor(options: RoundOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    const { folder, breakage } = options;
    this.#plan = {
      directory: join(folder, 'conversations'),
      conversationId: randomUUID(),
      workspace: join(folder, 'workspace'),
      witness: join(folder, 'witness'),
      patience: STORE_PATIENCE,
      breakage,
    };
    mkdirSync(this.#plan.workspace, { recursive: true });
    const store = new FsStore({ directory: this.#plan.directory, patience: STORE_PATIENCE });
    this.#inspection = new Inspection({ ...this.#plan, store, ledger: this.#ledger, findings: this.#findings });
  }

  async play(): Promise<RoundResult> {
    const lives = this.#random.between(2, 4);
    let current: ChildProcess | undefined;
    while (current !== undefined || this.#lives < lives) {
      const child: ChildProcess = current ?? this.#begin(drawStrike(this.#random));
      await child.halted;
      current = child.gone ? undefined : await this.#succeed(child);
      if (!current) await this.#finish(child);
    }
    await this.#finish(this.#begin(null, 0));
    await this.#inspection.lookAtEnd();
    return { acknowledged: this.#inspection.acknowledged, findings: this.#findings };
  }

  #begin(strike: Strike | null, actions: number = this.#random.between(4, 20)): ChildProcess {
    const life = ++this.#lives;
    const plan: LifePlan = { ...this.#plan, life, seed: this.#random.seed(), actions, strike };
    this.#options.log(`life ${life}: ${JSON.stringify({ actions, strike })}`);
    return new ChildProcess(plan, (line) => {
      this.#options.log(`life ${life} ${JSON.stringify(line)}`);
      this.#ledger.take(life, line);
    });
  }

  /** Another process takes over from one that is stopped, which is woken before, while or after it does. */
  async #succeed(zombie: ChildProcess): Promise<ChildProcess> {
    const strike = drawStrike(this.#random);
    // one stopped process at a time: the successor of this one ends by itself or dies
    const successor = this.#begin(strike?.signal === 'SIGSTOP' ? { ...strike, signal: 'SIGKILL' } : strike);
    const when = this.#random.weighted({ opening: 2, opened: 3, working: 2, settings: 3 });
    await successor.next(when === 'opening' ? 'opening' : 'opened');
    await sleep(this.#random.between(0, when === 'opening' ? STORE_PATIENCE * 1.5 : 3));
    if (when === 'working') await successor.next('seen');
    if (when === 'settings') await successor.next('settings');
    this.#options.log(`life ${zombie.plan.life}: woken`);
    zombie.wake();
    const late = setTimeout(() => zombie.kill(), this.#random.between(ZOMBIE_TIME / 4, ZOMBIE_TIME));
    await this.#finish(zombie);
    clearTimeout(late);
    return successor;
  }

  async #finish(child: ChildProcess): Promise<void> {
    const { life } = child.plan;
    const end = await child.ended;
    this.#options.log(`life ${life}: ${end}${child.errors === '' ? '' : `, ${child.errors}`}`);
    if (end === 'hung' || end === 'crashed') {
      const detail = end === 'hung' ? 'does not end' : child.errors;
      this.#findings.add('unopenable', `life ${life}`, detail);
    }
    await this.#inspection.look();
  }
}
