import { isToolFactory, type Tool, type ToolSession, type ToolSource } from '@conv/core/tool';
import { AgentError } from '../agent/agent-error.ts';
import { maskNothing, maskTextOf } from '../mask-text.ts';
import { safeError } from '../model/safe-error.ts';

/** The tools of one conversation. */
export interface MadeTools {
  /** In the order of their sources. */
  readonly tools: readonly Tool[];
  /** Closes those that were made for this conversation. Every one is tried; rejects with the first error. */
  close(): Promise<void>;
}

/**
 * Makes the tools for a conversation, all at once. Rejects {@link AgentError} `TOOL_FAILED` or `DUPLICATE_TOOL`; what was
 * made is then closed.
 */
export async function makeTools(sources: readonly ToolSource[], session: ToolSession): Promise<MadeTools> {
  const made = await Promise.allSettled(sources.map(async (source) => makeTool(source, session)));
  const owned = made.flatMap((result, index) => {
    const source = sources[index];
    return result.status === 'fulfilled' && source !== undefined && isToolFactory(source) ? [result.value] : [];
  });
  const close = async (): Promise<void> => {
    const results = await Promise.allSettled(owned.map(async (tool) => tool.close?.()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  try {
    const tools = made.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    ensureDistinct(tools);
    return { tools, close };
  } catch (error) {
    // The first failure is the one to report.
    await close().catch(() => {});
    throw error;
  }
}

async function makeTool(source: ToolSource, session: ToolSession): Promise<Tool> {
  if (!isToolFactory(source)) return source;
  try {
    return await source.create(session);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const mask = maskTextOf(session);
    throw new AgentError('TOOL_FAILED', `tool ${source.name} could not be made: ${mask(reason)}`, {
      cause: mask === maskNothing ? cause : safeError(cause, mask),
    });
  }
}

/** Throws {@link AgentError} `DUPLICATE_TOOL` that names the tool. */
export function ensureDistinct(tools: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new AgentError('DUPLICATE_TOOL', `two tools are named ${JSON.stringify(name)}`);
    names.add(name);
  }
}
