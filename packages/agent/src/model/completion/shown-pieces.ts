import { BEGIN, shownLength, textBefore } from '../text-calls/text-before.ts';
import type { Delta } from './read-stream.ts';

/**
 * Turns the pieces of a streamed text into pieces of a text and of a call. The pieces of the text are together the text of the whole answer, however it
 * was split; what may lead to a call is held back until it is known.
 */
export class ShownPieces {
  #held = '';
  #isCall = false;

  /** Takes the next piece of an answer. Returns the pieces that can be shown. */
  add(delta: Delta): readonly Delta[] {
    if (delta.kind !== 'text') return [delta];
    if (this.#isCall) return [{ kind: 'tool_call', text: delta.text }];
    const text = this.#held + delta.text;
    const begin = text.indexOf(BEGIN);
    if (begin === -1) return this.#show(text, shownLength(text));
    this.#isCall = true;
    this.#held = '';
    return [...textPiece(textBefore(text.slice(0, begin))), { kind: 'tool_call', text: text.slice(begin) }];
  }

  /** Returns what was held back, when the answer is whole. */
  end(): readonly Delta[] {
    return textPiece(this.#held);
  }

  #show(text: string, length: number): readonly Delta[] {
    this.#held = text.slice(length);
    return textPiece(text.slice(0, length));
  }
}

function textPiece(text: string): readonly Delta[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}
