import { StoreError, toConversationId, type Commit, type Finding } from '@conv/core/store';
import type { Incomplete } from '@conv/store-kit';
import { linesOf } from '../objects/line.ts';
import { emptyManifest, replaceManifest, type Manifest } from '../objects/manifest.ts';
import { decodePackIndex, packPlace } from '../objects/pack-index.ts';
import type { StoreContext } from '../log/reader.ts';
import { removeLog } from '../log/remove-log.ts';

/** Milliseconds without a new object, by the clock of the service, after which a fork counts as broken off. No promise rests on it. */
const BROKEN_OFF = 60 * 60_000;
/** As long for a fork that has all of its objects, because only the manifest is left to write. */
const UNFINISHED = 60_000;

/** Log without a manifest and without slots: what a fork has written before its manifest, or has left without it. */
export interface Draft {
  readonly instance: string;
  /** Names of its packs. */
  readonly packs: readonly string[];
  /** Number of its objects, packs included. */
  readonly objects: number;
  /**
   * `whole`: its last commit is the last commit of a fork, so its manifest alone is missing. `begun`: every object is whole, and that
   * commit is not there. `damaged`: neither is certain.
   */
  readonly kind: 'whole' | 'begun' | 'damaged';
  /** Epoch of its last commit. */
  readonly epoch: number;
}

/** Yields the ids, dashed UUIDs, that have a log and neither a manifest nor a tombstone. */
export async function* idsWithoutManifest({
  bucket,
  keys,
}: Pick<StoreContext, 'bucket' | 'keys'>): AsyncGenerator<string, void, undefined> {
  const ids = new Set<string>();
  for await (const page of bucket.folders(keys.allLogs))
    for (const name of page) if (/^[0-9a-f]{32}$/.test(name)) ids.add(toConversationId(name));
  // Listed after the logs, because a manifest is made before the slots of its log.
  for await (const page of bucket.list(keys.manifests)) for (const { key } of page) ids.delete(keys.idOf(key) ?? '');
  yield* ids;
}

/** Resolves with the drafts of an id that has no manifest, unless a fork may still be writing one. */
export async function draftsOf({ bucket, keys }: StoreContext, id: string): Promise<readonly Draft[]> {
  const found = new Map<string, string[]>();
  const prefix = keys.logs(id);
  for await (const page of bucket.list(prefix))
    for (const { key } of page) {
      const [instance = '', name = ''] = key.slice(prefix.length).split('/');
      if (name.startsWith('slot-')) return [];
      found.set(instance, [...(found.get(instance) ?? []), name]);
    }
  const drafts: Draft[] = [];
  for (const [instance, names] of found) {
    const packs = names.filter((name) => name.startsWith('pack-'));
    const draft = await readDraft({ bucket, keys }, id, { instance, packs, objects: names.length });
    if (!draft) return [];
    drafts.push(draft);
  }
  return drafts;
}

/** Reads a draft. Resolves `undefined` if an object is gone, or not old enough. */
async function readDraft(
  { bucket, keys }: Pick<StoreContext, 'bucket' | 'keys'>,
  id: string,
  { instance, packs, objects }: Pick<Draft, 'instance' | 'packs' | 'objects'>,
): Promise<Draft | undefined> {
  const places: { readonly seq: number; readonly toSeq: number }[] = [];
  let [isWhole, end, age] = [true, undefined as Commit | undefined, Infinity];
  for (const name of packs) {
    const object = await bucket.get(`${keys.log(id, instance)}${name}`);
    if (!object) return undefined;
    age = Math.min(age, object.age);
    const texts = [...linesOf(object.bytes)].map(({ text }) => text);
    const place = packPlace(object.bytes);
    if (!place || texts.includes(undefined) || !decodePackIndex(object.bytes.subarray(place.body))) isWhole = false;
    else places.push(place);
    const last = JSON.parse(texts.at(-2) ?? 'null') as Commit | null;
    if (last?.patch?.set?.['id'] === id) end = last;
  }
  let reached = 0;
  for (const { seq, toSeq } of places.toSorted((a, b) => a.seq - b.seq))
    if (seq <= reached) reached = Math.max(reached, toSeq);
  const isMade = end !== undefined && isWhole && reached === end.seq + 1;
  if (age < (isMade ? UNFINISHED : BROKEN_OFF)) return undefined;
  const kind = isMade ? 'whole' : end === undefined && isWhole ? 'begun' : 'damaged';
  return { instance, packs, objects, kind, epoch: end?.epoch ?? 0 };
}

/** Says what a check found of a fork without a manifest; `undefined` if it was merely begun. */
export function draftText(manifest: string, drafts: readonly Draft[]): string | undefined {
  if (drafts.some(({ kind }) => kind === 'whole'))
    return `${manifest} is not there, and the log of a whole fork is: check it with repair`;
  if (drafts.some(({ kind }) => kind === 'damaged'))
    return `${manifest} is not there, and a part of the log of a fork is: put the missing objects back from a backup, or delete the others`;
  return undefined;
}

/** Finds the forks that have all of their objects, or a part of them, and no manifest. */
export async function unmadeForks(context: StoreContext): Promise<readonly Incomplete[]> {
  const found: Incomplete[] = [];
  for await (const id of idsWithoutManifest(context)) {
    const message = draftText(context.keys.manifest(id), await draftsOf(context, id));
    if (message !== undefined) found.push({ id, part: 'manifest', message });
  }
  return found;
}

/**
 * Finds the objects of forks that broke off. `repair` removes them. First a tombstone takes the place of the manifest and names
 * their logs, so that a fork that continues nevertheless is refused and starts again.
 */
export async function checkBegunForks(context: StoreContext, repair: boolean): Promise<readonly Finding[]> {
  const { keys } = context;
  const findings: Finding[] = [];
  for await (const id of idsWithoutManifest(context)) {
    const drafts = await draftsOf(context, id);
    if (drafts.length === 0 || drafts.some(({ kind }) => kind !== 'begun')) continue;
    const objects = drafts.reduce((sum, draft) => sum + draft.objects, 0);
    const message = `${keys.logs(id)} holds ${objects} objects of a fork that broke off: check with repair removes them`;
    findings.push({
      part: 'log',
      severity: 'stale',
      message,
      repaired: repair && (await removeDrafts(context, id, drafts)),
    });
  }
  return findings;
}

/** Removes drafts. Resolves `false` if the id has got a manifest meanwhile. */
async function removeDrafts(context: StoreContext, id: string, drafts: readonly Draft[]): Promise<boolean> {
  const { bucket, keys } = context;
  const instances = drafts.map(({ instance }) => instance);
  const tombstone = { ...emptyManifest(id, context), clean: true, deleted: 'removing' as const, drafts: instances };
  const stored = await replaceManifest(bucket, keys.manifest(id), undefined, tombstone);
  return stored !== undefined && (await removeLog(context, stored)) !== undefined;
}

/** Throws `UNAVAILABLE` if the objects of a fork were removed, as its tombstone says: a repair took it for broken off. */
export function refuseRemoved({ id, instance, drafts = [] }: Manifest, fork: string): void {
  if (![instance, ...drafts].includes(fork)) return;
  throw new StoreError(
    'UNAVAILABLE',
    `conversation ${id}: a repair took this fork for broken off and removed its objects, because it had written none for an hour: fork again`,
  );
}
