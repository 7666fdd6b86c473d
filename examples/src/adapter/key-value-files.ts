import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The backend: values under keys, each a file. Redis has the same four commands: GET, SET, SET NX, KEYS. */
export class KeyValueFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get<Value>(key: string): Value | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(key), 'utf8')) as Value;
    } catch (error) {
      // Only this error says that there is nothing; every other one is not to be taken for it.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  set(key: string, value: unknown): void {
    renameSync(this.#draft(value), this.#path(key));
  }

  /** Sets what is not there. One atomic step: of two who try, one gets `true`. */
  create(key: string, value: unknown): boolean {
    const draft = this.#draft(value);
    try {
      linkSync(draft, this.#path(key));
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft);
    }
  }

  remove(key: string): void {
    rmSync(this.#path(key), { force: true });
  }

  /** The keys that end so, without that end. */
  keys(end: string): readonly string[] {
    return readdirSync(this.#folder).flatMap((name) => (name.endsWith(end) ? [name.slice(0, -end.length)] : []));
  }

  #draft(value: unknown): string {
    const draft = join(this.#folder, `${randomUUID()}.draft`);
    writeFileSync(draft, JSON.stringify(value));
    return draft;
  }

  #path(key: string): string {
    return join(this.#folder, key);
  }
}
