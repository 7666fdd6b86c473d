import { findContext } from './find-context.ts';
import { PatchError } from './patch-error.ts';
import { type Chunk, MARKS, readSection } from './sections.ts';

/** A change of one file. `movedTo` is empty for a file that keeps its name. */
export type PatchChange =
  | { readonly type: 'add'; readonly path: string; readonly after: string }
  | { readonly type: 'delete'; readonly path: string; readonly before: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      readonly movedTo: string;
    };

/** A patch, as it changes these files. */
export interface ReadPatch {
  readonly changes: readonly PatchChange[];
  /** The fuzz of the patch: 0 if it fits exactly, more if it does not. */
  readonly fuzz: number;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const UPDATE = '*** Update File: ';
const DELETE = '*** Delete File: ';
const ADD = '*** Add File: ';
const MOVE = '*** Move to: ';

/** Returns the paths of files that must be there for a patch. */
export function neededFiles(patch: string): readonly string[] {
  if (!patch.startsWith(BEGIN)) throw new PatchError(`Invalid patch: must start with '${BEGIN}'`);
  const lines = patch.trim().split('\n');
  const found = lines.flatMap((line) =>
    [UPDATE, DELETE].flatMap((mark) => (line.startsWith(mark) ? [line.slice(mark.length)] : [])),
  );
  return [...new Set(found)];
}

/** Reads a patch of the form of OpenAI's `apply_patch`, with the texts of the files that it needs. Throws {@link PatchError}. */
export function readPatch(patch: string, files: ReadonlyMap<string, string>): ReadPatch {
  const lines = patch.trim().split('\n');
  if (lines.length < 2 || !lines[0]?.startsWith(BEGIN) || lines.at(-1) !== END)
    throw new PatchError('Invalid patch text');
  return new PatchReader(lines, files).read();
}

class PatchReader {
  readonly #lines: readonly string[];
  readonly #files: ReadonlyMap<string, string>;
  readonly #changes = new Map<string, PatchChange>();
  #index = 1;
  #fuzz = 0;

  constructor(lines: readonly string[], files: ReadonlyMap<string, string>) {
    this.#lines = lines;
    this.#files = files;
  }

  read(): ReadPatch {
    while (!this.#line.startsWith(END)) this.#readFile();
    return { changes: [...this.#changes.values()], fuzz: this.#fuzz };
  }

  get #line(): string {
    const line = this.#lines[this.#index];
    if (line === undefined) throw new PatchError(`Unexpected end of patch at index ${this.#index}`);
    return line;
  }

  /** Returns the rest of the line behind a mark, and goes on to the next line; `''` if the line has another beginning. */
  #take(mark: string): string {
    if (!this.#line.startsWith(mark)) return '';
    const rest = this.#line.slice(mark.length);
    this.#index += 1;
    return rest;
  }

  #readFile(): void {
    const updated = this.#take(UPDATE);
    if (updated !== '') return this.#readUpdate(updated);
    const deleted = this.#take(DELETE);
    if (deleted !== '') {
      const before = this.#fileOf('Delete', deleted);
      return this.#keep('Delete', { type: 'delete', path: deleted, before });
    }
    const added = this.#take(ADD);
    if (added === '') throw new PatchError(`Unknown Line: ${this.#line}`);
    this.#checkNew('Add', added);
    this.#keep('Add', { type: 'add', path: added, after: this.#readAdded() });
  }

  #readUpdate(path: string): void {
    this.#checkNew('Update', path);
    const movedTo = this.#take(MOVE);
    if (movedTo.split('/').includes('..') || movedTo.startsWith('/'))
      throw new PatchError(
        `Update File Error: Invalid move path '${movedTo}': must be a relative path without '..' components`,
      );
    const before = this.#fileOf('Update', path);
    const after = withChunks(path, before, this.#readChunks(before.split('\n')));
    this.#keep('Update', { type: 'update', path, before, after, movedTo });
  }

  #readAdded(): string {
    const added: string[] = [];
    while (!MARKS.slice(0, 4).some((mark) => this.#line.startsWith(mark))) {
      if (!this.#line.startsWith('+')) throw new PatchError(`Invalid Add File Line: ${this.#line}`);
      added.push(this.#line.slice(1));
      this.#index += 1;
    }
    return added.join('\n');
  }

  #readChunks(lines: readonly string[]): readonly Chunk[] {
    const chunks: Chunk[] = [];
    let index = 0;
    while (!MARKS.some((mark) => this.#line.startsWith(mark))) {
      const heading = this.#take('@@ ');
      const isPlain = heading === '' && this.#line === '@@';
      if (isPlain) this.#index += 1;
      if (heading === '' && !isPlain && index !== 0) throw new PatchError(`Invalid Line:\n${this.#line}`);
      if (heading.trim() !== '') index = this.#behindHeading(lines, heading, index);
      const { context, chunks: read, end, isLast } = readSection(this.#lines, this.#index);
      const place = findContext(lines, context, index, isLast);
      if (!place) throw new PatchError(`Invalid ${isLast ? 'EOF ' : ''}Context ${index}:\n${context.join('\n')}`);
      this.#fuzz += place.fuzz;
      chunks.push(...read.map((chunk) => ({ ...chunk, index: chunk.index + place.index })));
      index = place.index + context.length;
      this.#index = end;
    }
    return chunks;
  }

  /** Returns the index behind the line that a heading names. A heading that was passed before, or is not there, moves nothing. */
  #behindHeading(lines: readonly string[], heading: string, from: number): number {
    const ways = [(line: string) => line, (line: string) => line.trim()];
    for (const [fuzz, plain] of ways.entries()) {
      const wanted = plain(heading);
      if (lines.slice(0, from).some((line) => plain(line) === wanted)) continue;
      const found = lines.findIndex((line, index) => index >= from && plain(line) === wanted);
      if (found < 0) continue;
      this.#fuzz += fuzz;
      return found + 1;
    }
    return from;
  }

  #fileOf(verb: string, path: string): string {
    const text = this.#files.get(path);
    if (text === undefined) throw new PatchError(`${verb} File Error: Missing File: ${path}`);
    return text;
  }

  #checkNew(verb: string, path: string): void {
    if (this.#changes.has(path)) throw new PatchError(`${verb} File Error: Duplicate Path: ${path}`);
  }

  #keep(verb: string, change: PatchChange): void {
    this.#checkNew(verb, change.path);
    this.#changes.set(change.path, change);
  }
}

function withChunks(path: string, text: string, chunks: readonly Chunk[]): string {
  const lines = text.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const { index, removed, added } of chunks) {
    if (index > lines.length || at > index)
      throw new PatchError(`${path}: the sections of the patch overlap; make them one`);
    result.push(...lines.slice(at, index), ...added);
    at = index + removed.length;
  }
  return [...result, ...lines.slice(at)].join('\n');
}
