import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The least that a durable write can be: one row of the same bytes, one transaction. */
const database = new DatabaseSync(workerData as string);
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE rows (key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO rows (body) VALUES (?)');

parentPort?.on('message', (bodies: readonly string[]) => {
  database.exec('BEGIN IMMEDIATE');
  for (const body of bodies) insert.run(body);
  database.exec('COMMIT');
  parentPort?.postMessage(bodies.length);
});
