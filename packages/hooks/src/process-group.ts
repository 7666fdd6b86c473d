import type { ChildProcess } from 'node:child_process';
import { timers, type Platform } from '@conv/core/platform';

const CHECK_INTERVAL = 2;
// a killed process is gone a moment later; the limit is for zombies that no parent collects, which never go
const KILL_TIME = 20;

/** The process group of a child: the child and the processes that it started. */
export class ProcessGroup {
  readonly #id: number | undefined;
  readonly #platform: Platform;

  constructor(leader: ChildProcess, platform: Platform) {
    this.#id = leader.pid;
    this.#platform = platform;
  }

  /** Sends a signal to the group. Returns true if a process could get it. */
  signal(name: NodeJS.Signals | 0): boolean {
    if (this.#id === undefined) return false;
    try {
      return process.kill(-this.#id, name);
    } catch {
      // gone, or zombies, which some systems report as not ours
      return false;
    }
  }

  /** Resolves when no process of the group is left, or when the time is over. */
  async gone(milliseconds: number): Promise<void> {
    const platform = this.#platform;
    const end = platform.monotonic() + milliseconds;
    while (this.signal(0) && platform.monotonic() < end) await timers.sleep(platform, CHECK_INTERVAL);
  }

  /** Kills the remaining processes and resolves when they are gone. */
  async kill(): Promise<void> {
    if (this.signal('SIGKILL')) await this.gone(KILL_TIME);
  }
}
