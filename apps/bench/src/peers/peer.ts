/** Storage that an append ends in; the bare baseline of an append is the plainest durable write to the same. */
export type StorageKind = 'memory' | 'files' | 'sqlite';

/** Place that a store may use. */
export interface PeerPlace {
  /** A folder of its own. */
  readonly directory: string;
}

/**
 * Program that keeps conversations, ours or another's, behind the few calls that are measured. An adapter uses the program as its own
 * documents recommend, in the cheapest way they offer.
 */
export interface Peer {
  /** Short and stable, for files, processes and JSON. */
  readonly key: string;
  readonly title: string;
  readonly kind: StorageKind;
  /** Names the call after which an append resolves, in words for the table. */
  readonly synced: string;
  /** Packages whose versions the report states; none for ours and for bare baselines. */
  readonly packages: readonly string[];
  /** Reasons for works that the program cannot do, and remarks on how a work is done. */
  readonly remarks?: Readonly<Partial<Record<'append' | 'open' | 'fork' | 'writers', string>>>;
  /** Loads the program, which no measurement counts; resolves with what opens it. */
  readonly load: () => Promise<OpenPeer>;
}

/** Opens a peer's store. */
export type OpenPeer = (place: PeerPlace) => Promise<PeerStore>;

/** Open store of a peer. */
export interface PeerStore {
  /** Makes a conversation with these messages; as many in one call as the program takes. */
  fill(id: string, texts: readonly string[]): Promise<void>;
  /** Opens a conversation that `fill` made. */
  open(id: string): Promise<PeerThread>;
  /** Makes a conversation, or a branch, of all messages of another; absent where the program has no such call. */
  readonly fork?: (from: string, to: string) => Promise<void>;
  close(): Promise<void>;
}

/** Open conversation of a peer. */
export interface PeerThread {
  /** Resolves when the program says that the message is stored. */
  append(text: string): Promise<void>;
  /** Resolves with the texts of the last `count` messages, oldest first, of a conversation with `total`. */
  last(count: number, total: number): Promise<readonly string[]>;
  /** Resolves with all texts, oldest first. */
  all(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Returns the text of a message: its name, and as much padding as makes an event of about 1 KB. */
export function textOf(name: string | number): string {
  return `${name} `.padEnd(640, 'x');
}

/** Returns the name that {@link textOf} put into a text. */
export function nameOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}

/** Returns the texts of a filled conversation. */
export function textsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => textOf(index));
}
