import { toConversationId, toConversationKey } from '@conv/core/store';

/** Where a store keeps things: every key begins with its prefix. */
export class ObjectKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** What the keys of all manifests begin with. */
  get manifests(): string {
    return `${this.#prefix}manifests/`;
  }

  /** The manifest of a conversation. Throws `INVALID_ID`. */
  manifest(id: string): string {
    return `${this.manifests}${toConversationKey(id)}.json`;
  }

  /** The conversation that a manifest is of; `undefined` for other keys. */
  idOf(manifest: string): string | undefined {
    const found = /^([0-9a-f]{32})\.json$/.exec(manifest.slice(this.manifests.length));
    return found?.[1] === undefined ? undefined : toConversationId(found[1]);
  }

  /** What the keys of the log of one conversation begin with. One that is made anew under its id has another log. */
  log(id: string, instance: string): string {
    return `${this.logs(id)}${instance}/`;
  }

  /** What the keys of all logs begin with that conversations with an id have had. */
  logs(id: string): string {
    return `${this.#prefix}logs/${toConversationKey(id)}/`;
  }

  /** The sign of life of a store. */
  sign(server: string): string {
    return `${this.#prefix}servers/${server}.json`;
  }

  /** A key to try conditional writes on. */
  trial(name: string): string {
    return `${this.#prefix}trials/${name}`;
  }
}

/** The key of a slot. */
export function slotKey(log: string, slot: number): string {
  return `${log}slot-${String(slot).padStart(10, '0')}`;
}

/** The key of a pack. */
export function packKey(log: string, name: string): string {
  return `${log}${name}`;
}

/** The key of the snapshot. */
export function snapshotKey(log: string): string {
  return `${log}snapshot`;
}
