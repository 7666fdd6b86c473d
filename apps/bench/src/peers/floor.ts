import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { PlainLog } from '../baseline.ts';
import type { StorageKind } from './peer.ts';

/** Bare durable write of a text, which a measurement alternates with. */
export interface Floor extends Disposable {
  append(text: string): void;
}

/** Returns the plainest durable write to the same kind of storage; `undefined` for memory. */
export function floorOf(kind: StorageKind, directory: string): Floor | undefined {
  if (kind === 'files') return new PlainLog(directory);
  if (kind === 'sqlite') return new BareInsert(directory);
  return undefined;
}

class BareInsert implements Floor {
  readonly #database: DatabaseSync;
  readonly #insert: ReturnType<DatabaseSync['prepare']>;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, 'floor.db'));
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec('CREATE TABLE rows (key INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.#insert = this.#database.prepare('INSERT INTO rows (body) VALUES (?)');
  }

  append(text: string): void {
    this.#insert.run(text);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
