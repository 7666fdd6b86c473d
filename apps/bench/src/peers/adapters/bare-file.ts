import { closeSync, copyFileSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import type { Peer, PeerStore, PeerThread } from '../peer.ts';
import { appendingRuns } from './appending-runs.ts';
import { BARE_STEP, lineOf, NO_RUNS } from './bare-row.ts';

/** The plainest durable log: a line of JSON for each message, flushed. */
export const bareFile: Peer = {
  key: 'bare-file',
  title: 'bare file',
  kind: 'files',
  synced: 'fdatasync for each append',
  packages: [],
  lacks: { resume: NO_RUNS },
  remarks: { step: BARE_STEP, writers: 'lines of both, in any order: nothing refuses the second writer' },
  load:
    async () =>
    async ({ directory }) =>
      openFile(directory),
};

function openFile(directory: string): PeerStore {
  const pathOf = (id: string): string => join(directory, `${id}.jsonl`);
  return {
    fill: async (id, texts) => {
      const file = openSync(pathOf(id), 'a');
      writeSync(file, texts.map(lineOf).join(''));
      fdatasyncSync(file);
      closeSync(file);
    },
    open: async (id) => openLog(pathOf(id)),
    fork: async (from, to) => {
      copyFileSync(pathOf(from), pathOf(to));
      const file = openSync(pathOf(to), 'r+');
      fdatasyncSync(file);
      closeSync(file);
    },
    steps: async (id, calls) => appendingRuns(openLog(pathOf(id)), calls),
    list: async () => readdirSync(directory).filter((name) => name.endsWith('.jsonl')),
    close: async () => {},
  };
}

function openLog(path: string): PeerThread {
  const file = openSync(path, 'a');
  const all = async (): Promise<readonly string[]> =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { text: string }).text);
  return {
    append: async (text) => {
      writeSync(file, lineOf(text));
      fdatasyncSync(file);
    },
    last: async (count) => (await all()).slice(-count),
    all,
    close: async () => closeSync(file),
  };
}
