import type { Report, SettingsReport } from '../report.ts';
import type { Findings } from './findings.ts';

/** A commit as a process read it. */
export interface ToldCommit {
  readonly seq: number;
  readonly epoch: number;
  readonly digest: string;
}

/** A fork whose making was acknowledged. */
export interface ToldFork {
  readonly strictness: number;
  /** The events of the source that it must hold, when it holds all. */
  readonly events: number;
}

/** Acknowledgements of one life, in its order. */
export interface ToldLife {
  readonly calls: { readonly call: number; readonly events: readonly string[] }[];
  readonly seen: { readonly index: number; readonly id: string }[];
  /** Actions that it was about to approve by running. */
  readonly running: Set<string>;
}

/** Everything that the lives of a round were acknowledged, as they told it. The only memory that no crash reaches. */
export class Ledger {
  readonly commits: Map<string, ToldCommit> = new Map();
  readonly lives: Map<number, ToldLife> = new Map();
  readonly queued: Set<string> = new Set();
  /** Actions that were about to be approved by name. */
  readonly approving: Set<string> = new Set();
  readonly forks: Map<string, ToldFork> = new Map();
  /** The strictest settings that were acknowledged; the tag is the highest. */
  settings: Required<Omit<SettingsReport, 'analyzer'>> & { readonly analyzer: boolean } = {
    strictness: 0,
    maxIterations: Infinity,
    analyzer: false,
    tag: 0,
  };
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Returns a copy of the reports until now. A log that is read from now on holds all of it, whatever is reported meanwhile. */
  copy(): Ledger {
    const copy = new Ledger(this.#findings);
    for (const [id, commit] of this.commits) copy.commits.set(id, commit);
    for (const [life, { calls, seen, running }] of this.lives)
      copy.lives.set(life, { calls: [...calls], seen: [...seen], running: new Set(running) });
    for (const id of this.queued) copy.queued.add(id);
    for (const id of this.approving) copy.approving.add(id);
    for (const [id, fork] of this.forks) copy.forks.set(id, fork);
    copy.settings = this.settings;
    return copy;
  }

  /** Takes in what a life reports. */
  take(life: number, line: Report): void {
    const told = this.lifeOf(life);
    if (line.kind === 'commit') this.takeCommit(line.id, line);
    else if (line.kind === 'acknowledged') told.calls.push(line);
    else if (line.kind === 'seen') told.seen.push(line);
    else if (line.kind === 'queued') this.queued.add(line.id);
    else if (line.kind === 'approving') for (const id of line.actions) this.approving.add(id);
    else if (line.kind === 'running') for (const id of line.actions) told.running.add(id);
    else if (line.kind === 'forked') this.forks.set(line.id, line);
    else if (line.kind === 'violation') this.#findings.add(line.counter, `life ${life}`, line.detail);
    else if (line.kind === 'settings') this.#takeSettings(line);
  }

  /** Notes a commit that was read. It must stay the same for all readers. */
  takeCommit(id: string, { seq, epoch, digest }: ToldCommit): void {
    const known = this.commits.get(id);
    if (!known) this.commits.set(id, { seq, epoch, digest });
    else if (known.seq !== seq) this.#findings.add('misordered', `commit ${id}`, `was ${known.seq}, is ${seq}`);
    else if (known.digest !== digest) this.#findings.add('lost', `commit ${id}`, 'has changed');
  }

  lifeOf(life: number): ToldLife {
    const told = this.lives.get(life) ?? { calls: [], seen: [], running: new Set() };
    this.lives.set(life, told);
    return told;
  }

  #takeSettings(line: SettingsReport): void {
    const { strictness, maxIterations, analyzer, tag } = this.settings;
    this.settings = {
      strictness: Math.max(strictness, line.strictness ?? 0),
      maxIterations: Math.min(maxIterations, line.maxIterations ?? Infinity),
      analyzer: analyzer || line.analyzer === true,
      tag: Math.max(tag, line.tag ?? 0),
    };
  }
}
