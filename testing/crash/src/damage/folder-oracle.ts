import { crc32 } from 'node:zlib';

import { harmed } from './harm.ts';
import type { Harm, Recording } from './target.ts';

/** Written from the description of the format, not with its code. */
const HEADER = 44;

interface Place {
  readonly seq: number;
  readonly begin: number;
  readonly end: number;
  readonly commit: boolean;
}

/** The commits whose frames the harms change or cut. */
export function destroyedIn(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
  const destroyed = new Set<number>();
  for (const [unit, bytes] of recording.units) {
    if (!unit.endsWith('.wal')) continue;
    const now = harmed(unit, bytes, harms);
    for (const { seq, begin, end, commit } of placesIn(bytes))
      if (commit && !now.subarray(begin, end).equals(bytes.subarray(begin, end))) destroyed.add(seq);
  }
  return destroyed;
}

/** Those of which a later frame, owner.json, base_state.json or an event file shows that they were there. */
export function provenIn(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
  const destroyed = destroyedIn(recording, harms);
  const { commits } = recording.life;
  let shown = -1;
  for (const { seq } of commits) if (!destroyed.has(seq)) shown = Math.max(shown, seq);
  for (const [unit, bytes] of recording.units) {
    const now = harmed(unit, bytes, harms);
    if (!now.equals(bytes)) continue;
    if (unit.endsWith('owner.json')) shown = Math.max(shown, seqIn(now) - 1);
    if (unit === 'base_state.json') shown = Math.max(shown, seqIn(now, 'conv') - 1);
  }
  const events = new Set<string>();
  for (const [unit, bytes] of recording.units)
    if (unit.startsWith('events/') && harmed(unit, bytes, harms).equals(bytes))
      events.add((JSON.parse(bytes.toString()) as { id: string }).id);
  const proven = commits.filter(
    (commit) => destroyed.has(commit.seq) && (commit.seq <= shown || commit.events.some(({ id }) => events.has(id))),
  );
  return new Set(proven.map(({ seq }) => seq));
}

function seqIn(bytes: Buffer, member?: string): number {
  const all = JSON.parse(bytes.toString()) as Record<string, { seq?: number }> & { seq?: number };
  return (member === undefined ? all.seq : all[member]?.seq) ?? 0;
}

/** Returns the places of the frames in a whole file. Throws for a damaged file, because the recording is wrong then. */
function placesIn(bytes: Buffer): readonly Place[] {
  const places: Place[] = [];
  for (let begin = 0; begin < bytes.length;) {
    const end = begin + HEADER + bytes.readUInt32LE(begin + 4);
    if (crc32(bytes.subarray(begin, begin + 40)) !== bytes.readUInt32LE(begin + 40))
      throw new TypeError(`the recorded log has no frame at byte ${begin}`);
    places.push({ seq: bytes.readUIntLE(begin + 16, 6), begin, end, commit: bytes[begin + 38] === 1 });
    begin = end;
  }
  return places;
}
