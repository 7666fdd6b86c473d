const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const PLAIN = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
const CSI = /\x1b\[([0-?]*)[ -/]*([@-~])/y;
const STRING = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/y;
const SHORT = /\x1b[ -/]*[0-OQ-WYZ`-~]/y;
const OPEN_ESCAPE = /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)$/;
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

  /** Hands on the unfinished line. What follows starts anew. */
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
    const control = matchAt(CSI, input, at);
    if (control) {
      this.#move(control[1] ?? '', control[2] ?? '');
      return control[0].length;
    }
    const other = matchAt(STRING, input, at) ?? matchAt(SHORT, input, at);
    if (other) return other[0].length;
    const rest = input.slice(at, at + LONGEST_ESCAPE + 1);
    if (rest.length <= LONGEST_ESCAPE && OPEN_ESCAPE.test(rest)) {
      this.#carry = rest;
      return 0;
    }
    return 1;
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
