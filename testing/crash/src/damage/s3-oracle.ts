import { crc32 } from 'node:zlib';

import { harmed, isGone } from './harm.ts';
import type { Harm, Recording } from './target.ts';

/** Written from the description of the format, not with its code. */
interface Manifest {
  readonly id: string;
  readonly instance: string;
  readonly packs: readonly {
    readonly name: string;
    readonly seq: number;
    readonly toSeq: number;
    readonly body: number;
  }[];
  readonly packed: { readonly slot: number; readonly seq: number };
  readonly end: { readonly slot: number; readonly seq: number };
}

interface Lines {
  /** Numbers of the commits whose lines are whole. */
  readonly commits: ReadonlySet<number>;
  /** The end of the log according to the header. */
  readonly end: number;
}

/** Returns the commits without a whole line in the objects from which they are read. */
export function destroyedOnS3(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
  const manifest = manifestOf(recording);
  const prefix = logOf(recording, manifest);
  const left = new Set<number>();
  for (const { name, body } of manifest.packs)
    for (const seq of linesIn(now(recording, `${prefix}${name}`, harms)?.subarray(0, body)).commits) left.add(seq);
  for (const [key] of recording.units) {
    const slot = slotOf(key, prefix);
    if (slot === undefined || slot <= manifest.packed.slot) continue;
    for (const seq of linesIn(now(recording, key, harms)).commits) left.add(seq);
  }
  return new Set(recording.life.commits.map(({ seq }) => seq).filter((seq) => !left.has(seq)));
}

/** Those of which the manifest, a sign of life, the snapshot, a later object or their own header shows that they were there. */
export function provenOnS3(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
  const manifest = manifestOf(recording);
  const prefix = logOf(recording, manifest);
  const ends = [0];
  let before = 0;
  for (const [key, bytes] of [...recording.units].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const bytesNow = now(recording, key, harms);
    if (!bytesNow) continue;
    const isWhole = bytesNow.equals(bytes);
    if (key.startsWith('manifests/') && isWhole && key.includes(manifest.id.replaceAll('-', '')))
      ends.push(manifest.end.seq);
    if (key.startsWith('servers/') && isWhole) ends.push(signed(bytes, manifest));
    if (key === `${prefix}snapshot` && isWhole)
      ends.push((JSON.parse(bytes.toString().slice(9)) as { seq: number }).seq);
    if (slotOf(key, prefix) === undefined) continue;
    const { commits, end } = linesIn(bytesNow);
    // An existing slot held something: its writer had at least one acknowledged commit, unless the slot is a fence.
    ends.push(end, ...[...commits].map((seq) => seq + 1));
    before = Math.max(before, end);
  }
  const shown = Math.max(...ends);
  return new Set([...destroyedOnS3(recording, harms)].filter((seq) => seq < shown));
}

function now({ units }: Recording, key: string, harms: readonly Harm[]): Buffer | undefined {
  const bytes = units.get(key);
  return bytes && !isGone(key, harms) ? harmed(key, bytes, harms) : undefined;
}

function manifestOf({ units, life }: Recording): Manifest {
  const bytes = units.get(`manifests/${life.id.replaceAll('-', '')}.json`);
  if (!bytes) throw new TypeError('the recording has no manifest');
  return JSON.parse(bytes.toString()) as Manifest;
}

function logOf({ life }: Recording, { instance }: Manifest): string {
  return `logs/${life.id.replaceAll('-', '')}/${instance}/`;
}

function slotOf(key: string, prefix: string): number | undefined {
  return key.startsWith(`${prefix}slot-`) ? Number(key.slice(prefix.length + 5)) : undefined;
}

function signed(bytes: Buffer, { id }: Manifest): number {
  const { ends = [] } = JSON.parse(bytes.toString()) as { readonly ends?: readonly { id: string; seq: number }[] };
  return ends.find((one) => one.id === id)?.seq ?? 0;
}

/** Returns the whole lines of an object: eight hex digits of a CRC-32, a blank, JSON, a line feed. */
function linesIn(bytes: Buffer = Buffer.alloc(0)): Lines {
  const commits = new Set<number>();
  let end = 0;
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(10, at);
    const line = feed < 0 ? Buffer.alloc(0) : bytes.subarray(at, feed);
    at = feed < 0 ? bytes.length : feed + 1;
    if (line.length < 9 || line.toString('latin1', 0, 8) !== crc32(line.subarray(9)).toString(16).padStart(8, '0'))
      continue;
    const { seq, id, kind, commits: count } = JSON.parse(line.toString('utf8', 9)) as Record<string, unknown>;
    if (typeof kind === 'string') end = Number(seq) + Number(count);
    else if (typeof id === 'string') commits.add(Number(seq));
  }
  return { commits, end };
}
