import { Turns } from '@conv/core/platform';
import type { StoreError } from '@conv/core/store';
import type { Bucket } from '../bucket/bucket.ts';
import { readManifest, replaceManifest, type Manifest, type StoredManifest } from '../objects/manifest.ts';

/** Manifest of a conversation in the hands of its owner. Only the owner may change it, so any foreign version means a takeover. */
export class ManifestCell {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #fenced: () => StoreError;
  /** Nonces of own versions whose answer was lost; they may still come in. */
  readonly #pending = new Set<string>();
  #current: StoredManifest;
  readonly #turns = new Turns();

  /** `fenced` makes the error for a manifest that another owner has changed. */
  constructor(bucket: Bucket, key: string, current: StoredManifest, fenced: () => StoreError) {
    this.#bucket = bucket;
    this.#key = key;
    this.#current = current;
    this.#fenced = fenced;
  }

  /** Manifest as of the last change. */
  get value(): Manifest {
    return this.#current.manifest;
  }

  /** Nonces of the version as of the last change, and of own versions that may still come in. */
  get nonces(): readonly string[] {
    return [this.value.nonce, ...this.#pending];
  }

  /** Changes the manifest, one change after the other. Rejects `FENCED` when another owner has changed it. */
  update(change: (manifest: Manifest) => Manifest): Promise<void> {
    return this.#turns.run(() => this.#replace(change));
  }

  async #replace(change: (manifest: Manifest) => Manifest): Promise<void> {
    for (;;) {
      const [{ manifest }, onLost] = [this.#current, (nonce: string) => void this.#pending.add(nonce)];
      const stored = await replaceManifest(this.#bucket, this.#key, this.#current, change(manifest), onLost);
      if (stored) {
        this.#current = stored;
        this.#pending.clear();
        return;
      }
      // Invariant: a version that is neither ours nor one of our lost ones belongs to another owner.
      const found = await readManifest(this.#bucket, this.#key);
      // One of our own changes came in late; apply this change on top of it.
      if (!found || !this.#pending.delete(found.manifest.nonce)) throw this.#fenced();
      this.#current = found;
    }
  }
}
