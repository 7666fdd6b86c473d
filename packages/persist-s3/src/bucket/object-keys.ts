import { toConversationId, toConversationKey } from '@conv/core/store';

/** Builds the keys of a store's objects; each begins with the prefix of the store. */
export class ObjectKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get manifests(): string {
    return `${this.#prefix}manifests/`;
  }

  get allLogs(): string {
    return `${this.#prefix}logs/`;
  }

  /** Returns the key of a manifest. Throws `INVALID_ID`. */
  manifest(id: string): string {
    return `${this.manifests}${toConversationKey(id)}.json`;
  }

  /** Returns the id of the conversation with this manifest; `undefined` for other keys. */
  idOf(manifest: string): string | undefined {
    const found = /^([0-9a-f]{32})\.json$/.exec(manifest.slice(this.manifests.length));
    return found?.[1] === undefined ? undefined : toConversationId(found[1]);
  }

  /** Prefix of the marks of changes that lists show (docs/decisions/0206-lists-of-s3-are-shared.md). */
  get changes(): string {
    return `${this.#prefix}changes/`;
  }

  /** Key of the object with the summaries of all conversations. */
  get list(): string {
    return `${this.#prefix}lists/summaries`;
  }

  /** Returns what a mark is about; `undefined` for other keys. */
  changeOf(mark: string): { readonly id: string; readonly version: string } | undefined {
    const [, key, version] = /^([0-9a-f]{32})-(.+)$/.exec(mark.slice(this.changes.length)) ?? [];
    return key === undefined || version === undefined ? undefined : { id: toConversationId(key), version };
  }

  /** Returns the prefix of the keys of one log. A conversation that is created again under its id gets another log. */
  log(id: string, instance: string): string {
    return `${this.logs(id)}${instance}/`;
  }

  /** Returns the common prefix of all logs that conversations with an id have had. */
  logs(id: string): string {
    return `${this.allLogs}${toConversationKey(id)}/`;
  }

  /** Returns the key of the heartbeat object of a store. */
  heartbeat(server: string): string {
    return `${this.#prefix}servers/${server}.json`;
  }

  /** Returns a key for trying out conditional writes. */
  trial(name: string): string {
    return `${this.#prefix}trials/${name}`;
  }
}

/** Returns the key of the mark for a write over the version of a manifest that has a tag, or over no version. */
export function changeKey(manifest: string, etag: string | undefined): string {
  return manifest.replace(
    /manifests\/([0-9a-f]{32})\.json$/,
    (_, key: string) => `changes/${key}-${versionText(etag)}`,
  );
}

/** Returns the tag of a version, or of none, as a part of a key. */
export function versionText(etag: string | undefined): string {
  return etag === undefined ? 'none' : etag.replaceAll(/[^0-9A-Za-z]/g, '');
}

export function slotKey(log: string, slot: number): string {
  return `${log}slot-${String(slot).padStart(10, '0')}`;
}

/** Returns the number of the slot with a key of this log; `undefined` for the key of another object. */
export function slotOf(log: string, key: string): number | undefined {
  const digits = /^slot-(\d{10})$/.exec(key.slice(log.length))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function packKey(log: string, name: string): string {
  return `${log}${name}`;
}

export function snapshotKey(log: string): string {
  return `${log}snapshot`;
}
