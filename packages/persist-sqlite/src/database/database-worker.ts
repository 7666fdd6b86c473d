import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadSettings } from './database-server.ts';
import { serveDatabase } from './serve-database.ts';

/** For programs that serve a database in a thread of their own; nothing starts where there is no parent. @public */
export { serveDatabase };

if (parentPort) await serveDatabase(parentPort, workerData as ThreadSettings);
