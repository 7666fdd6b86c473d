import { writeSync } from 'node:fs';
import { isStoreError } from '@conv/core/store';
import { FsStore } from '../../src/index.ts';
import { Author } from './conversation-author.ts';

/**
 * A process that writes a conversation until it is killed, fenced off or has appended `limit` messages. Prints a line when it has
 * opened it and for each acknowledged commit; the last line says how it ended.
 */
const [directory = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = new FsStore({ directory });
try {
  const journal = await store.open(id, { owner: `process ${process.pid}` });
  say('opened');
  const author = new Author(id);
  if (journal.end.seq === 0) await author.begin(journal);
  let count = 0;
  const lane = async (): Promise<void> => {
    while (count < Number(limit)) {
      await author.say(journal, `message ${count++} of ${process.pid}`);
      say(author.acknowledged.at(-1)?.id ?? '');
    }
  };
  await Promise.all(Array.from({ length: Number(width) }, lane));
  await store.close();
  say('closed');
} catch (error) {
  say(isStoreError(error) ? error.code : String(error));
  process.exitCode = 1;
}
