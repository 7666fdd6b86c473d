import type { Masker, MaskStream } from '@conv/core';

import { ScreenText } from './screen-text.ts';

/**
 * Produces the text that a reader would see of a terminal, without the values of secrets. It looks for values twice: in
 * the output of programs, because a value may hold control characters or be half overwritten afterwards; and in the
 * text on the screen, because colours may stand inside a value.
 */
export class MaskedScreen {
  readonly #written: Masking;
  readonly #shown: Masking;
  readonly #screen: ScreenText;
  readonly #sink: (text: string) => void;

  constructor(masker: () => Masker | undefined, sink: (text: string) => void) {
    this.#written = new Masking(masker);
    this.#shown = new Masking(masker);
    this.#sink = sink;
    this.#screen = new ScreenText((text) => this.#show(this.#shown.write(text)));
  }

  write(chunk: string): void {
    const text = this.#written.write(chunk);
    if (text) this.#screen.write(text);
  }

  /** Passes on the unfinished line, except an end that may become a value; that end follows with later output. */
  flush(): void {
    this.#screen.flush();
  }

  /** Passes on all text. Later output belongs to another command. */
  end(): void {
    const text = this.#written.end();
    if (text) this.#screen.write(text);
    this.#screen.flush();
    this.#show(this.#shown.end());
  }

  #show(text: string): void {
    if (text) this.#sink(text);
  }
}

/**
 * Masks a sequence of texts, each with a stream of its own. A stream also masks values that become known while it runs.
 */
class Masking {
  readonly #masker: () => Masker | undefined;
  #stream: MaskStream | undefined;

  constructor(masker: () => Masker | undefined) {
    this.#masker = masker;
  }

  write(text: string): string {
    this.#stream ??= this.#masker()?.stream();
    return this.#stream?.write(text) ?? text;
  }

  end(): string {
    const rest = this.#stream?.end() ?? '';
    this.#stream = undefined;
    return rest;
  }
}
