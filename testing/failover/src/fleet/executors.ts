import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds within which executors have ended after their servers. */
const PARTING = 20_000;
const LOOK = 50;

/** The executors of conversations that act in a folder, as processes of this machine. */
export class Executors {
  readonly #folder: string;
  /** Number of executors that were killed. */
  kills = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the processes that servers started, each of which is the sandbox of one executor. */
  get running(): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && this.#isExecutor(name))
      .map(Number);
  }

  /** Kills an executor with all that it runs, unless it has just ended. */
  kill(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL');
      this.kills++;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Resolves with the executors that are left when all servers have ended. */
  async left(): Promise<readonly number[]> {
    const until = Date.now() + PARTING;
    while (this.running.length > 0 && Date.now() < until) await sleep(LOOK);
    return this.running;
  }

  #isExecutor(pid: string): boolean {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return line.includes('executor-worker') && line.includes(this.#folder);
    } catch {
      // it has ended
      return false;
    }
  }
}
