import { inject, onTestFinished } from 'vitest';
import { PostgresStore, type PostgresStoreSettings } from '../src/index.ts';
import { freshSchema } from './fresh-schema.ts';

/** A store on the server of the run, or another one; closed when the test is over. */
export function openStore({
  url = inject('postgresUrl'),
  schema = freshSchema(),
  ...settings
}: PostgresStoreSettings & { readonly url?: string } = {}): { readonly store: PostgresStore; readonly schema: string } {
  const store = new PostgresStore({ connectionString: url, schema, ...settings });
  onTestFinished(() => store.close());
  return { store, schema };
}
