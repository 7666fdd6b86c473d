import { timers, type Platform, type Timer } from '@conv/core/platform';
import type { AppendItem, AppendOutcome, DatabaseCalls, Head } from '../calls.ts';
import type { SqliteDriver, SqliteDriverModule } from '../driver.ts';
import type { Failure } from '../failure.ts';
import { Appender } from './append-group.ts';
import { changesSince } from './changes.ts';
import { checkDatabase } from './check-database.ts';
import { checkIds, checkRow, removeSnapshot, rewriteKept, rewriteSummary, summaryOf } from './check-records.ts';
import { checkShared, incomplete } from './check-shared.ts';
import { checkSpans } from './check-spans.ts';
import { collectGarbage } from './collect-garbage.ts';
import { changeWhole, placeOf, type Connection } from './connection.ts';
import { deleteConversation, fork, importConversation } from './conversations.ts';
import { copyDatabase } from './copy-database.ts';
import { locateEvent } from './find-events.ts';
import { countConversations, listConversations } from './list-conversations.ts';
import { assertDatabaseFile, isBegun, makeDatabaseFile, refuseCut } from './make-database-file.ts';
import { openConnection } from './open-connection.ts';
import { Owners } from './owners.ts';
import { readings } from './readings.ts';
import { failureOf, notInStore, Refusal, replaced } from './refusal.ts';
import { changeEntry, entryVersions, listEntryRows, readEntry } from './registry-rows.ts';
import { saveSnapshot } from './snapshots.ts';

export interface ThreadSettings {
  readonly file: string;
  readonly driver: SqliteDriver;
  readonly busyTimeout: number;
  readonly readOnly: boolean;
  /** Token that names the store as an owner. */
  readonly token: string;
  readonly leaseTimeout: number;
  /** Conversations that journals of the store hold, for a writing thread that replaces a lost one. */
  readonly held: readonly { readonly key: number; readonly epoch: number }[];
  /** Identity of the file that another connection of the store has opened, see `placeOf`. */
  readonly place?: string | undefined;
}

type Handlers = {
  readonly [Name in keyof Omit<DatabaseCalls, 'append'>]: (
    ...input: Parameters<DatabaseCalls[Name]>
  ) => ReturnType<DatabaseCalls[Name]>;
};

export interface DatabaseServerDeps {
  readonly settings: ThreadSettings;
  readonly driver: SqliteDriverModule;
  /** Receives the keys of conversations that other owners have taken over. */
  readonly tellLost: (keys: readonly number[]) => void;
  /** Receives the identity of the file once it is open. */
  readonly tellPlace: (place: string) => void;
  readonly platform: Platform;
}

/** Answers the store's calls inside its thread. */
export class DatabaseServer {
  readonly #platform: Platform;
  readonly #settings: ThreadSettings;
  readonly #driver: SqliteDriverModule;
  readonly #tellLost: (keys: readonly number[]) => void;
  readonly #tellPlace: (place: string) => void;
  readonly #owners: Owners;
  readonly #appender: Appender;
  readonly #handlers: Handlers;
  #connection: Connection | undefined;
  /** Identity of the file of the store's connections, once one is open. */
  #place: string | undefined;
  #heart: Timer | undefined;
  #mayHaveGarbage = false;
  #collecting: Timer | undefined;

  constructor({ settings, driver, tellLost, tellPlace, platform }: DatabaseServerDeps) {
    this.#platform = platform;
    this.#settings = settings;
    this.#driver = driver;
    this.#tellLost = tellLost;
    this.#tellPlace = tellPlace;
    this.#place = settings.place;
    this.#owners = new Owners(settings, platform);
    this.#appender = new Appender(this.#owners);
    this.#handlers = this.#createHandlers();
    if (settings.held.length > 0) this.#startHeart();
  }

  /** Stores commits that arrived together. */
  append(items: readonly AppendItem[]): readonly AppendOutcome[] {
    // Appends skip the check for a moved file; the appender checks after the transaction and refuses with `FENCED`.
    return this.#appender.store(this.#connection ?? this.#open(), items);
  }

  run(name: Exclude<keyof DatabaseCalls, 'append'>, input: readonly unknown[]): unknown {
    return (this.#handlers[name] as (...input: readonly unknown[]) => unknown)(...input);
  }

  failureOf(error: unknown): Failure {
    return failureOf(error, this.#driver, this.#settings.file);
  }

  /** Removes a part of the deleted conversations' remains. Called when no call is waiting. */
  rest(): void {
    if (!this.#mayHaveGarbage || this.#collecting) return;
    this.#collecting = this.#platform.setTimer(0, () => {
      this.#collecting = undefined;
      try {
        this.#mayHaveGarbage = this.#connection !== undefined && collectGarbage(this.#connection);
      } catch {
        // The next opening of the database finds the rest.
        this.#mayHaveGarbage = false;
      }
      this.rest();
    });
  }

  #createHandlers(): Handlers {
    return {
      acquire: (input) => {
        if (input.create === 'never' && !this.#isThere()) throw notInStore(input.id);
        const connection = this.#open();
        const acquire = (): Head => this.#owners.acquire(connection, input);
        const head = input.create === 'never' ? acquire() : changeWhole(input.id, acquire);
        connection.ends?.set({ id: input.id, ...head });
        this.#startHeart();
        return head;
      },
      release: (...input) => this.#owners.release(this.#open(), ...input),
      touch: (times) => this.#owners.writeTimes(this.#open(), times),
      restartLog: () => Number(this.#open().get('PRAGMA wal_checkpoint(RESTART)')?.['busy'] ?? 1) === 0,
      checkpoint: () => void this.#open().get('PRAGMA wal_checkpoint(PASSIVE)'),
      settle: (items) => this.#appender.settle(this.#open(), items),
      saveSnapshot: (input) => saveSnapshot(this.#open(), input),
      fork: (input) => {
        if (!this.#isThere()) throw notInStore(input.newId);
        const connection = this.#open();
        changeWhole(input.newId, () => fork(connection, input));
      },
      importConversation: (input) => {
        const connection = this.#open();
        changeWhole(input.id, () => importConversation(connection, input));
      },
      delete: (id) => {
        if (!this.#isThere()) return;
        const connection = this.#open();
        changeWhole(id, () => deleteConversation(connection, this.#owners, id));
        this.#mayHaveGarbage = true;
      },
      kept: (key) => readings.kept(this.#open(), key),
      find: (id) => (this.#isThere() ? readings.find(this.#open(), id) : undefined),
      head: (key) => readings.head(this.#open(), key),
      commits: (...input) => readings.commits(this.#open(), ...input),
      verify: (...input) => readings.verify(this.#open(), ...input),
      span: (...input) => readings.span(this.#open(), ...input),
      locate: (...input) => locateEvent(this.#open(), ...input),
      snapshot: (...input) => readings.snapshot(this.#open(), ...input),
      list: (input) => (this.#isThere() ? listConversations(this.#open(), input) : []),
      count: (filter) => (this.#isThere() ? countConversations(this.#open(), filter) : 0),
      changes: (...input) => changesSince(this.#open(), ...input),
      copy: (file) => copyDatabase(this.#openThere(), file),
      check: () => checkDatabase(this.#openThere()),
      incomplete: () => (this.#isThere() ? incomplete(this.#open()) : []),
      checkShared: (repair) => (this.#isThere() ? checkShared(this.#open(), repair) : []),
      checkSpans: (...input) => checkSpans(this.#open(), ...input),
      checkIds: (...input) => checkIds(this.#open(), ...input),
      checkRow: (...input) => checkRow(this.#open(), ...input),
      summaryOf: (...input) => summaryOf(this.#open(), ...input),
      rewriteSummary: (...input) => rewriteSummary(this.#open(), ...input),
      rewriteKept: (...input) => rewriteKept(this.#open(), ...input),
      removeSnapshot: (...input) => removeSnapshot(this.#open(), ...input),
      entry: (...input) => (this.#isThere() ? readEntry(this.#open(), ...input) : undefined),
      entries: (input) => (this.#isThere() ? listEntryRows(this.#open(), input) : []),
      entryVersions: (kind) => (this.#isThere() ? entryVersions(this.#open(), kind) : new Map<string, string>()),
      changeEntry: (input) => changeEntry(this.#open(), input),
      close: () => this.#close(),
    };
  }

  #isThere(): boolean {
    return this.#place !== undefined || isBegun(this.#settings.file);
  }

  #openThere(): Connection {
    if (!this.#isThere())
      throw new Refusal('NOT_FOUND', `database ${this.#settings.file} does not exist, or is empty; check its path`);
    return this.#open();
  }

  #open(): Connection {
    const { file, readOnly } = this.#settings;
    // Invariant: keys and epochs are those of one file, so a store has no connection to another one
    if (this.#isMoved()) throw replaced(file);
    if (!this.#connection) {
      refuseCut(file);
      if (readOnly) assertDatabaseFile(file);
      else makeDatabaseFile(file, this.#platform);
      this.#connection = openConnection(this.#driver, this.#settings, this.#platform);
      this.#mayHaveGarbage = !readOnly;
      this.#place = this.#connection.place;
      this.#tellPlace(this.#place);
    }
    return this.#connection;
  }

  /** True if the file of the store has lost its name. */
  #isMoved(): boolean {
    return this.#place !== undefined && placeOf(this.#settings.file) !== this.#place;
  }

  #startHeart(): void {
    this.#heart ??= timers.every(this.#platform, this.#settings.leaseTimeout / 3, () => this.#beat());
  }

  #beat(): void {
    if (!this.#owners.holdsAny) return;
    try {
      const lost = this.#isMoved() ? this.#owners.loseAll() : this.#owners.beat(this.#open());
      if (lost.length > 0) this.#tellLost(lost);
    } catch {
      // The next beat renews the heartbeat; no promise rests on it.
    }
  }

  #close(): void {
    this.#heart?.cancel();
    this.#collecting?.cancel();
    this.#mayHaveGarbage = false;
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    try {
      this.#owners.leave(connection);
    } finally {
      connection.close();
    }
  }
}
