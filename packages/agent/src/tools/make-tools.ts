import type { Tool, ToolProvider, ToolSession, ToolSource } from '@conv/core/tool';
import { finishTool, thinkTool } from './built-in-tools.ts';
import { ensureDistinct, ensureFree } from './ensure-distinct.ts';
import { isToolProvider } from './is-tool-provider.ts';
import { type MadeSource, makeSource } from './make-tool.ts';

/** Names of tools that conversations give a meaning, even if the agent has no such tools. */
const RESERVED = [finishTool.name, thinkTool.name];

/** Options of making a conversation's tools. */
export interface MakeToolsOptions {
  readonly sources: readonly (ToolSource | ToolProvider)[];
  /** Built-in tools, behind the tools of sources and of the conversation, and before the tools of providers. */
  readonly builtIns: readonly Tool[];
  /** Chooses the tools that are offered; built-in tools are always offered. */
  readonly filter: (tools: readonly Tool[]) => readonly Tool[];
}

export interface MadeTools {
  /**
   * The tools in the order of their sources, then the conversation's own tools, the built-in tools, and the tools of
   * providers. It becomes another array when a provider's list changes.
   */
  readonly tools: readonly Tool[];
  /** Closes the tools that were made for this conversation. Tries to close every tool; rejects with the first error. */
  close(): Promise<void>;
}

/**
 * Makes the tools for a conversation, all at once. Rejects {@link AgentError} `TOOL_FAILED` or `DUPLICATE_TOOL`; then
 * the tools that were made are closed, and providers at work are told to stop. A tool of a provider whose name is taken
 * is left out with a process warning `ToolWarning`. Rejects with `signal.reason` when aborted before all tools are
 * made.
 */
export async function makeTools(
  options: MakeToolsOptions,
  session: ToolSession,
  signal?: AbortSignal,
): Promise<MadeTools> {
  signal?.throwIfAborted();
  const table = new ToolTable(options);
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
  readonly #options: MakeToolsOptions;
  readonly #stop = new AbortController();
  readonly #made = new Map<number, MadeSource>();
  #tools: readonly Tool[] | undefined;
  #own: readonly Tool[] = [];
  /** Names of tools for which the warning was given. */
  readonly #told = new Set<string>();

  constructor(options: MakeToolsOptions) {
    this.#options = options;
  }

  get tools(): readonly Tool[] {
    return this.#tools ?? [];
  }

  async fill(session: ToolSession): Promise<void> {
    const { signal } = this.#stop;
    this.#own = session.ownTools ?? [];
    const taken = this.#taken();
    const making = this.#options.sources.map(async (source, index) => {
      const changed = (): void => this.#changed(index);
      try {
        this.#made.set(index, await makeSource(source, { session, signal, taken, changed }));
      } catch (error) {
        // the first failure is the one to report, and stops the others
        this.#stop.abort(error);
      }
    });
    await Promise.all(making);
    try {
      signal.throwIfAborted();
      this.#take();
    } catch (error) {
      await this.close().catch(() => {});
      throw error;
    }
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    const results = await Promise.allSettled([...this.#made.values()].map(async ({ close }) => close?.()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #changed(index: number): void {
    // a list that changes while tools are made is read at the end
    if (!this.#made.has(index) || this.#tools === undefined || this.#stop.signal.aborted) return;
    this.#take();
  }

  #take(): void {
    const { builtIns, filter } = this.#options;
    const given = this.#toolsOf(false);
    ensureFree(given);
    const tools = [...filter([...given, ...this.#own]), ...builtIns];
    ensureDistinct(tools);
    const taken = new Set([...RESERVED, ...tools.map(({ name }) => name)]);
    const provided = filter(this.#toolsOf(true)).filter((tool) => {
      const isFree = !taken.has(tool.name);
      taken.add(tool.name);
      if (!isFree) this.#leaveOut(tool);
      return isFree;
    });
    this.#tools = [...tools, ...provided];
  }

  #toolsOf(isProvided: boolean): readonly Tool[] {
    const made = this.#options.sources.map((_, index) => this.#made.get(index));
    return made.flatMap((source) => (source?.isProvided === isProvided ? source.tools : []));
  }

  #leaveOut({ name }: Tool): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    process.emitWarning(`a tool named ${name} is left out, because another tool has this name`, 'ToolWarning');
  }

  /** Names that are known before anything is made. */
  #taken(): ReadonlySet<string> {
    const { sources, builtIns } = this.#options;
    const named = [...sources.filter((source) => !isToolProvider(source)), ...builtIns, ...this.#own];
    return new Set([...RESERVED, ...named.map(({ name }) => name)]);
  }
}
