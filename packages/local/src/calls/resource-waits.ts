import type { ActionEvent } from '@conv/core/events';
import type { Platform, Timer } from '@conv/core/platform';

import type { BlockedCall } from '../rules/call-schedule.ts';
import { waitFor } from '../rules/resource-keys.ts';

interface Wait {
  readonly holder: ActionEvent;
  readonly timer: Timer;
}

/**
 * Limits the time that a call waits while the same other call holds its resource. The time starts again when another call holds
 * the resource, because a queue that moves is no reason to give up.
 */
export class ResourceWaits {
  readonly #platform: Platform;
  readonly #giveUp: (blocked: BlockedCall) => void;
  readonly #waits = new Map<string, Wait>();

  constructor(platform: Platform, giveUp: (blocked: BlockedCall) => void) {
    this.#platform = platform;
    this.#giveUp = giveUp;
  }

  /** Replaces the waiting calls: starts the time of new calls and stops the time of all others. */
  update(blocked: readonly BlockedCall[]): void {
    const now = new Map(blocked.map((call) => [call.action.id, call]));
    for (const [id, { holder, timer }] of this.#waits) {
      if (now.get(id)?.holder.id === holder.id) continue;
      timer.cancel();
      this.#waits.delete(id);
    }
    for (const [id, call] of now) {
      if (this.#waits.has(id)) continue;
      const timer = this.#platform.setTimer(waitFor(call.key), () => this.#giveUp(call));
      this.#waits.set(id, { holder: call.holder, timer });
    }
  }
}
