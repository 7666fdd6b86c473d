import { BEGIN, THOUGHT_END } from '../text-calls/call-tags.ts';
import { placeOfCall } from '../text-calls/place-of-call.ts';
import { shownLength, textBefore } from '../text-calls/text-before.ts';
import type { Delta } from './read-stream.ts';

/**
 * Turns the pieces of a streamed text into pieces of a text and of a call. The pieces of the text are together the text of the whole answer, however it
 * was split; what may lead to a call is held back until it is known. A call that turns out to be part of the model's thinking is shown again as text.
 */
export class ShownPieces {
  #text = '';
  /** The length of the part that was shown as text. */
  #shown = 0;
  /** The place of the call; -1 while there is none. */
  #call = -1;

  /** Takes the next piece of an answer. Returns the pieces that can be shown. */
  add(delta: Delta): readonly Delta[] {
    if (delta.kind !== 'text') return [delta];
    const known = this.#text.length;
    this.#text += delta.text;
    const begin = this.#place(known);
    const isSame = begin !== -1 && begin === this.#call;
    this.#call = begin;
    if (isSame) return callPiece(delta.text);
    if (begin === -1) return this.#show(shownLength(this.#text.slice(this.#shown)));
    const before = textBefore(this.#text.slice(this.#shown, begin));
    return [...this.#show(before.length), ...callPiece(this.#text.slice(begin))];
  }

  /** Returns what was held back, when the answer is whole. */
  end(): readonly Delta[] {
    return this.#call === -1 ? this.#show(this.#text.length - this.#shown) : [];
  }

  /** Returns the place of the call. Looks for it only if the text behind the `known` part can have changed it. */
  #place(known: number): number {
    if (this.#call === -1) return this.#text.includes(BEGIN, this.#shown) ? placeOfCall(this.#text) : -1;
    const mayChange = this.#text.includes(THOUGHT_END, known - THOUGHT_END.length + 1);
    return mayChange ? placeOfCall(this.#text) : this.#call;
  }

  #show(length: number): readonly Delta[] {
    const text = this.#text.slice(this.#shown, this.#shown + length);
    this.#shown += length;
    return text === '' ? [] : [{ kind: 'text', text }];
  }
}

function callPiece(text: string): readonly Delta[] {
  return text === '' ? [] : [{ kind: 'tool_call', text }];
}
