// Breaks a long line, with the memory that its starter allows.
import { parentPort, workerData } from 'node:worker_threads';

import { wrap } from '../src/text/wrap.ts';

const { text, bytes, columns } = workerData as {
  readonly text: string;
  readonly bytes: number;
  readonly columns: number;
};
const line = text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
parentPort?.postMessage(wrap([{ text: line, styles: [] }], columns).length);
