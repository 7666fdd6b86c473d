import type { ActionEvent } from '@conv/core/events';

import type { BlockedCall } from '../rules/call-schedule.ts';
import { waitFor } from '../rules/resource-keys.ts';

/** Calls back once after so many milliseconds, unless it is told not to. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** That of the platform. */
export const timer: Timer = (milliseconds, callback) => {
  const handle = setTimeout(callback, milliseconds);
  return () => clearTimeout(handle);
};

interface Wait {
  readonly holder: ActionEvent;
  readonly cancel: () => void;
}

/**
 * The time that calls wait for one and the same call that holds what they need. It starts anew when another one holds it: a
 * queue that moves is no reason to give up.
 */
export class ResourceWaits {
  readonly #timer: Timer;
  readonly #giveUp: (blocked: BlockedCall) => void;
  readonly #waits = new Map<string, Wait>();

  constructor(start: Timer, giveUp: (blocked: BlockedCall) => void) {
    this.#timer = start;
    this.#giveUp = giveUp;
  }

  /** These wait now, and no others. */
  update(blocked: readonly BlockedCall[]): void {
    const now = new Map(blocked.map((call) => [call.action.id, call]));
    for (const [id, { holder, cancel }] of this.#waits) {
      if (now.get(id)?.holder.id === holder.id) continue;
      cancel();
      this.#waits.delete(id);
    }
    for (const [id, call] of now) {
      if (this.#waits.has(id)) continue;
      const cancel = this.#timer(waitFor(call.key), () => this.#giveUp(call));
      this.#waits.set(id, { holder: call.holder, cancel });
    }
  }
}
