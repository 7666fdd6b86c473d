import type { Random } from '@conv/testing-harness';

import type { Weather } from './weather.ts';

/** Maximum milliseconds that a frame is held back if no other frame follows. */
const HELD = 80;

/** Drops, doubles and reorders the frames of one socket. */
export class FrameFaults {
  readonly #random: Random;
  readonly #weather: () => Weather;
  readonly #send: (frame: string) => void;
  #held: string[] = [];

  constructor(random: Random, weather: () => Weather, send: (frame: string) => void) {
    this.#random = random;
    this.#weather = weather;
    this.#send = send;
  }

  take(frame: string): void {
    const { drop, duplicate, reorder } = this.#weather();
    const fault = this.#random.among({ drop, duplicate, reorder });
    if (fault === 'reorder') {
      this.#held.push(frame);
      setTimeout(() => this.#release(), HELD).unref();
      return;
    }
    if (fault !== 'drop') this.#send(frame);
    if (fault === 'duplicate') this.#send(frame);
    this.#release();
  }

  #release(): void {
    for (const frame of this.#held.splice(0)) this.#send(frame);
  }
}

/** Swaps the events of two consecutive frames, to show that the harness detects it. */
export function swappingEvents(send: (frame: string) => void): (frame: string) => void {
  let waiting: { type?: string; event?: unknown } | undefined;
  return (text) => {
    const frame = JSON.parse(text) as { type?: string; event?: unknown };
    if (frame.type !== 'durable') return send(text);
    if (!waiting) return void (waiting = frame);
    send(JSON.stringify({ ...waiting, event: frame.event }));
    send(JSON.stringify({ ...frame, event: waiting.event }));
    waiting = undefined;
  };
}
