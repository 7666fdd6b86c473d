import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The least that a durable write can be: one row, one transaction. */
const database = new DatabaseSync(workerData as string);
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE rows (key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO rows (body) VALUES (?)');

parentPort?.on('message', (body: string) => {
  insert.run(body);
  parentPort?.postMessage('stored');
});
