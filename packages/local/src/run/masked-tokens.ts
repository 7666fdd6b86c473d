import { SECRET_MASK, type Masker, type MaskStream, type TokenDelta } from '@conv/core';

/**
 * Masks the pieces of an answer on their way to subscribers, even a value that is split between pieces (P9), with a stream for
 * each kind of piece. Held-back text comes with `flush`. It is dropped when another attempt of the model call begins, because the
 * earlier pieces are void then. A masker that fails hides the whole piece.
 */
export class MaskedTokens {
  readonly #masker: Masker;
  readonly #publish: (delta: TokenDelta) => void;
  readonly #streams = new Map<TokenDelta['kind'], { readonly delta: TokenDelta; readonly stream: MaskStream }>();
  #attempt = 0;

  constructor(masker: Masker, publish: (delta: TokenDelta) => void) {
    this.#masker = masker;
    this.#publish = publish;
  }

  write(delta: TokenDelta): void {
    if (delta.attempt !== this.#attempt) this.#streams.clear();
    this.#attempt = delta.attempt;
    let open = this.#streams.get(delta.kind);
    if (!open) this.#streams.set(delta.kind, (open = { delta, stream: this.#masker.stream() }));
    const { stream } = open;
    this.#pass(delta, () => stream.write(delta.text));
  }

  /** Publishes the held-back text. */
  flush(): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { delta, stream } of streams) this.#pass(delta, () => stream.end());
  }

  #pass(delta: TokenDelta, mask: () => string): void {
    let text = SECRET_MASK;
    try {
      text = mask();
    } catch {
      // the piece stays hidden; the answer itself is masked where it is stored
    }
    if (text !== '') this.#publish({ ...delta, text });
  }
}
