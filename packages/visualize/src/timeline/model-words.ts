import type { ActionEvent, ThinkingBlock } from '@conv/core/events';

/** The members of an event or a message in which a model tells its reasoning. */
export interface Reasoning {
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly ThinkingBlock[];
}

/** Returns the reasoning of the model; empty where it tells none. */
export function reasoningOf({ reasoning_content: content, thinking_blocks: blocks = [] }: Reasoning): string {
  return content ?? blocks.map((block) => ('thinking' in block ? block.thinking : '')).join('\n');
}

/** Returns the summary that the model wrote. If it wrote none, the stored summary only repeats the arguments. */
export function summaryOf({ summary, tool_name: name }: ActionEvent): string {
  return typeof summary !== 'string' || summary.startsWith(`${name}: {`) ? '' : summary;
}
