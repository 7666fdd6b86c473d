import type { EventWindow } from './event-window.ts';

/** Reads the page before a window for a person who asks for it. A full window drops its newest events for them. */
export function readEarlier(window: EventWindow): Promise<void> {
  window.look(window.snapshot.first);
  return window.extend('above');
}
