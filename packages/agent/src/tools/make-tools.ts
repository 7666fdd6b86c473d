import type { Tool, ToolProvider, ToolSession, ToolSource } from '@conv/core/tool';
import { ensureDistinct } from './ensure-distinct.ts';
import { type MadeSource, makeSource } from './make-tool.ts';

/** What tools are made from. */
export interface ToolParts {
  readonly sources: readonly (ToolSource | ToolProvider)[];
  /** Stand behind the tools of sources and of the conversation itself, and before those of providers. */
  readonly builtIns: readonly Tool[];
  /** Which of them are offered; built-in ones always are. */
  readonly filter: (tools: readonly Tool[]) => readonly Tool[];
}

/** The tools of one conversation. */
export interface MadeTools {
  /**
   * In the order of their sources, then those of the conversation itself, built-in ones, those of providers. Another list once a
   * provider's is another.
   */
  readonly tools: readonly Tool[];
  /** Closes those that were made for this conversation. Every one is tried; rejects with the first error. */
  close(): Promise<void>;
}

/**
 * Makes the tools for a conversation, all at once. Rejects {@link AgentError} `TOOL_FAILED` or `DUPLICATE_TOOL`; what was made
 * is then closed, and what is still being provided is told to stop. A later list of a provider that would double a name is told
 * as a process warning `ToolWarning`, and the one before it stays. Rejects with `signal.reason` when aborted before all are made.
 */
export async function makeTools(parts: ToolParts, session: ToolSession, signal?: AbortSignal): Promise<MadeTools> {
  signal?.throwIfAborted();
  const table = new ToolTable(parts);
  const stop = (): void => table.stop(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await table.fill(session);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return table;
}

class ToolTable implements MadeTools {
  readonly #parts: ToolParts;
  readonly #stop = new AbortController();
  readonly #made = new Map<number, MadeSource>();
  /** The list of each source that was last found good. */
  #lists: ReadonlyMap<number, readonly Tool[]> = new Map();
  #tools: readonly Tool[] | undefined;
  #own: readonly Tool[] = [];

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  get tools(): readonly Tool[] {
    return this.#tools ?? [];
  }

  async fill(session: ToolSession): Promise<void> {
    const { signal } = this.#stop;
    this.#own = session.ownTools ?? [];
    const making = this.#parts.sources.map(async (source, index) => {
      const changed = (): void => this.#changed(index, source.name);
      try {
        this.#made.set(index, await makeSource(source, { session, signal, changed }));
      } catch (error) {
        // the first failure is the one to report, and stops the others
        this.#stop.abort(error);
      }
    });
    await Promise.all(making);
    try {
      signal.throwIfAborted();
      this.#take(new Map([...this.#made].map(([index, { tools }]) => [index, tools])));
    } catch (error) {
      await this.close().catch(() => {});
      throw error;
    }
  }

  /** Gives up making. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    const results = await Promise.allSettled([...this.#made.values()].map(async ({ close }) => close?.()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #changed(index: number, name: string): void {
    const made = this.#made.get(index);
    // while tools are being made each list is read at the end
    if (made === undefined || this.#tools === undefined || this.#stop.signal.aborted) return;
    try {
      this.#take(new Map(this.#lists).set(index, made.tools));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.emitWarning(`the new list of tools of ${name} is not taken: ${reason}`, 'ToolWarning');
    }
  }

  #take(lists: ReadonlyMap<number, readonly Tool[]>): void {
    const { builtIns, filter } = this.#parts;
    const of = (isProvided: boolean): readonly Tool[] =>
      this.#parts.sources.flatMap((_, index) =>
        this.#made.get(index)?.isProvided === isProvided ? (lists.get(index) ?? []) : [],
      );
    const tools = [...filter([...of(false), ...this.#own]), ...builtIns, ...filter(of(true))];
    ensureDistinct(tools);
    this.#lists = lists;
    this.#tools = tools;
  }
}
