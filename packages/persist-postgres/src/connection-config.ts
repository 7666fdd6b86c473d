import type { ClientConfig } from 'pg';
import type { PostgresStoreOptions } from './store-options.ts';

/** Returns the configuration of the store's own connections. */
export function connectionOf({ connectionString, ssl }: PostgresStoreOptions): ClientConfig {
  return { ...(connectionString === undefined ? {} : { connectionString }), ...(ssl === undefined ? {} : { ssl }) };
}

/** Returns the configuration of the listening connection; `undefined` when the store does not listen. */
export function listenTo(options: PostgresStoreOptions): ClientConfig | undefined {
  const { listen, pool } = options;
  if (listen === false) return undefined;
  if (listen !== undefined) return { ...connectionOf(options), connectionString: listen };
  if (!pool) return connectionOf(options);
  return 'options' in pool && typeof pool.options === 'object' && pool.options !== null ? pool.options : undefined;
}
