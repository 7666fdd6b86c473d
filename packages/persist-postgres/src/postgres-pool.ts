/** Statement and its values. */
export interface PostgresQuery {
  readonly text: string;
  readonly values: unknown[];
}

/** Connection of a {@link PostgresPool}. */
export interface PostgresConnection {
  /** Runs one statement; rejects as `pg` does. */
  query(query: PostgresQuery): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** Calls back when the connection breaks while nothing runs on it. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Ends the calls of a listener. */
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Gives the connection back to the pool; with `true` closes it. */
  release(destroy?: boolean): void;
}

/** Members of a `Pool` of the package `pg` that the store uses. */
export interface PostgresPool {
  /** Resolves with a connection, which `release` gives back. */
  connect(): Promise<PostgresConnection>;
  /** Calls back when an idle connection breaks. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Ends the calls of a listener. */
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Closes every connection. */
  end(): Promise<void>;
}

/** Row. The pool's type parsers decide which of these types a column has. */
export type Row = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>;

/** Runs one statement. */
export type Query = (text: string, values: unknown[]) => Promise<readonly Row[]>;
