import { folderTarget } from './folder-target.ts';
import { postgresTarget } from './postgres-target.ts';
import { s3Target } from './s3-target.ts';
import { sqliteTarget } from './sqlite-target.ts';
import type { DamageTarget } from './target.ts';

/** The stores that can be harmed, by the name that `--store` takes. */
export const TARGETS: {
  readonly fs: () => Promise<DamageTarget>;
  readonly sqlite: () => Promise<DamageTarget>;
  readonly postgres: () => Promise<DamageTarget>;
  readonly s3: () => Promise<DamageTarget>;
} = { fs: folderTarget, sqlite: sqliteTarget, postgres: postgresTarget, s3: s3Target };
