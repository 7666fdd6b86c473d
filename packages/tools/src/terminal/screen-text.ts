const CONTROL = /(?![\t\n])\p{Cc}/u;
const PLAIN = /(?:\t|\P{Cc})+/uy;
// what follows an escape character; https://vt100.net/emu/dec_ansi_parser
const CONTROL_SEQUENCE = /\[([0-?]*)[ -/]*([@-~])/y;
const STRING = /[\]PX^_]\P{Cc}*\p{Cc}\\?/uy;
const SHORT = /[ -/]*[0-~]/y;
const UNFINISHED = /^(?:\[[0-?]*[ -/]*|[\]PX^_]\P{Cc}*\p{Cc}?|[ -/]*)$/u;
const LONGEST_ESCAPE = 4096;
const LONGEST_LINE = 65_536;
const WIDEST = 10_000;

/**
 * Turns what a program wrote to a terminal into the text that a reader would see: control sequences are dropped, carriage
 * returns and backspaces overwrite, so that a progress bar folds into its last state. Text is handed on line by line.
 */
export class ScreenText {
  readonly #sink: (text: string) => void;
  #line = '';
  #column = 0;
  #carry = '';

  constructor(sink: (text: string) => void) {
    this.#sink = sink;
  }

  write(chunk: string): void {
    const input = this.#carry + chunk;
    this.#carry = '';
    if (this.#column === this.#line.length && !CONTROL.test(input)) this.#append(input);
    else this.#interpret(input);
    // the start of an endless line can no longer be overwritten; memory stays bounded
    if (this.#line.length > LONGEST_LINE) this.flush();
  }

  /** Hands on the unfinished line. Later text starts a new line. */
  flush(): void {
    if (this.#line) this.#sink(this.#line);
    this.#line = '';
    this.#column = 0;
  }

  #append(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      this.#sink(this.#line + text.slice(0, end));
      this.#line = '';
    }
    this.#line += text.slice(end);
    this.#column = this.#line.length;
  }

  #interpret(input: string): void {
    let at = 0;
    while (at < input.length) {
      const character = input[at];
      if (character === '\x1b') {
        const length = this.#escape(input, at);
        if (length === 0) return;
        at += length;
        continue;
      }
      const plain = matchAt(PLAIN, input, at);
      if (plain) this.#put(plain[0]);
      else this.#control(character);
      at += plain ? plain[0].length : 1;
    }
  }

  #control(character: string | undefined): void {
    if (character === '\n') {
      this.#sink(`${this.#line}\n`);
      this.#line = '';
      this.#column = 0;
    } else if (character === '\r') this.#column = 0;
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
  }

  #put(text: string): void {
    if (this.#column === this.#line.length) this.#line += text;
    else {
      const before = this.#line.slice(0, this.#column).padEnd(this.#column);
      this.#line = before + text + this.#line.slice(this.#column + text.length);
    }
    this.#column += text.length;
  }

  /** Interprets the escape sequence here; returns its length, 0 when its end has not arrived. */
  #escape(input: string, at: number): number {
    const control = matchAt(CONTROL_SEQUENCE, input, at + 1);
    if (control) {
      this.#move(control[1] ?? '', control[2] ?? '');
      return 1 + control[0].length;
    }
    const rest = input.slice(at + 1, at + LONGEST_ESCAPE + 1);
    if (rest.length < LONGEST_ESCAPE && UNFINISHED.test(rest)) {
      this.#carry = input.slice(at);
      return 0;
    }
    const other = matchAt(STRING, input, at + 1) ?? matchAt(SHORT, input, at + 1);
    return 1 + (other?.[0].length ?? 0);
  }

  #move(parameters: string, command: string): void {
    const count = Math.min(Number.parseInt(parameters, 10) || 0, WIDEST);
    if (command === 'K' && count === 0) this.#line = this.#line.slice(0, this.#column);
    else if (command === 'K' && count === 2) this.#line = '';
    else if (command === 'C') this.#column = Math.min(this.#column + (count || 1), WIDEST);
    else if (command === 'D') this.#column = Math.max(0, this.#column - (count || 1));
    else if (command === 'G') this.#column = Math.max(0, count - 1);
  }
}

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(input);
}
