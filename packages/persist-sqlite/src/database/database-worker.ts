import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadSettings } from './database-server.ts';
import { serveDatabase } from './serve-database.ts';

if (parentPort) await serveDatabase(parentPort, workerData as ThreadSettings);
