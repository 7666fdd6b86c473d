import type { Answering } from '../protocols/gated-agent.ts';

/** Commands to a server process of a measurement, and their answers. */
export interface LoadCommands {
  /** Makes conversations whose agents make so many calls in a run, with so many messages of a kilobyte; resolves with their ids. */
  make(given: {
    readonly conversations: number;
    readonly calls: number;
    /** Default: none. */
    readonly messages?: number;
  }): Promise<readonly string[]>;
  /** Appends events of about so many bytes, `commits` of `each`, a pause of `every` milliseconds after each commit. */
  append(given: {
    readonly id: string;
    readonly commits: number;
    readonly each: number;
    readonly bytes: number;
    readonly every: number;
  }): Promise<number>;
  /** Makes a conversation whose agent answers in pieces; resolves with its id. */
  makeAnswering(given: Answering): Promise<string>;
  /** Lets the answer of a conversation begin. */
  openGate(id: string): Promise<void>;
  /** Milliseconds of processor time that the process has used. */
  spent(): Promise<number>;
  /** Bytes that are in use after garbage was collected, buffers included. */
  used(): Promise<number>;
  /** Bytes that are resident after garbage was collected. */
  resident(): Promise<number>;
  /** Requests since the start, those for sockets included. */
  requests(): Promise<number>;
}

/** A command on its way to the process. */
export interface Asked {
  readonly nth: number;
  readonly name: string;
  readonly given: unknown;
}

/** Answer of the process; the first message, without a number, is its port. */
export interface Answered {
  readonly nth: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Takes commands from the parent process. */
export function answerCommands(commands: Partial<LoadCommands>, port: number): void {
  const known = commands as Readonly<Record<string, (given: never) => Promise<unknown>>>;
  const tell = (answer: Answered): void => void process.send?.(answer);
  process.on('message', ({ nth, name, given }: Asked) => {
    const work = Promise.resolve().then(() => known[name]?.(given as never));
    work.then(
      (value) => tell({ nth, value }),
      (error: unknown) => tell({ nth, error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  tell({ nth: 0, value: port });
}

/** Answers for the memory of this process. */
export const memoryCommands: Pick<LoadCommands, 'used' | 'resident'> = {
  used: async () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  resident: async () => {
    // also gives pages back, which a usual collection leaves for later
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    return process.memoryUsage.rss();
  },
};
