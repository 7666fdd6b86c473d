import { fromWholeWord } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import { SideFile } from './side-file.ts';

/** The part of a command's output that a call shows. */
export interface CollectedOutput {
  readonly text: string;
  /** The file with the whole output, when `text` is not the whole. */
  readonly fullOutputPath?: string;
}

export interface OutputCollectorOptions {
  readonly platform: Pick<Platform, 'id'>;
  /** The most characters of the text, the notice included. */
  readonly limit: number;
  /** The folder for longer output; without it the middle is lost. */
  readonly sideDirectory?: string | undefined;
  /** Called when more may be written after `write` returned false. */
  readonly onDrain: () => void;
}

const ROOM_FOR_NOTICE = 600;

/** Keeps the start and the end of an output in memory and, when it is longer than that, all of it in a side file. */
export class OutputCollector {
  readonly #options: OutputCollectorOptions;
  readonly #half: number;
  #head = '';
  #tail = '';
  #length = 0;
  #side: SideFile | undefined;

  constructor(options: OutputCollectorOptions) {
    this.#options = options;
    this.#half = Math.max(1, Math.floor((options.limit - ROOM_FOR_NOTICE) / 2));
  }

  /** Takes more output; false asks the caller to pause until `onDrain`. */
  write(text: string): boolean {
    this.#length += text.length;
    if (this.#length <= this.#options.limit) {
      this.#head += text;
      return true;
    }
    return this.#overflow(text);
  }

  async finish(): Promise<CollectedOutput> {
    if (this.#length <= this.#options.limit) return { text: this.#head };
    const tail = withoutHalfCharacter(fromWholeWord(this.#tail, this.#tail.length - this.#half));
    const leftOut = this.#length - this.#head.length - tail.length;
    const complete = this.#side?.complete ?? false;
    const path = await this.#side?.finish();
    const where = path ? `; the ${complete ? 'complete output is' : 'first part of it is'} in ${path}` : '';
    const text = `${this.#head}\n[... ${leftOut} characters left out here${where} ...]\n${tail}`;
    return { text, ...(path ? { fullOutputPath: path } : {}) };
  }

  /** Forgets everything, the side file too. */
  async discard(): Promise<void> {
    await this.#side?.discard();
  }

  #overflow(text: string): boolean {
    let more = text;
    if (!this.#tail) {
      const whole = this.#head + text;
      this.#head = withoutHalfCharacter(whole.slice(0, this.#half));
      this.#tail = whole.slice(this.#head.length);
      const { platform, sideDirectory, onDrain } = this.#options;
      this.#side = sideDirectory === undefined ? undefined : new SideFile(platform, sideDirectory, onDrain);
      more = whole;
    } else this.#tail += text;
    if (this.#tail.length > 4 * this.#half) this.#tail = this.#tail.slice(-this.#half);
    return this.#side?.write(more) ?? true;
  }
}

// a cut between the halves of a surrogate pair would leave text that is no Unicode
function withoutHalfCharacter(text: string): string {
  const start = /^[\udc00-\udfff]/.test(text) ? 1 : 0;
  const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
  return text.slice(start, end);
}
