import type { ContentPart, MessageToolCall, ReasoningItem, ThinkingBlock } from '@conv/core/events';

/** A message of the conversation with a model: the wire's message with its defaults applied. */
export interface LlmMessage {
  readonly role: 'user' | 'system' | 'assistant' | 'tool';
  readonly content: readonly ContentPart[];
  readonly tool_calls?: readonly MessageToolCall[];
  readonly tool_call_id?: string;
  /** The tool's name, on tool messages. */
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly thinking_blocks: readonly ThinkingBlock[];
  readonly responses_reasoning_item?: ReasoningItem;
}
