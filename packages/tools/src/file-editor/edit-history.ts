/** An edit that can be undone. */
export interface Edit {
  /** The content before the edit; `undefined` if the edit created the file. */
  readonly before: Buffer | undefined;
  /** The hash of the content after the edit. */
  readonly after: string;
}

const MOST_PER_FILE = 20;
const MOST_BYTES = 32 << 20;

/** The latest edits of each file, bounded in number and in bytes; the oldest are forgotten first. */
export class EditHistory {
  // in the order of the latest edit
  readonly #edits = new Map<string, Edit[]>();
  #bytes = 0;

  add(path: string, edit: Edit): void {
    const edits = this.#edits.get(path) ?? [];
    this.#edits.delete(path);
    this.#edits.set(path, edits);
    edits.push(edit);
    this.#bytes += sizeOf(edit);
    if (edits.length > MOST_PER_FILE) this.#forgetOldest(path, edits);
    for (const [oldest, list] of this.#edits) {
      while (this.#bytes > MOST_BYTES && list.length > 0) this.#forgetOldest(oldest, list);
      if (this.#bytes <= MOST_BYTES) break;
    }
  }

  last(path: string): Edit | undefined {
    return this.#edits.get(path)?.at(-1);
  }

  removeLast(path: string): void {
    const edit = this.#edits.get(path)?.pop();
    if (edit) this.#bytes -= sizeOf(edit);
  }

  #forgetOldest(path: string, edits: Edit[]): void {
    const edit = edits.shift();
    if (edit) this.#bytes -= sizeOf(edit);
    if (edits.length === 0) this.#edits.delete(path);
  }
}

function sizeOf(edit: Edit): number {
  return edit.before?.length ?? 0;
}
