import type { Commit } from '@conv/core/store';

import type { Findings } from './findings.ts';

/** Reports to all writers of one conversation. */
export interface ToldWriters {
  readonly stored: { readonly seq: number; readonly id: string; readonly epoch: number }[];
  /** Ids of commits that were reported as not stored. */
  readonly refused: string[];
}

/** Checks that every acknowledged commit is there once and at its number, no refused commit is, and owners follow each other. */
export function checkStored(commits: readonly Commit[], told: ToldWriters, findings: Findings): void {
  const places = new Map<string, number>();
  let epoch = 0;
  commits.forEach((commit, at) => {
    const subject = `commit ${commit.id}`;
    if (places.has(commit.id)) findings.add('duplicated', subject, 'twice');
    places.set(commit.id, at);
    if (commit.seq !== at) findings.add('misordered', subject, `is number ${commit.seq} at place ${at}`);
    if (commit.epoch < epoch) findings.add('misordered', subject, `epoch ${commit.epoch} follows ${epoch}`);
    epoch = commit.epoch;
  });
  for (const { id, seq, epoch: owner } of told.stored) {
    const place = places.get(id);
    if (place === undefined) findings.add('lost', `commit ${id}`, `was acknowledged as ${seq} in epoch ${owner}`);
    else if (place !== seq) findings.add('misordered', `commit ${id}`, `was acknowledged as ${seq}, is ${place}`);
    else if (commits[place]?.epoch !== owner)
      findings.add('misordered', `commit ${id}`, `was acknowledged in epoch ${owner}, is in ${commits[place]?.epoch}`);
  }
  for (const id of told.refused)
    if (places.has(id))
      findings.add('duplicated', `commit ${id}`, 'was refused, and whoever makes it again has it twice');
}
