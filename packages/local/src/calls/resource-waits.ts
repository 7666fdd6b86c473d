import type { ActionEvent } from '@conv/core/events';

import type { BlockedCall } from '../rules/call-schedule.ts';
import { waitFor } from '../rules/resource-keys.ts';

/** Calls back once after the given milliseconds, unless the returned function is called before. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The timer of the platform. */
export const timer: Timer = (milliseconds, callback) => {
  const handle = setTimeout(callback, milliseconds);
  return () => clearTimeout(handle);
};

interface Wait {
  readonly holder: ActionEvent;
  readonly cancel: () => void;
}

/**
 * Limits the time that a call waits while the same other call holds its resource. The time starts anew when another call holds
 * the resource, because a queue that moves is no reason to give up.
 */
export class ResourceWaits {
  readonly #timer: Timer;
  readonly #giveUp: (blocked: BlockedCall) => void;
  readonly #waits = new Map<string, Wait>();

  constructor(start: Timer, giveUp: (blocked: BlockedCall) => void) {
    this.#timer = start;
    this.#giveUp = giveUp;
  }

  /** Replaces the waiting calls: starts the time of new calls and stops the time of all others. */
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
