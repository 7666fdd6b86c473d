import type { StateFields } from '@conv/core';
import { isStoreError } from '@conv/core/store';
import type { Platform, Timer } from '@conv/core/platform';
import { keptIn, keptText, settingsText } from '@conv/store-kit';
import type { Bucket } from '../bucket/bucket.ts';
import type { Finding, Report } from './finding.ts';
import type { LogObjects } from '../log/log-objects.ts';
import type { Manifest, Pack } from '../objects/manifest.ts';
import type { ManifestCell } from './manifest-cell.ts';
import { packKey } from '../bucket/object-keys.ts';
import { packSlots } from '../log/packer.ts';
import type { Place } from '../objects/place.ts';
import { saysTheSame, summaryOf, type Summary } from '../objects/summary.ts';
import type { LimitedTurns } from '../bucket/limited-turns.ts';

/** Slots without a pack, or bytes in them, from which a pack is made. */
const PACKED_SLOTS = 56;
const PACKED_BYTES = 1024 * 1024;
/** Slots without a pack, or bytes in them, beyond which appends wait for the pack that is being made. */
const MOST_SLOTS = 96;
const MOST_BYTES = 16 * 1024 * 1024;
/** New slots after which packing is tried again when it failed. */
const SLOTS_UNTIL_RETRY = 16;
/** Milliseconds until a replaced pack is deleted. A reader that still needs it then finds the pack that replaced it. */
const REPLACED_FOR = 15 * 60_000;
/** Milliseconds after which the summary follows the state; at once when a run begins, which others may have to resume. */
const SUMMARY_DELAY = 5000;
/** Milliseconds after which the time of the last change follows alone: it costs a mark (docs/decisions/0206-lists-of-s3-are-shared.md). */
const TIME_DELAY = 60_000;

export interface UpkeepParts {
  readonly bucket: Bucket;
  readonly platform: Platform;
  readonly objects: LogObjects;
  readonly cell: ManifestCell;
  /** Limits packing for all journals of a store together, because packing takes memory. */
  readonly packing: LimitedTurns;
  readonly report: Report;
  /** Slots in which earlier owners find that they were taken over from. */
  readonly fences: readonly number[];
  /** Returns the durable end of the log. */
  readonly place: () => Place;
  /** Called when another owner has the manifest. */
  readonly onFenced: (reason: unknown) => void;
}

/** Makes packs, writes the summary, gives up ownership. Failures are findings and never fail an append. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  #latest: { readonly fields: StateFields; readonly seq: number; readonly at: number } | undefined;
  /** Settings as of the last commit, and those in the copy that the manifest holds. */
  #settings: string | undefined;
  #keptSettings: string | undefined;
  #bytes = 0;
  #packing: Promise<void> | undefined;
  #packFrom = 0;
  #summary: { readonly timer: Timer; readonly isUrgent: boolean } | undefined;
  #writing: Promise<void> | undefined;
  #ending = false;
  /** True if the last attempt failed, so the next one is not urgent. */
  #summaryFails = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    const { id, kept } = parts.cell.value;
    const [found] = keptIn(kept, id);
    this.#keptSettings = found && settingsText(found.fields, id);
  }

  get manifest(): Manifest {
    return this.#parts.cell.value;
  }

  /** Nonces of the manifests that may name this owner once its journal is closed; none if it was released or lost. */
  unreleased(isLost: boolean): readonly string[] {
    return isLost || this.manifest.owner === null ? [] : this.#parts.cell.nonces;
  }

  /** State as of the last commit; `undefined` before the first one of this ownership. */
  get fields(): StateFields | undefined {
    return this.#latest?.fields;
  }

  /** Resolves when there is room for another slot. */
  async room(): Promise<void> {
    if (this.#unpacked > MOST_SLOTS || this.#bytes > MOST_BYTES) await this.#packing;
  }

  /**
   * Notes that commits with this number of bytes were stored, and the state after them. If they changed settings, resolves once
   * the manifest has a copy of these, or the copy cannot be written. Without a copy, losing these commits would make the
   * conversation less strict (docs/decisions/0064-settings-are-acknowledged-with-their-copy.md).
   */
  async stored(bytes: number, fields: StateFields): Promise<void> {
    const { platform, place } = this.#parts;
    this.#bytes += bytes;
    this.#latest = { fields, seq: place().seq, at: platform.now() };
    this.#settings = settingsText(fields, this.manifest.id);
    if (this.#isDue && !this.#packing && place().slot >= this.#packFrom) this.#packing = this.#pack();
    if (this.#settings === this.#keptSettings || this.#summaryFails) return this.#followWithSummary();
    this.#summary?.timer.cancel();
    this.#summary = undefined;
    this.#summaryFails = !(await this.#attempt('summaryFailed', () => this.#update((manifest) => manifest)));
    this.#followWithSummary();
  }

  /** Replaces a damaged pack by a whole one. The damaged pack stays for a while for its readers. */
  async replacePack(damaged: Pack, whole: Pack): Promise<void> {
    await this.#packing;
    const replaced = { name: damaged.name, since: this.#parts.platform.now() };
    await this.#update((manifest) => ({
      ...manifest,
      packs: manifest.packs.map((pack) => (pack.name === damaged.name ? whole : pack)),
      replaced: [...manifest.replaced, replaced],
    }));
  }

  /** Rewrites the summary for lists, and the copy of the settings, from the state at the end of the log. */
  async restate(fields: StateFields): Promise<void> {
    const { platform, place } = this.#parts;
    this.#latest = { fields, seq: place().seq, at: platform.now() };
    this.#settings = settingsText(fields, this.manifest.id);
    await this.#update((manifest) => manifest, 0);
  }

  /**
   * Waits for the work under way, and gives the conversation up. `clean` means that the outcome of every write is known. Writes
   * nothing if the journal is lost.
   */
  async end({ clean, lost }: { readonly clean: boolean; readonly lost: boolean }): Promise<void> {
    this.#ending = true;
    this.#summary?.timer.cancel();
    await this.#packing;
    await this.#writing;
    if (lost) return;
    await this.#attempt('releaseFailed', () => this.#update((manifest) => ({ ...manifest, owner: null, clean }), 0));
  }

  get #unpacked(): number {
    return this.#parts.place().slot - this.manifest.packed.slot;
  }

  get #isDue(): boolean {
    return this.#unpacked >= PACKED_SLOTS || this.#bytes >= PACKED_BYTES;
  }

  async #pack(): Promise<void> {
    const { packing, place } = this.#parts;
    this.#packFrom = place().slot + SLOTS_UNTIL_RETRY;
    while (this.#isDue) {
      const done = await this.#attempt('packFailed', () => packing.run(() => this.#packTo(place())));
      if (!done) break;
      this.#packFrom = 0;
    }
    this.#packing = undefined;
  }

  async #packTo(to: Place): Promise<void> {
    const { bucket, objects, platform } = this.#parts;
    const { manifest } = this;
    const { packs, replaced, packed, bytes } = await packSlots(bucket, objects, manifest, to);
    const since = platform.now();
    const isOld = (pack: { readonly since: number }): boolean => since - pack.since >= REPLACED_FOR;
    const old = manifest.replaced.filter(isOld).map(({ name }) => packKey(objects.log, name));
    if (old.length > 0) await bucket.remove(old);
    const added = replaced.map(({ name }) => ({ name, since }));
    const kept = [...manifest.replaced.filter((pack) => !isOld(pack)), ...added];
    await this.#update((current) => ({ ...current, packs, packed, replaced: kept }));
    this.#bytes = this.#unpacked === 0 ? 0 : Math.max(0, this.#bytes - bytes);
  }

  /** Schedules the summary for lists when it differs from the state: soon, or at once when it may not wait. */
  #followWithSummary(): void {
    const { summary } = this.manifest;
    const fresh = this.#newSummary();
    // a write under way may carry an older summary; `#writeSummary` compares again when it ends
    const isKept = this.#settings === undefined || this.#settings === this.#keptSettings;
    if (this.#writing || (saysTheSame(fresh, summary) && isKept)) return;
    const begins = summary.seq === 0 || (fresh.status === 'running' && summary.status !== 'running');
    const isUrgent = (begins || !isKept) && !this.#summaryFails;
    if (this.#summary && (!isUrgent || this.#summary.isUrgent)) return;
    this.#scheduleSummary(isUrgent);
  }

  #scheduleSummary(isUrgent: boolean): void {
    this.#summary?.timer.cancel();
    const delay = isUrgent ? 0 : SUMMARY_DELAY;
    const timer = this.#parts.platform.setTimer(delay, () => this.#writeSummary(), { background: true });
    this.#summary = { timer, isUrgent };
  }

  #writeSummary(): void {
    this.#summary = undefined;
    this.#writing = this.#attempt('summaryFailed', () => this.#update((manifest) => manifest)).then((done) => {
      this.#writing = undefined;
      this.#summaryFails = !done;
      const isSame = saysTheSame(this.#newSummary(), this.manifest.summary) && this.#settings === this.#keptSettings;
      const isBehind = done && !this.#ending && !isSame;
      if (isBehind) this.#scheduleSummary(false);
    });
  }

  /**
   * Changes the manifest, and adds the current end, fences, summary and settings to every change. A summary that differs in its time alone
   * keeps that time until it is `timeDelay` milliseconds behind.
   */
  #update(change: (manifest: Manifest) => Manifest, timeDelay = TIME_DELAY): Promise<void> {
    const { cell, fences, place } = this.#parts;
    const settings = this.#settings;
    const kept = settings === undefined ? {} : { kept: keptText(this.#latest?.seq ?? 0, settings) };
    const update = cell.update((manifest) => ({
      ...change(manifest),
      end: place(),
      fences,
      summary: withTime(manifest.summary, this.#newSummary(), timeDelay),
      ...kept,
    }));
    return update.then(() => {
      this.#keptSettings = settings;
    });
  }

  #newSummary(): Manifest['summary'] {
    const latest = this.#latest;
    return latest ? summaryOf(latest.fields, latest.seq, latest.at) : this.manifest.summary;
  }

  async #attempt(
    kind: Exclude<Finding['kind'], 'signFailed' | 'listFailed'>,
    task: () => Promise<void>,
  ): Promise<boolean> {
    const { cell, report, onFenced } = this.#parts;
    try {
      await task();
      return true;
    } catch (error) {
      if (isStoreError(error, 'FENCED')) onFenced(error);
      else report({ kind, conversationId: cell.value.id, error });
      return false;
    }
  }
}

/** Returns the summary `next`, with the time of `before` if it says nothing else that is new and is not that much younger. */
function withTime(before: Summary, next: Summary, timeDelay: number): Summary {
  const { updatedAt } = before;
  const isKept = saysTheSame(before, next) && Date.parse(next.updatedAt) - Date.parse(updatedAt) < timeDelay;
  return isKept ? { ...next, updatedAt } : next;
}
