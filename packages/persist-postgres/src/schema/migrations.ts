import { createConversationFunctions } from './conversation-functions.ts';
import { createKept } from './kept.ts';
import { createOwnerFunctions } from './owner-functions.ts';
import { createRemovedLogs } from './removed-logs.ts';
import { createSeals } from './seals.ts';
import { createSingleAppends } from './single-appends.ts';
import { createTables } from './tables.ts';
import { createWriteFunctions } from './write-functions.ts';

/** Makes the SQL of one step to the next version of the schema with this quoted name. */
export type Migration = (schema: string) => string;

/** Steps to the schema, one per version. A released step never changes. */
export const migrations: readonly Migration[] = [
  (schema) =>
    [
      createTables(schema),
      createWriteFunctions(schema),
      createOwnerFunctions(schema),
      createConversationFunctions(schema),
    ].join('\n'),
  (schema) => `CREATE INDEX summaries_by_parent ON ${schema}.summaries (parent_id) WHERE parent_id IS NOT NULL;`,
  createSeals,
  createKept,
  createRemovedLogs,
  createSingleAppends,
];
