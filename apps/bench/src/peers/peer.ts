/** Storage that an append ends in; the bare baseline of an append is the plainest durable write to the same. */
export type StorageKind = 'memory' | 'files' | 'sqlite' | 'postgres';

/** Place that a store may use. */
export interface PeerPlace {
  /** A folder of its own. */
  readonly directory: string;
  /** Address of a PostgreSQL database of its own; absent for other kinds of storage. */
  readonly database?: string;
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
  /** Requirement beside the packages of npm. */
  readonly needs?: 'python';
  /** Packages whose versions the report states; none for ours and for bare baselines. */
  readonly packages: readonly string[];
  /** Reasons for works that the program cannot do, and remarks on how a work is done. */
  readonly remarks?: Readonly<Partial<Record<Remarkable, string>>>;
  /** Reasons for works that the program has no calls for. */
  readonly lacks?: Readonly<Partial<Record<'step' | 'list' | 'resume', string>>>;
  /** Loads the program, which no measurement counts; resolves with what opens it. */
  readonly load: () => Promise<OpenPeer>;
}

/** Programs by whose they are: ours, the plainest ones, and all others. */
export type PeerGroup = 'ours' | 'bare' | 'others';

/** Returns the group of a program or an agent server with a key. */
export function groupOf(key: string): PeerGroup {
  if (key.startsWith('conv-')) return 'ours';
  return key.startsWith('bare-') ? 'bare' : 'others';
}

/** Works that a program may have a reason or a remark for. */
export type Remarkable = 'append' | 'open' | 'fork' | 'writers' | 'step' | 'list' | 'resume';

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
  /** Prepares runs in a conversation by an agent whose model and tool take no time; each run makes so many calls. Absent without one. */
  readonly steps?: (id: string, calls: number) => Promise<PeerRuns>;
  /** Resolves with all conversations, by as many calls as the program needs; absent where it cannot. */
  readonly list?: () => Promise<readonly string[]>;
  /** Runs of a tool that has {@link EFFECTS} effects; absent where no run is there after its process has ended. */
  readonly effects?: PeerEffects;
  /** Resolves with the bytes of memory that a process of the program's own has taken since it was loaded. Default: it is this process. */
  readonly resident?: () => Promise<number>;
  close(): Promise<void>;
}

/** Runs of an agent, one after the other. */
export interface PeerRuns {
  run(): Promise<void>;
  close(): Promise<void>;
}

/** Characters of a message. */
const TEXT = 640;

/** Number of effects of the tool that a crash interrupts. */
export const EFFECTS = 5;

/** Runs of a tool that calls `effect` with 1 to {@link EFFECTS}, in order. */
export interface PeerEffects {
  /** Starts a run in a new conversation; the process ends within. */
  start(id: string, effect: Effect): Promise<void>;
  /** Goes on with that run in another process, as the program's documents say; resolves at its end. */
  resume(id: string, effect: Effect): Promise<void>;
}

/** Change of the world outside of the program, by its number. */
export type Effect = (number: number) => Promise<void>;

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

/**
 * Returns the text of a message: its name, and as much padding as makes an event of about 1 KB. The padding differs from name to name, and
 * no database can compress it.
 */
export function textOf(name: string | number): string {
  let text = `${name} `;
  let seed = 17;
  for (const letter of text) seed = Math.imul(seed, 31) + letter.charCodeAt(0);
  while (text.length < TEXT) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    text += seed.toString(36);
  }
  return text.slice(0, TEXT);
}

/** Returns the name that {@link textOf} put into a text. */
export function nameOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}

/** Returns the texts of a filled conversation. */
export function textsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => textOf(index));
}
