import type { Stretch } from './cursor.ts';
import type { Place } from '../objects/place.ts';
import { placeAfter, type SlotHeader } from '../objects/slot.ts';

/** Remembers which commits are in which slot, so that slots outside a range need not be read. */
export class SlotPlaces {
  readonly #stretches = new Map<number, Stretch>();

  learn(header: SlotHeader): void {
    const { seq, event } = placeAfter(header);
    this.#stretches.set(header.slot, { seq: header.seq, event: header.event, toSeq: seq, toEvent: event });
  }

  get(slot: number): Stretch | undefined {
    return this.#stretches.get(slot);
  }

  /** Forgets the slots whose commits packs hold. */
  forgetBefore({ slot }: Place): void {
    for (const known of this.#stretches.keys()) if (known <= slot) this.#stretches.delete(known);
  }
}
