import type { ClientConfig } from 'pg';
import type { PostgresStoreOptions } from './store-options.ts';

/** How the store's own connections are made. */
export function connectionOf({ connectionString, ssl }: PostgresStoreOptions): ClientConfig {
  return { ...(connectionString === undefined ? {} : { connectionString }), ...(ssl === undefined ? {} : { ssl }) };
}

/** How the connection that listens is made; `undefined` when there is none. */
export function listenTo(options: PostgresStoreOptions): ClientConfig | undefined {
  const { listen, pool } = options;
  if (listen === false) return undefined;
  if (listen !== undefined) return { ...connectionOf(options), connectionString: listen };
  if (!pool) return connectionOf(options);
  return 'options' in pool && typeof pool.options === 'object' && pool.options !== null ? pool.options : undefined;
}
