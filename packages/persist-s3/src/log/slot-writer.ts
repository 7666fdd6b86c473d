import { isStoreError, StoreError } from '@conv/core/store';
import type { Bucket } from '../bucket/bucket.ts';
import { fenced } from './fenced.ts';
import { MISPLACED, type LogObjects } from './log-objects.ts';
import { LostAnswer } from '../bucket/lost-answer.ts';
import { slotKey } from '../bucket/object-keys.ts';
import type { Place } from '../objects/place.ts';
import { decodeSlot, encodeSlot, placeAfter, type SlotHeader, type SlotKind } from '../objects/slot.ts';

/** Limits the attempts at a slot that is refused as taken but is not found. */
const VANISHED = 3;

export interface SlotContent {
  readonly kind: SlotKind;
  /** Commits, each as one line. */
  readonly lines: readonly Buffer[];
  readonly events: number;
}

/** Result of an attempt to write a slot: ours, or taken by the slot of another owner or by a misplaced one. */
export type Claim =
  | { readonly mine: true; readonly header: SlotHeader }
  | { readonly mine: false; readonly header: SlotHeader | undefined; readonly isMisplaced: boolean };

export interface SlotWriterParts {
  readonly bucket: Bucket;
  readonly objects: LogObjects;
  readonly id: string;
  readonly epoch: number;
  /** End of the log. */
  readonly place: Place;
}

/** Writes the slots of one ownership, one after the other. Writes each exactly once, however often answers are lost. */
export class SlotWriter {
  readonly epoch: number;
  readonly #bucket: Bucket;
  readonly #objects: LogObjects;
  readonly #id: string;
  #place: Place;

  constructor({ bucket, objects, id, epoch, place }: SlotWriterParts) {
    this.#bucket = bucket;
    this.#objects = objects;
    this.#id = id;
    this.epoch = epoch;
    this.#place = place;
  }

  /** Returns the durable end of the log. */
  get place(): Place {
    return this.#place;
  }

  /** Moves the end past a slot that another owner wrote. */
  adopt(place: Place): void {
    this.#place = place;
  }

  /**
   * Writes the next slot. Rejects `FENCED` when another owner has taken the slot. Rejects `OUTCOME_UNKNOWN` when the answer was
   * lost and the outcome could not be settled. With every other code it is certain that the slot is not there and never will be.
   */
  async write(content: SlotContent): Promise<SlotHeader> {
    for (;;) {
      const claim = await this.claim(content);
      if (claim.mine) return claim.header;
      // Every owner passes a misplaced slot, so the next slot decides whether there is a later one.
      if (claim.isMisplaced) this.skip();
      // A slot without a readable header may be an earlier attempt of this write, damaged since.
      else throw claim.header ? fenced(this.#id) : this.#unknown(this.#place.slot + 1);
    }
  }

  /** Moves the end past a slot that holds nothing of this log. */
  skip(): void {
    this.#place = { ...this.#place, slot: this.#place.slot + 1 };
  }

  /** Writes the next slot like {@link SlotWriter.write}, but resolves when the slot is taken. */
  async claim(content: SlotContent): Promise<Claim> {
    const header = this.#header(content);
    try {
      return await this.#put(header, content.lines);
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      return this.#settle(header, content.lines, error);
    }
  }

  /**
   * Settles a write whose answer was lost and that may still be on its way. An empty slot in its place keeps the write out for
   * good; if the empty slot is refused, the write has come in.
   */
  async #settle(lost: SlotHeader, lines: readonly Buffer[], cause: LostAnswer): Promise<Claim> {
    const filler = this.#header({ kind: 'void', lines: [], events: 0 });
    try {
      const claim = await this.#put(filler, []);
      if (!claim.mine && claim.header?.nonce === lost.nonce) return this.#landed(lost, lines);
      if (!claim.mine) return claim;
    } catch (error) {
      throw this.#unknown(lost.slot, error instanceof LostAnswer ? cause : error);
    }
    throw cause.cause;
  }

  #unknown(slot: number, cause?: unknown): StoreError {
    const subject = `conversation ${this.#id}: whether slot ${slot} was written is not known; open the conversation again to see`;
    return new StoreError('OUTCOME_UNKNOWN', subject, cause === undefined ? {} : { cause });
  }

  async #put(header: SlotHeader, lines: readonly Buffer[]): Promise<Claim> {
    const bytes = encodeSlot(header, lines);
    const key = slotKey(this.#objects.log, header.slot);
    let isRefused = false;
    try {
      for (let attempt = 0; attempt < VANISHED; attempt++) {
        // Invariant: `ifFree` lets exactly one write have the slot, so owners need no clock to exclude each other.
        const { stored } = await this.#bucket.put(key, bytes, 'ifFree');
        if (stored) return this.#landed(header, lines, bytes);
        isRefused = true;
        const found = await this.#objects.slot(header.slot);
        if (!found) continue;
        const other = decodeSlot(found).header;
        // Our own nonce means that an earlier attempt was executed and its answer lost.
        if (other?.nonce === header.nonce) return this.#landed(header, lines, bytes);
        return { mine: false, header: other, isMisplaced: found === MISPLACED };
      }
      throw new StoreError(
        'UNAVAILABLE',
        `conversation ${this.#id}: ${key} is refused as taken, but is not there; commit again`,
      );
    } catch (error) {
      // A slot that is taken and was not read may hold this very write, by an earlier attempt without an answer.
      throw isRefused && isStoreError(error) ? new LostAnswer(key, error) : error;
    }
  }

  #landed(header: SlotHeader, lines: readonly Buffer[], bytes: Buffer = encodeSlot(header, lines)): Claim {
    this.#objects.keepSlot(header.slot, bytes);
    this.#place = placeAfter(header);
    return { mine: true, header };
  }

  #header({ kind, lines, events }: SlotContent): SlotHeader {
    const { slot, seq, event } = this.#place;
    return {
      v: 1,
      kind,
      log: this.#objects.instance,
      slot: slot + 1,
      epoch: this.epoch,
      nonce: this.#bucket.platform.id(),
      seq,
      event,
      commits: lines.length,
      events,
    };
  }
}
