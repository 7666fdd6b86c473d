import type { Masker, MaskStream } from '@conv/core';

import { ScreenText } from './screen-text.ts';

/**
 * What a reader would see of a terminal, without the values of secrets. They are looked for twice: in what programs write,
 * because a value may hold control characters or be half overwritten afterwards, and in what remains of it on the screen,
 * because colours may stand inside a value.
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

  /** Hands on the unfinished line, without an end of it that may become a value; that follows with what comes next. */
  flush(): void {
    this.#screen.flush();
  }

  /** Hands on everything. What follows belongs to something else. */
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

/** One mask stream after the other. A stream masks also what becomes known while it goes on. */
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
