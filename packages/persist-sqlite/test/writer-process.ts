import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { initialFields } from '@conv/core';
import { isStoreError } from '@conv/core/store';
import { SqliteStore } from '../src/index.ts';
import { message } from './conversation-author.ts';

/**
 * Writes a conversation until it is killed, is fenced or has appended `limit` messages. Prints a line when it has opened the
 * conversation and for each acknowledged commit; the last line tells how it ended.
 */
const [file = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);

/** Writes synchronously, so that a line printed before the process is killed has arrived. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The pipe is full until its reader reads.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

const store = new SqliteStore({ file });
try {
  const journal = await store.open(id, { owner: `process ${process.pid}` });
  say('opened');
  let left = Number(limit);
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const commit = { id: randomUUID(), events: [message(`of ${process.pid}`, null)] };
      const { seq } = await journal.append(commit, { ...initialFields, id });
      say(`${seq} ${commit.id}`);
    }
  };
  await Promise.all(Array.from({ length: Number(width) }, lane));
  await store.close();
  say('closed');
} catch (error) {
  say(isStoreError(error) ? error.code : String(error));
  process.exitCode = 1;
}
