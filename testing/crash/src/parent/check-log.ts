import type { LogImage } from '@conv/testing-harness';

import { digestOf } from '../report.ts';
import type { Findings } from './findings.ts';
import type { Ledger, ToldLife } from './ledger.ts';

/** Checks that the log is consistent: numbers without gaps, each id once, epochs and times ascending (P3). */
export function checkOrder({ commits, events }: LogImage, findings: Findings): void {
  let firstEvent = 0;
  let epoch = 0;
  commits.forEach(({ commit }, seq) => {
    const subject = `commit ${commit.id}`;
    if (commit.seq !== seq) findings.add('misordered', subject, `is number ${commit.seq} at place ${seq}`);
    if (commit.firstEvent !== firstEvent)
      findings.add('misordered', subject, `its first event is ${commit.firstEvent}`);
    if (commit.epoch < epoch) findings.add('misordered', subject, `epoch ${commit.epoch} follows ${epoch}`);
    firstEvent += commit.events.length;
    epoch = commit.epoch;
  });
  for (const id of repeated(commits.map(({ commit }) => commit.id)))
    findings.add('duplicated', `commit ${id}`, 'twice');
  for (const id of repeated(events.map((event) => event.id))) findings.add('duplicated', `event ${id}`, 'twice');
  events.forEach(({ id, timestamp }, index) => {
    const earlier = events[index - 1]?.timestamp ?? '';
    if (timestamp <= earlier) findings.add('misordered', `event ${id}`, `is not later than ${earlier}`);
  });
}

/** Checks that every acknowledged commit and event is in its place (P1, P4). */
export function checkAcknowledged(image: LogImage, ledger: Ledger, findings: Findings): void {
  const byId = new Map(image.commits.map(({ commit }) => [commit.id, commit]));
  for (const id of ledger.commits.keys()) {
    const commit = byId.get(id);
    if (commit) ledger.takeCommit(id, { ...commit, digest: digestOf(commit) });
    else findings.add('lost', `commit ${id}`, 'was read before');
  }
  const indices = new Map(image.events.map(({ id }, index) => [id, index]));
  for (const [life, told] of ledger.lives) checkLife(`life ${life}`, told, indices, findings);
  const queue = new Set(image.projection.fields.queue.map(({ id }) => id));
  for (const id of ledger.queued) {
    if (!indices.has(id) && !queue.has(id)) findings.add('lost', `message ${id}`, 'was queued');
  }
  const tag = Number(image.projection.fields.tags['count'] ?? 0);
  if (tag < ledger.settings.tag) findings.add('lost', `tag ${ledger.settings.tag}`, `is ${tag}`);
}

/** Returns the ids of acknowledged commits, also of commits that no reader saw but whose events were acknowledged. */
export function acknowledgedCommits(image: LogImage, ledger: Ledger): ReadonlySet<string> {
  const commitOf = new Map(image.commits.flatMap(({ commit }) => commit.events.map(({ id }) => [id, commit.id])));
  const told = [...ledger.lives.values()].flatMap(({ calls, seen }) => [
    ...calls.flatMap(({ events }) => events),
    ...seen.map(({ id }) => id),
  ]);
  return new Set([...ledger.commits.keys(), ...told.map((id) => commitOf.get(id) ?? `of event ${id}`)]);
}

function checkLife(
  name: string,
  { calls, seen }: ToldLife,
  indices: ReadonlyMap<string, number>,
  findings: Findings,
): void {
  for (const { index, id } of seen) {
    const found = indices.get(id);
    if (found === undefined) findings.add('lost', `event ${id}`, `a subscriber of ${name} was given it`);
    else if (found !== index)
      findings.add('misordered', `event ${id}`, `${name} was given it as ${index}, it is ${found}`);
  }
  let last = -1;
  for (const id of [...calls].sort((a, b) => a.call - b.call).flatMap(({ events }) => events)) {
    const found = indices.get(id);
    if (found === undefined) findings.add('lost', `event ${id}`, `${name} was acknowledged it`);
    else if (found < last) findings.add('misordered', `event ${id}`, `${name} asked for it after event ${last}`);
    last = found ?? last;
  }
}

function repeated(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}
