import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { isStoreError } from '@conv/core/store';
import { FsStore } from '../../src/index.ts';

/**
 * A process that opens `count` new conversations at once, each in a store of its own. Prints a line when it is ready, waits for a
 * byte on its standard input, then prints a line for each opening.
 */
const [directory = '', count = '0'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const stores = Array.from({ length: Number(count) }, () => new FsStore({ directory }));
say('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
await Promise.all(
  stores.map((store) =>
    store.open(randomUUID(), { owner: `process ${process.pid}` }).then(
      () => say('opened'),
      (error: unknown) => say(isStoreError(error) ? `${error.code} ${error.message}` : String(error)),
    ),
  ),
);
await Promise.all(stores.map((store) => store.close()));
