/** The shell's report at the end of a command. */
export interface CommandReport {
  readonly sequence: number;
  readonly exitCode: number;
  /** The process id of the last background command, -1 without one. */
  readonly backgroundPid: number;
  readonly pythonPath: string;
  readonly workingDirectory: string;
}

/** Receives the findings of the scanner in the order of the stream. */
export interface MarkerListener {
  text(text: string): void;
  /** Called when a command starts; `refused` names the variables that were to be set and are readonly. */
  started(sequence: number, refused: readonly string[]): void;
  ended(report: CommandReport): void;
  /** Called when the shell shows its prompt, because a command broke out of the loop that reads commands. */
  prompted(): void;
}

const MARK = '\x1e';
const LONGEST_MARKER = 32_768;

/**
 * Separates a shell's output from the marks that its driver writes around commands. A mark carries a random number that
 * no variable of the shell holds, so a program that prints the shell's variables, functions or environment cannot
 * imitate it.
 */
export class MarkerScanner {
  readonly #bracket: string;
  readonly #prompt: string;
  readonly #listener: MarkerListener;
  #carry = '';

  constructor(nonce: string, prompt: string, listener: MarkerListener) {
    this.#bracket = MARK + nonce;
    this.#prompt = MARK + prompt + MARK;
    this.#listener = listener;
  }

  write(chunk: string): void {
    let rest = this.#carry + chunk;
    this.#carry = '';
    for (;;) {
      const at = rest.indexOf(MARK);
      if (at < 0) return this.#text(rest);
      this.#text(rest.slice(0, at));
      rest = rest.slice(at);
      const length = this.#marker(rest);
      if (length === undefined) {
        this.#carry = rest;
        return;
      }
      if (length === 0) this.#text(MARK);
      rest = rest.slice(length || 1);
    }
  }

  #text(text: string): void {
    if (text) this.#listener.text(text);
  }

  /** Reports the mark at the start of `input`. Returns its length, 0 for none, `undefined` if its end is missing. */
  #marker(input: string): number | undefined {
    if (input.startsWith(this.#prompt)) {
      this.#listener.prompted();
      return this.#prompt.length;
    }
    if (input.startsWith(this.#bracket)) {
      const end = input.indexOf(this.#bracket, this.#bracket.length);
      if (end < 0) return input.length < LONGEST_MARKER ? undefined : 0;
      this.#report(input.slice(this.#bracket.length, end));
      return end + this.#bracket.length;
    }
    return this.#bracket.startsWith(input) || this.#prompt.startsWith(input) ? undefined : 0;
  }

  #report(body: string): void {
    const [sequence = '', exitCode = '', backgroundPid = '', pythonPath = '', ...directory] = body
      .slice(1)
      .split('\x1f');
    // in the mark of a start, the refused names take the place of the exit code
    if (body.startsWith('S')) this.#listener.started(Number(sequence), exitCode.split(' ').filter(Boolean));
    else
      this.#listener.ended({
        sequence: Number(sequence),
        exitCode: Number(exitCode),
        backgroundPid: backgroundPid === '' ? -1 : Number(backgroundPid),
        pythonPath,
        workingDirectory: directory.join('\x1f'),
      });
  }
}
