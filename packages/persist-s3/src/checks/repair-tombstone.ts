import { isStoreError, StoreError, type Finding } from '@conv/core/store';
import { emptyManifest, parseManifest, replaceManifest, type Manifest } from '../objects/manifest.ts';
import type { StoreContext } from '../log/reader.ts';
import { isSealed } from '../objects/sealed-json.ts';
import { decodeSlot, type SlotHeader } from '../objects/slot.ts';

/** The members that only a tombstone has. In a title their quotes would be escaped. */
const MARKS = ['"deleted":"removed"', '"deleted":"removing"'];

/**
 * Writes the damaged tombstone of a deleted conversation again, with the fences that are left of its log. Resolves `undefined` for a
 * whole manifest, for a manifest that is no tombstone, and if the log has commits, because then the conversation can be restored.
 * Rejects `UNAVAILABLE` if another process changed it meanwhile.
 */
export async function repairTombstone(context: StoreContext, id: string): Promise<Finding | undefined> {
  const { bucket, keys } = context;
  const key = keys.manifest(id);
  const object = await bucket.get(key);
  const damage = object && damageOf(object.bytes, key);
  if (!damage) return undefined;
  const text = object.bytes.toString('latin1');
  const fences = MARKS.some((mark) => hasAlmost(text, mark)) ? await fencesOf(context, id) : undefined;
  if (!fences) return undefined;
  const tombstone = tombstoneWith(fences, text, emptyManifest(id, context));
  if (!(await replaceManifest(bucket, key, { etag: object.etag }, tombstone)))
    throw new StoreError('UNAVAILABLE', `${key} was changed by another process; check it again`, { cause: damage });
  const message = `${key} is damaged; it says that its conversation was deleted, and no commit is left`;
  return { part: 'manifest', severity: 'damaged', message, repaired: true };
}

/** Returns the error of a manifest whose bytes changed; `undefined` if they are whole, also as the manifest of another conversation. */
function damageOf(bytes: Buffer, key: string): StoreError | undefined {
  if (isSealed(bytes)) return undefined;
  try {
    parseManifest(bytes, key);
    return undefined;
  } catch (error) {
    return isStoreError(error, 'CORRUPT') ? error : undefined;
  }
}

/** A slot that a deletion left. */
interface Fence extends SlotHeader {
  readonly instance: string;
}

/** Finds the slots that are left of the logs of an id. Resolves `undefined` if one has commits or cannot be read, or if packs are left. */
async function fencesOf({ bucket, keys }: StoreContext, id: string): Promise<readonly Fence[] | undefined> {
  const prefix = keys.logs(id);
  const fences: Fence[] = [];
  for await (const page of bucket.list(prefix))
    for (const { key } of page) {
      const [instance = '', name = ''] = key.slice(prefix.length).split('/');
      if (name.startsWith('pack-')) return undefined;
      if (!name.startsWith('slot-')) continue;
      const object = await bucket.get(key);
      const header = object && decodeSlot(object.bytes).header;
      if (!header || header.kind === 'commits') return undefined;
      fences.push({ ...header, instance });
    }
  return fences;
}

function tombstoneWith(fences: readonly Fence[], text: string, empty: Manifest): Manifest {
  const [, told] = /"instance":"([\w-]+)"/.exec(text) ?? [];
  const instance = fences.find((fence) => fence.instance === told)?.instance ?? fences[0]?.instance ?? empty.instance;
  const [, epoch = '0'] = /"epoch":(\d{1,9})\D/.exec(text) ?? [];
  return {
    ...empty,
    instance,
    // higher than all before, so that no former owner passes for the next one
    epoch: Math.max(Number(epoch), ...fences.map((fence) => fence.epoch)) + 1,
    clean: true,
    fences: fences.filter((fence) => fence.instance === instance).map(({ slot }) => slot),
    deleted: 'removed',
  };
}

/** True if a text holds a word in which at most one character is another. */
function hasAlmost(text: string, word: string): boolean {
  for (let at = 0; at + word.length <= text.length; at++) {
    let wrong = 0;
    for (let offset = 0; offset < word.length && wrong < 2; offset++) if (text[at + offset] !== word[offset]) wrong++;
    if (wrong < 2) return true;
  }
  return false;
}
