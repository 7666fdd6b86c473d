import { writeSync } from 'node:fs';
import { isStoreError } from '@conv/core/store';
import { PostgresStore } from '../src/index.ts';
import { Author } from './conversation-author.ts';

/**
 * Writes a conversation until it is killed, is fenced or has appended `limit` messages. Prints a line when it has opened the
 * conversation and for each acknowledged commit; the last line tells how it ended.
 */
const [connectionString = '', schema = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = new PostgresStore({ connectionString, schema });
try {
  const journal = await store.open(id, { owner: `process ${process.pid}` });
  say('opened');
  const author = new Author(id);
  if (journal.end.seq === 0) say((await author.begin(journal)).id);
  let count = 0;
  const lane = async (): Promise<void> => {
    while (count < Number(limit)) say((await author.say(journal, `message ${count++} of ${process.pid}`)).id);
  };
  await Promise.all(Array.from({ length: Number(width) }, lane));
  await store.close();
  say('closed');
} catch (error) {
  say(isStoreError(error) ? error.code : String(error));
  process.exitCode = 1;
  await store.close();
}
