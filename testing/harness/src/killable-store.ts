import type { Journal } from '@conv/core/store';

import { WrappingStore, type JournalChanges } from './wrapping-store.ts';

/** A store in memory whose writers can be killed: what they append afterwards is never stored and never answered. */
export class KillableStore extends WrappingStore {
  readonly #alive = new Map<Journal, { dead: boolean }>();

  protected override changes(journal: Journal): JournalChanges {
    const life = { dead: false };
    this.#alive.set(journal, life);
    const unlessDead =
      <Member extends keyof Journal>(member: Member) =>
      (): Journal[Member] => {
        if (life.dead) return (() => new Promise(() => {})) as never;
        const value = journal[member];
        return typeof value === 'function' ? (value.bind(journal) as Journal[Member]) : value;
      };
    return {
      append: unlessDead('append'),
      saveSnapshot: unlessDead('saveSnapshot'),
      refresh: unlessDead('refresh'),
      locate: unlessDead('locate'),
      snapshot: unlessDead('snapshot'),
      close: unlessDead('close'),
    };
  }

  /** Ends all writers without giving them another byte to write. */
  async kill(): Promise<void> {
    for (const [journal, life] of this.#alive) {
      life.dead = true;
      await journal.close();
    }
    this.#alive.clear();
  }

  override async close(): Promise<void> {
    await this.kill();
    await super.close();
  }
}
