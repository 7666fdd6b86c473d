import type { StoreError } from '@conv/core/store';
import type { Bucket } from './bucket.ts';
import { LostManifest, readManifest, replaceManifest, type Manifest, type StoredManifest } from './manifest.ts';

/** The manifest of a conversation in the hands of its owner, who alone may change it as long as it is the owner. */
export class ManifestCell {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #fenced: () => StoreError;
  /** Versions of ours that may still come in. */
  readonly #pending = new Set<string>();
  #current: StoredManifest;
  #turn: Promise<unknown> = Promise.resolve();

  /** `fenced`: what to reject with when another owner has changed it. */
  constructor(bucket: Bucket, key: string, current: StoredManifest, fenced: () => StoreError) {
    this.#bucket = bucket;
    this.#key = key;
    this.#current = current;
    this.#fenced = fenced;
  }

  /** As of the last change. */
  get value(): Manifest {
    return this.#current.manifest;
  }

  /** Changes it, one change after the other. Rejects `FENCED` when it is not ours any more. */
  update(change: (manifest: Manifest) => Manifest): Promise<void> {
    const turn = this.#turn.then(() => this.#replace(change));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #replace(change: (manifest: Manifest) => Manifest): Promise<void> {
    for (;;) {
      try {
        const stored = await replaceManifest(this.#bucket, this.#key, this.#current, change(this.#current.manifest));
        if (stored) {
          this.#current = stored;
          this.#pending.clear();
          return;
        }
      } catch (error) {
        if (!(error instanceof LostManifest)) throw error;
        this.#pending.add(error.nonce);
        throw error.cause;
      }
      const found = await readManifest(this.#bucket, this.#key);
      // A change of ours whose answer was lost has come in after all; this one goes on top of it.
      if (!found || !this.#pending.delete(found.manifest.nonce)) throw this.#fenced();
      this.#current = found;
    }
  }
}
