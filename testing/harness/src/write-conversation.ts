import { writeSync } from 'node:fs';
import { isStoreError, type Commit, type ConversationStore } from '@conv/core/store';
import { Author } from './conversation-author.ts';

/** The work of {@link writeConversation}. */
export interface Writing {
  readonly id: string;
  /** Messages to append. */
  readonly limit: number;
  /** Appends at the same time. */
  readonly width: number;
  /** Returns the line of an acknowledged commit. Default: its id. */
  readonly line?: (commit: Commit) => string;
}

/**
 * The program of a {@link WriterProcess}: writes a conversation until this process is killed, is fenced or has appended all. Prints a
 * line when it has opened the conversation and for each acknowledged commit; the last line tells how it ended.
 */
export async function writeConversation(
  store: ConversationStore,
  { id, limit, width, line = (commit) => commit.id }: Writing,
): Promise<void> {
  try {
    const journal = await store.open(id, { owner: `process ${process.pid}` });
    say('opened');
    const author = new Author(id);
    if (journal.end.seq === 0) say(line(await author.begin(journal)));
    let count = 0;
    const lane = async (): Promise<void> => {
      while (count < limit) say(line(await author.say(journal, `message ${count++} of ${process.pid}`)));
    };
    await Promise.all(Array.from({ length: width }, lane));
    await store.close();
    say('closed');
  } catch (error) {
    say(isStoreError(error) ? error.code : String(error));
    process.exitCode = 1;
    await store.close();
  }
}

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
