import type { Journal } from '@conv/core/store';
import { KillableStore } from '@conv/testing-harness';

import { never } from './bench.ts';

/** A store that is killed when a commit is durable and not yet acknowledged: the n-th after {@link MortalStore.live}, from 1. */
export class MortalStore extends KillableStore {
  #died = Promise.withResolvers<void>();
  #left = Infinity;

  /** Resolves at the death of the process that lives. */
  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** A process begins that dies at its n-th commit. */
  live(commits: number): this {
    this.#left = commits;
    this.#died = Promise.withResolvers();
    return this;
  }

  override async open(...[id, options]: Parameters<KillableStore['open']>): Promise<Journal> {
    const journal = await super.open(id, options);
    const append: Journal['append'] = async (...commit) => {
      const stored = await journal.append(...commit);
      if (--this.#left !== 0) return stored;
      await this.kill();
      this.#died.resolve();
      return never();
    };
    return new Proxy(journal, {
      get: (target, key) => (key === 'append' ? append : (Reflect.get(target, key, target) as unknown)),
    });
  }
}
