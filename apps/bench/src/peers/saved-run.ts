import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Cell } from './cell.ts';
import type { Part } from './result.ts';

/** Results of a program at a size, or of an agent server, under a name of their own. */
export interface SavedEntry {
  readonly name: string;
  readonly cells: readonly Cell[];
  /** Milliseconds that filling its conversation took. */
  readonly filled?: number;
  /** Seconds that all this took. */
  readonly seconds: number;
}

/** Line of the file: what was measured where comes first, then the parts of the run with their entries. */
type Line = { readonly subject: string } | { readonly part: Part } | { readonly entry: SavedEntry };

/** A run of the comparison in a file, a line for each result as soon as it is there. A run that was stopped goes on with it. */
export class SavedRun {
  readonly #path: string;
  readonly #part: Part;
  readonly #parts: Part[] = [];
  readonly #entries = new Map<string, SavedEntry>();
  #isBegun = false;

  private constructor(path: string, part: Part) {
    this.#path = path;
    this.#part = part;
  }

  /** Begins a run and forgets the run in the file. `subject` is all that the figures depend on. */
  static begin(path: string, subject: string, part: Part): SavedRun {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lineOf({ subject }));
    return new SavedRun(path, part);
  }

  /** Goes on with the run in the file, or begins a run where there is no file. Throws if that run measured something else. */
  static resume(path: string, subject: string, part: Part): SavedRun {
    if (!existsSync(path)) return SavedRun.begin(path, subject, part);
    const run = new SavedRun(path, part);
    const text = readFileSync(path, 'utf8');
    // a process that is killed may leave half a line
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) writeFileSync(path, whole);
    const lines = whole.split('\n').filter(Boolean);
    const [first, ...rest] = lines.map((line) => JSON.parse(line) as Line);
    if (!first || !('subject' in first) || first.subject !== subject)
      throw new Error(
        `expected a run of the same plan, programs and machine in ${path}, found another one: leave out --resume to begin a new run`,
      );
    for (const line of rest)
      if ('part' in line) run.#parts.push(line.part);
      else if ('entry' in line) run.#entries.set(line.entry.name, line.entry);
    return run;
  }

  /** Parts of the run in which something was measured: one, and one more for each time that it went on. */
  get parts(): readonly Part[] {
    return this.#parts;
  }

  entry(name: string): SavedEntry | undefined {
    return this.#entries.get(name);
  }

  add(entry: SavedEntry): void {
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#parts.push(this.#part);
      appendFileSync(this.#path, lineOf({ part: this.#part }));
    }
    this.#entries.set(entry.name, entry);
    appendFileSync(this.#path, lineOf({ entry }));
  }
}

const lineOf = (line: Line): string => `${JSON.stringify(line)}\n`;
