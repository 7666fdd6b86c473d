import process from 'node:process';
import type { Context, Script } from 'node:vm';

/** The number of runs of one script, if other programs have the processor meanwhile. */
const MAX_TRIES = 5;

/** Milliseconds of processor time for scripts over patterns that come from outside and may never end. */
export interface ProcessorLimits {
  /** The limit of one script. */
  readonly each: number;
  /** The limit of all scripts together. Default: none. */
  readonly all?: number;
}

/** Runs scripts within limits of processor time, so that a busy machine changes no result. */
export class ProcessorBudget {
  readonly #each: number;
  #left: number;

  constructor({ each, all = Infinity }: ProcessorLimits) {
    this.#each = each;
    this.#left = all;
  }

  /** Returns the value of a script; `undefined` if it throws or exceeds the limit. It may start the script several times. */
  run(script: Script, context: Context): { readonly value: unknown } | undefined {
    for (let tries = 0; tries < MAX_TRIES && this.#left >= 1; tries++) {
      const timeout = Math.min(this.#each, Math.floor(this.#left));
      const before = process.cpuUsage();
      let used = 0;
      try {
        return { value: script.runInContext(context, { timeout }) };
      } catch {
        // the script engine measures elapsed time: the script has exceeded its limit only if this process was running
      } finally {
        const { user, system } = process.cpuUsage(before);
        used = (user + system) / 1000;
        this.#left -= used;
      }
      if (used >= timeout / 2) return undefined;
    }
    return undefined;
  }
}
