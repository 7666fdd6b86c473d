import { writeConversation } from '@conv/testing-harness';
import { PostgresStore } from '../src/index.ts';

const [connectionString = '', schema = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);
const store = new PostgresStore({ connectionString, schema });
await writeConversation(store, { id, limit: Number(limit), width: Number(width) });
