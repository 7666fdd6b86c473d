import { SqliteStore } from '../src/index.ts';
import { Author } from '@conv/testing-harness';

/** Leaves its store open and has nothing more to do. */
const store = new SqliteStore({ file: process.argv[2] ?? '' });
const author = new Author();
const journal = await store.open(author.id, { owner: 'idle' });
await author.begin(journal);
await author.say(journal, 'hello');
process.stdout.write('appended\n');
