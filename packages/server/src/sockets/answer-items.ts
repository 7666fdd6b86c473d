import type { AnswerDelta } from '@conv/core';

import { ControlFrames } from './event-frames.ts';

/** An answer that is arriving, in one of its attempts. */
export interface AnswerItem {
  readonly id: string;
  readonly attempt: number;
  /** The frames that announce it. */
  readonly started: ControlFrames;
}

interface OpenItem extends AnswerItem {
  /** Number of shown pieces. */
  shown: number;
}

/** A piece of an answer that can be shown. */
export interface ItemPiece {
  readonly item: AnswerItem;
  /** True if nothing of this attempt was shown before. */
  readonly isFirst: boolean;
  readonly delta: ControlFrames;
}

/**
 * Frames of arriving answers. An answer whose beginning was missed is not shown, because a client could not tell that text is missing.
 */
export class AnswerItems {
  #open: OpenItem | undefined;

  /**
   * Returns the frame of a piece; `undefined` for a piece that is not shown.
   * @param anchor the number of the last event before the answer, `null` when there is none
   */
  piece({ eventId: id, attempt, order, kind, text }: AnswerDelta, anchor: number | null): ItemPiece | undefined {
    if (this.#open?.id !== id || this.#open.attempt !== attempt)
      this.#open = order === 0 ? open(id, attempt, anchor) : undefined;
    const item = this.#open;
    if (!item || kind === 'tool_call') return undefined;
    const number = item.shown++;
    const delta = new ControlFrames({ type: 'delta', item_id: id, attempt, order: number, kind, content: text });
    return { item, isFirst: number === 0, delta };
  }

  /** Ends an answer, because its event exists or will never come. */
  end(id: string): void {
    if (this.#open?.id === id) this.#open = undefined;
  }
}

/** Returns the frames that report that an answer ended without an event. */
export function abortedFrames({ id, attempt }: AnswerItem, reason: string): ControlFrames {
  return new ControlFrames({ type: 'item_aborted', item_id: id, attempt, reason });
}

function open(id: string, attempt: number, anchor: number | null): OpenItem {
  const started = new ControlFrames({ type: 'item_started', item_id: id, attempt, anchor_seq: anchor });
  return { id, attempt, started, shown: 0 };
}
