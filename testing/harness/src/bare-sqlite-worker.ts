import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The least that a durable write can be, for benchmarks: one row for each body, one transaction for each message. */
const database = new DatabaseSync(workerData as string);
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE rows (key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO rows (body) VALUES (?)');

parentPort?.on('message', (bodies: readonly string[]) => {
  // one row is a transaction by itself
  const isMany = bodies.length > 1;
  if (isMany) database.exec('BEGIN IMMEDIATE');
  for (const body of bodies) insert.run(body);
  if (isMany) database.exec('COMMIT');
  parentPort?.postMessage(bodies.length);
});
