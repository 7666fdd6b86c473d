import { inject, onTestFinished } from 'vitest';
import { PostgresStore, type PostgresStoreSettings } from '../src/index.ts';
import { freshSchema } from './fresh-schema.ts';

/** Opens a store on the server of the test run, or on another server; closes it when the test ends. */
export function openStore({
  url = inject('postgresUrl'),
  schema = freshSchema(),
  ...settings
}: PostgresStoreSettings & { readonly url?: string } = {}): { readonly store: PostgresStore; readonly schema: string } {
  const store = new PostgresStore({ connectionString: url, schema, ...settings });
  onTestFinished(() => store.close());
  return { store, schema };
}
