import type { Kept } from './postgres-rows.ts';
import type { Harm, Recording } from './target.ts';

/** The commits whose rows are harmed or gone, and those of a span of a fork whose row is. */
export function destroyedInRows({ life }: Recording, rows: Kept, harms: readonly Harm[]): ReadonlySet<number> {
  const key = rows.heads.find(({ id }) => id === life.id)?.['key'];
  const spans = rows.inherited.filter((span) => span['key'] === key);
  const destroyed = new Set<number>();
  for (const { unit } of harms) {
    const [table, at = ''] = unit.split('/');
    if (table === 'inherited') {
      const span = rows.inherited[Number(at)];
      if (span?.['key'] !== key) continue;
      for (let seq = Number(span?.['first_seq']); seq < Number(span?.['end_seq']); seq++) destroyed.add(seq);
    }
    if (table !== 'commits') continue;
    const row = rows.commits[Number(at)];
    const seq = Number(row?.['seq']);
    const { log } = spans.find(({ first_seq, end_seq }) => Number(first_seq) <= seq && seq < Number(end_seq)) ?? {
      log: key,
    };
    if (row?.['log'] === log) destroyed.add(seq);
  }
  return destroyed;
}

/** Returns the destroyed commits that the conversation's row or a later whole commit proves. */
export function provenInRows(recording: Recording, rows: Kept, harms: readonly Harm[]): ReadonlySet<number> {
  const destroyed = destroyedInRows(recording, rows, harms);
  const isHeadWhole = !harms.some(({ unit }) => unit.startsWith('heads/'));
  const { commits } = recording.life;
  const left = commits.map(({ seq }) => seq as number).filter((seq) => !destroyed.has(seq));
  const shown = isHeadWhole ? commits.length : Math.max(-1, ...left);
  return new Set([...destroyed].filter((seq) => seq < shown));
}
