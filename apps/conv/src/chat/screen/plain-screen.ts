import process from 'node:process';
import { createInterface, type Interface } from 'node:readline';

import type { OutputStream } from '@conv/visualize';

import type { ChatScreen, ScreenActions, ScreenView } from './chat-screen.ts';
import { editText } from './external-editor.ts';

/**
 * A screen for terminals that cannot move their cursor, such as TERM=dumb: it writes and reads lines, and redraws nothing. A line
 * that ends with a backslash continues on the next line.
 */
export class PlainScreen implements ChatScreen {
  readonly log: OutputStream = process.stdout;
  readonly color: boolean;
  #lines: Interface | undefined;
  #actions: ScreenActions | undefined;
  #begun = '';
  #asked: string | undefined;

  constructor(color: boolean) {
    this.color = color;
  }

  start(actions: ScreenActions): void {
    this.#actions = actions;
    this.#listen();
  }

  show({ question }: ScreenView): void {
    if (question !== undefined && question !== this.#asked) this.log.write(`${question}\n`);
    this.#asked = question;
  }

  async edit(text = ''): Promise<void> {
    this.#lines?.removeAllListeners('close').close();
    try {
      const edited = await editText(text);
      if (edited !== '') this.#actions?.onText(edited);
    } finally {
      this.#listen();
    }
  }

  close(): void {
    this.#actions = undefined;
    this.#lines?.removeAllListeners('close').close();
  }

  #listen(): void {
    this.#lines = createInterface({ input: process.stdin, terminal: false });
    this.#lines.on('line', (line) => this.#take(line)).on('close', () => this.#actions?.onLeave());
  }

  #take(line: string): void {
    if (line.endsWith('\\')) {
      this.#begun += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = (this.#begun + line).trim();
    this.#begun = '';
    if (text !== '') this.#actions?.onText(text);
  }
}
