import { writeConversation } from '@conv/testing-harness';
import { SqliteStore } from '../src/index.ts';

const [file = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);
await writeConversation(new SqliteStore({ file }), {
  id,
  limit: Number(limit),
  width: Number(width),
  line: (commit) => `${commit.seq} ${commit.id}`,
});
