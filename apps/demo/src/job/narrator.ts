import { type Palette, paletteFor, print } from '@conv/cli/parts';

import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds before a new act on a terminal. */
const TIME_TO_READ = 900;

/** A claim of the demo and its evidence. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
  /** The contrary finding, for a claim that does not hold. */
  readonly found?: string;
}

/** Prints the demo's own comments between the agent's output: few lines, marked with a bar. Collects the claims. */
export class Narrator {
  readonly #color: Palette = paletteFor(process.stdout);
  readonly #claims: Claim[] = [];
  #acts = 0;

  get claims(): readonly Claim[] {
    return this.#claims;
  }

  get width(): number {
    return Math.min(120, process.stdout.columns ?? 80);
  }

  async act(title: string): Promise<void> {
    if (process.stdout.isTTY) await wait(TIME_TO_READ);
    const head = `━━ ${++this.#acts}  ${title} `;
    print();
    print(this.#color.magenta(this.#color.bold(head) + '━'.repeat(Math.max(0, this.width - head.length))));
  }

  say(text: string): void {
    for (const line of wrap(text, this.width - 3)) print(`${this.#bar} ${line}`);
  }

  fact(name: string, value: string): void {
    const [first = '', ...rest] = wrap(value, this.width - 13);
    print(`${this.#bar} ${this.#color.dim(name.padEnd(9))} ${first}`);
    for (const line of rest) print(`${this.#bar} ${' '.repeat(9)} ${line}`);
  }

  claim(claim: Claim): void {
    this.#claims.push(claim);
    const mark = claim.holds ? this.#color.green('✓') : this.#color.red('✗');
    const [first = '', ...rest] = wrap(claim.text, this.width - 5);
    print(`${this.#bar} ${mark} ${first}`);
    for (const line of rest) print(`${this.#bar}   ${line}`);
    if (!claim.holds && claim.found !== undefined) this.say(this.#color.red(`    found: ${claim.found}`));
  }

  strong(text: string): string {
    return this.#color.bold(text);
  }

  get #bar(): string {
    return this.#color.magenta('┃');
  }

  /** Clears the unfinished last line of a killed process. */
  clearLine(): void {
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[J');
  }
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
