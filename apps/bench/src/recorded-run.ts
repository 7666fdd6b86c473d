import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import type { Figure } from './figure.ts';
import { recordRatios, type RecordedRatios } from './guard.ts';

/** The last committed run. */
export const RECORDED: string = join(import.meta.dirname, '../baseline.json');

interface RecordedRun {
  /** Day, such as `2026-11-30`. */
  readonly date: string;
  readonly node: string;
  readonly processor: string;
  readonly ratios: RecordedRatios;
}

/** Returns the ratios of the last committed run; none where there is no run. */
export function recordedRatios(path: string): RecordedRatios {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RecordedRun).ratios : {};
}

/** Writes the ratios of some rounds in place of the last committed run; figures that were not measured keep theirs. */
export function writeRecorded(path: string, rounds: readonly (readonly Figure[])[]): void {
  const run: RecordedRun = {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    ratios: recordRatios(rounds, recordedRatios(path)),
  };
  writeFileSync(path, `${JSON.stringify(run, undefined, 2)}\n`);
}
