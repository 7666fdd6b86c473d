import type { Conversation, Subscriber } from '@conv/core';
import type { Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';

/** An event that a subscriber received, in the order of delivery. */
export interface Given {
  readonly index: number;
  readonly event: Event;
}

/** A subscriber that keeps what it is given, and goes on behind it when its client comes back. */
export class Recorder implements Subscriber {
  readonly name: string;
  /** The first event that it wants. */
  readonly from: number;
  readonly given: Given[] = [];

  constructor(name: string, from: number) {
    this.name = name;
    this.from = from;
  }

  /** The number of the event that it wants next. */
  get next(): number {
    const last = this.given.at(-1);
    return last ? last.index + 1 : this.from;
  }

  follow(conversation: Pick<Conversation, 'subscribe'>): void {
    conversation.subscribe(this, { from: toEventIndex(this.next) });
  }

  onEvent(event: Event, index: number): void {
    this.given.push({ index, event });
  }
}
