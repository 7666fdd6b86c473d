import process from 'node:process';

import { matchesKey } from '@earendil-works/pi-tui';
import { errorText } from '@conv/core';
import type { OutputStream } from '@conv/visualize';
import { plainLine } from '@conv/visualize/text';

import { safe } from '../../terminal/output.ts';

import { rowsAbove, statusRow } from './area-rows.ts';
import { type ChatScreen, type Completion, EMPTY_VIEW, type ScreenActions, type ScreenView } from './chat-screen.ts';
import { editText } from './external-editor.ts';
import { ForeignLines } from './foreign-lines.ts';
import { InputEditor } from './input-editor.ts';
import { Keyboard } from './keyboard.ts';
import { type AreaContent, LiveArea } from './live-area.ts';
import { LogStream } from './log-stream.ts';

/** Milliseconds between two drawings while text streams in. */
const FRAME = 40;

/** Options of {@link RichScreen}. */
export interface RichScreenOptions {
  readonly color: boolean;
  readonly completions: readonly Completion[];
  /** Texts that the arrow keys bring back, the oldest first. */
  readonly history: readonly string[];
}

/** A screen for terminals that can move their cursor: the log above, the input with its status below. */
export class RichScreen implements ChatScreen {
  readonly log: OutputStream;
  readonly color: boolean;
  readonly #area: LiveArea;
  readonly #keyboard: Keyboard;
  readonly #input: InputEditor;
  readonly #foreign: readonly ForeignLines[];
  readonly #onResize = (): void => this.#area.draw();
  readonly #onContinue = (): void => this.#comeBack();
  #actions: ScreenActions | undefined;
  #view: ScreenView = EMPTY_VIEW;
  #frame: NodeJS.Timeout | undefined;

  constructor({ color, completions, history }: RichScreenOptions) {
    const terminal = ownOutput(process.stdout);
    this.color = color;
    this.#area = new LiveArea(terminal, (columns, rows) => this.#content(columns, rows));
    this.log = new LogStream(terminal, (text) => this.#area.print(text));
    const take = (lines: string): void => void this.log.write(safeLines(lines));
    this.#foreign = [process.stdout, process.stderr].map((stream) => new ForeignLines(stream, take));
    const end = (): void => this.#actions?.onLeave();
    this.#keyboard = new Keyboard(process.stdin, terminal, (key) => this.#press(key), end);
    this.#input = new InputEditor({
      color,
      completions,
      rows: () => terminal.rows ?? 24,
      onChange: () => this.#drawSoon(),
      onSubmit: (text) => this.#submit(text),
    });
    for (const text of history) this.#input.remember(text);
  }

  start(actions: ScreenActions): void {
    this.#actions = actions;
    process.stdout.on('resize', this.#onResize);
    process.on('SIGCONT', this.#onContinue);
    this.#keyboard.start();
    for (const foreign of this.#foreign) foreign.start();
    this.#area.draw();
  }

  show(view: ScreenView): void {
    this.#view = view;
    this.#drawSoon();
  }

  async edit(text: string = this.#input.text): Promise<void> {
    this.#area.hold();
    this.#keyboard.stop();
    try {
      this.#input.text = await editText(text);
    } finally {
      this.#keyboard.start();
      this.#area.release();
    }
  }

  close(): void {
    clearTimeout(this.#frame);
    process.stdout.off('resize', this.#onResize);
    process.off('SIGCONT', this.#onContinue);
    this.#actions = undefined;
    for (const foreign of this.#foreign) foreign.stop();
    this.#area.close();
    this.#keyboard.stop();
  }

  #content(columns: number, rows: number): AreaContent {
    const size = { columns, rows, color: this.color };
    const above = rowsAbove(this.#view, size);
    const input = this.#input.render(columns);
    return {
      rows: [...above, ...input.rows, statusRow(this.#view.status, size)],
      cursor: { row: above.length + input.cursor.row, column: input.cursor.column },
    };
  }

  #press(key: string): void {
    if (matchesKey(key, 'ctrl+c')) this.#interrupt();
    else if (matchesKey(key, 'ctrl+d') && this.#input.text === '') this.#actions?.onLeave();
    else if (matchesKey(key, 'ctrl+g'))
      void this.edit().catch((error: unknown) => this.log.write(`! ${plainLine(errorText(error))}\n`));
    else if (matchesKey(key, 'ctrl+z')) this.#suspend();
    else this.#input.press(key);
    this.#area.draw();
  }

  /** Clears the input first, as a shell does. */
  #interrupt(): void {
    if (this.#input.text === '') this.#actions?.onInterrupt();
    else this.#input.text = '';
  }

  #submit(text: string): void {
    this.#input.remember(text);
    this.#actions?.onText(text);
  }

  /** Gives the terminal back to the shell until it continues this program. */
  #suspend(): void {
    if (process.platform === 'win32') return;
    this.#area.hold();
    this.#keyboard.stop();
    process.kill(process.pid, 'SIGTSTP');
  }

  #comeBack(): void {
    this.#keyboard.stop();
    this.#keyboard.start();
    this.#area.release();
  }

  #drawSoon(): void {
    this.#frame ??= setTimeout(() => {
      this.#frame = undefined;
      this.#area.draw();
    }, FRAME).unref();
  }
}

/** Returns the terminal for the chat's own writes, which stay apart from those of others to the same stream. */
function ownOutput(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = stream.write.bind(stream);
  return new Proxy(stream, { get: (target, name): unknown => (name === 'write' ? write : Reflect.get(target, name)) });
}

/** Lines as the log may have them. Of a line that was written over and over, such as a progress bar, the last writing stays. */
function safeLines(lines: string): string {
  return lines.replace(/[^\n]+/g, (line) => {
    const written = line.trimEnd();
    return safe(written.slice(written.lastIndexOf('\r') + 1));
  });
}
