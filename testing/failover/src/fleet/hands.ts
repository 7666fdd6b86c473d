import { setTimeout as sleep } from 'node:timers/promises';

import type { Random } from '@conv/testing-harness';

import type { Podman } from './podman.ts';
import { childrenOf, processesOfMachine, type MachineProcess } from './processes.ts';

/** Milliseconds within which all that acted for conversations has ended after the servers. */
const PARTING = 20_000;
const LOOK = 50;

/** Runtimes whose conversations act outside of their servers: in sandboxes, or in containers, of their own. */
export const HAND_RUNTIMES = ['sandbox', 'docker'] as const;

/** One of {@link HAND_RUNTIMES}. */
export type HandRuntime = (typeof HAND_RUNTIMES)[number];

/** Kinds of processes that act for conversations: the first one of a container, an executor, and a program that an executor runs. */
export const HAND_KINDS = ['container', 'executor', 'program'] as const;

/** One of {@link HAND_KINDS}. */
export type HandKind = (typeof HAND_KINDS)[number];

/** The processes that act for the conversations of a folder, outside of their servers. */
export class Hands {
  /** Numbers of processes that were killed. */
  readonly kills: Record<HandKind, number> = { container: 0, executor: 0, program: 0 };
  readonly #folder: string;
  readonly #podman: Podman | undefined;

  /** `podman`: the engine of their containers; `undefined` where they are in sandboxes. */
  constructor(folder: string, podman?: Podman) {
    this.#folder = folder;
    this.#podman = podman;
  }

  /** Resolves with the processes that run, by kind. */
  async running(): Promise<Readonly<Record<HandKind, readonly number[]>>> {
    const all = processesOfMachine();
    const container = (await this.#podman?.containersOf(this.#folder)) ?? [];
    const executor = this.#podman
      ? container.flatMap(childrenOf)
      : all.filter((process) => this.#isExecutor(process)).map(({ pid }) => pid);
    const known = new Set([...container, ...executor]);
    const program = all.filter(({ pid, folder }) => folder === this.#folder && !known.has(pid)).map(({ pid }) => pid);
    return { container, executor, program };
  }

  /**
   * Kills a process of a kind, both at random; of a kind that was not yet killed, if one runs. Resolves with the words for what was
   * killed; `undefined` if nothing runs.
   */
  async strike(random: Random): Promise<string | undefined> {
    const running = await this.running();
    const kinds = HAND_KINDS.filter((kind) => running[kind].length > 0);
    const spared = kinds.filter((kind) => this.kills[kind] === 0);
    const choice = spared.length > 0 ? spared : kinds;
    if (choice.length === 0) return undefined;
    const kind = random.pick(choice);
    const pid = random.pick(running[kind]);
    if (!kill(pid)) return undefined;
    this.kills[kind]++;
    return `${kind} ${pid}`;
  }

  /** Resolves with words for the processes that are left when all servers have ended. */
  async left(): Promise<readonly string[]> {
    const until = Date.now() + PARTING;
    for (;;) {
      const running = await this.running();
      const left = HAND_KINDS.flatMap((kind) => running[kind].map((pid) => `${kind} ${pid}`));
      if (left.length === 0 || Date.now() >= until) return left;
      await sleep(LOOK);
    }
  }

  #isExecutor({ line }: MachineProcess): boolean {
    return line.includes('executor-worker') && line.includes(this.#folder);
  }
}

/** True if the process was there. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
