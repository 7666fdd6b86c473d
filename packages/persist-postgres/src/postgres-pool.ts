/** A statement and its values. */
export interface PostgresQuery {
  readonly text: string;
  readonly values: unknown[];
}

/** A connection of a {@link PostgresPool}. */
export interface PostgresConnection {
  /** Runs one statement; rejects as `pg` does. */
  query(query: PostgresQuery): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** Hears of a connection that breaks while nothing runs on it. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Hears no more. */
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Gives it back; with `true` it is closed. */
  release(destroy?: boolean): void;
}

/** What is used of a `Pool` of the package `pg`. */
export interface PostgresPool {
  /** A connection to work with, given back by `release`. */
  connect(): Promise<PostgresConnection>;
  /** Hears of a connection that breaks while nothing runs on it. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Hears no more. */
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Closes every connection. */
  end(): Promise<void>;
}

/** A row. Which of these types a column has is up to the pool's type parsers. */
export type Row = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>;

/** Runs one statement on something. */
export type Query = (text: string, values: unknown[]) => Promise<readonly Row[]>;
