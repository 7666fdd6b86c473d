import type { ToolOutput } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';

import { ControlFrames } from './event-frames.ts';

/** Milliseconds between two frames of a call. */
const PACE = 100;
/** Characters of a frame: more than a screen shows. A command that prints more in that time is shown from its end. */
const MOST = 8_000;

/**
 * Gathers the output of running tools into few frames, so that a noisy command floods no client. Drops the rest, because the result
 * of the call has all output.
 */
export class OutputFrames {
  readonly #platform: Pick<Platform, 'setTimer'>;
  readonly #send: (frames: ControlFrames) => void;
  /** Text that waits for its frame, by call. */
  #waiting: Map<string, string> | undefined;
  #pause: Timer | undefined;

  constructor(platform: Pick<Platform, 'setTimer'>, send: (frames: ControlFrames) => void) {
    this.#platform = platform;
    this.#send = send;
  }

  /** Takes a piece; the first after a pause is sent at once. */
  take({ toolCallId, text }: ToolOutput): void {
    const waiting = (this.#waiting ??= new Map());
    waiting.set(toolCallId, ((waiting.get(toolCallId) ?? '') + text).slice(-MOST));
    if (this.#pause === undefined) this.#flush();
  }

  /** Drops the waiting text of a call, because its result exists. */
  end(toolCallId: string): void {
    this.#waiting?.delete(toolCallId);
  }

  close(): void {
    this.#pause?.cancel();
    this.#waiting = undefined;
  }

  #flush(): void {
    this.#pause = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting || waiting.size === 0) return;
    for (const [id, content] of waiting)
      this.#send(new ControlFrames({ type: 'tool_output', tool_call_id: id, content: content.toWellFormed() }));
    this.#pause = this.#platform.setTimer(PACE, () => this.#flush(), { background: true });
  }
}
