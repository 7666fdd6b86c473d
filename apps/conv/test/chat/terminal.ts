import process from 'node:process';

import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

import { commandOf } from '../command.ts';

/** Options of {@link ChatTerminal}. */
export interface TerminalSetting {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Milliseconds after which a text that was waited for is given up: less than the limit of a test, which does not say what was shown. */
const PATIENCE = 100_000;

/** Keys by the sequences that terminals send for them. */
export const KEYS = {
  enter: '\r',
  altEnter: '\u001b\r',
  newLine: '\n',
  tab: '\t',
  up: '\u001b[A',
  left: '\u001b[D',
  backspace: '\u007f',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlG: '\u0007',
} as const;

/** A chat in a real pseudo-terminal, whose output a terminal emulator obeys. */
export class ChatTerminal implements AsyncDisposable {
  /** Everything that the program wrote, as it was written. */
  written = '';
  readonly ended: Promise<number>;
  readonly #process: IPty;
  readonly #screen: xterm.Terminal;
  readonly #waiting = new Set<() => void>();

  constructor({ cwd, env = {}, columns = 80, rows = 24 }: TerminalSetting, ...args: readonly string[]) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
    const command = commandOf(...args);
    this.#process = spawn(command.file, command.args, {
      cwd,
      cols: columns,
      rows,
      name: env['TERM'] ?? 'xterm-256color',
      env: { ...command.env, TERM: 'xterm-256color', XDG_STATE_HOME: `${cwd}/state`, ...env },
    });
    this.#process.onData((chunk) => {
      this.written += chunk;
      this.#screen.write(chunk, () => this.#look());
    });
    // the emulator obeys output a turn later than it comes
    this.ended = new Promise((resolve) =>
      this.#process.onExit(({ exitCode }) => this.#screen.write('', () => resolve(exitCode))),
    );
    void this.ended.then(() => this.#look());
  }

  /** Everything that the terminal holds: the scrollback and the screen. */
  get text(): string {
    const { active } = this.#screen.buffer;
    return this.#rows(0, active.length);
  }

  /** The rows on the screen. */
  get screen(): string {
    const { active } = this.#screen.buffer;
    return this.#rows(active.baseY, active.baseY + this.#screen.rows);
  }

  /** The column and the row of the cursor on the screen. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { cursorX, cursorY } = this.#screen.buffer.active;
    return { column: cursorX, row: cursorY };
  }

  /** The process id of the program. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Types text or keys. */
  type(...keys: readonly string[]): void {
    for (const key of keys) this.#process.write(key);
  }

  /** Types a line and sends it off. */
  send(line: string): void {
    this.type(line, KEYS.enter);
  }

  /** Sends a line and resolves when the terminal shows the answer, as {@link until}. */
  ask(line: string, ...answer: Parameters<ChatTerminal['until']>): Promise<void> {
    this.send(line);
    return this.until(...answer);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#process.resize(columns, rows);
  }

  /** Ends the program without a chance to say anything. */
  kill(): void {
    process.kill(this.#process.pid, 'SIGKILL');
  }

  /** Resolves when the terminal shows the text, on the screen or, with `everywhere`, in its scrollback too. */
  until(
    text: string | RegExp,
    where: 'screen' | 'everywhere' = 'everywhere',
    patience: number = PATIENCE,
  ): Promise<void> {
    const isThere = (): boolean => {
      const shown = where === 'screen' ? this.screen : this.text;
      return typeof text === 'string' ? shown.includes(text) : text.test(shown);
    };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`${String(text)} did not appear on:\n${this.text}`));
      }, patience);
      const look = (): void => {
        if (!isThere()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.kill();
    } catch {
      // it has ended by itself
    }
    await this.ended;
    this.#screen.dispose();
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }

  #rows(from: number, to: number): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from({ length: to - from }, (_, at) => active.getLine(from + at)?.translateToString(true) ?? '');
    return rows.join('\n').trimEnd();
  }
}
