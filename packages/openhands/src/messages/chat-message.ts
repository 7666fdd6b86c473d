import type { ThinkingBlock } from '@conv/core/events';

/** A part of a Chat Completions message. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string; readonly cache_control?: NonNullable<ChatMessage['cache_control']> }
  | {
      readonly type: 'image_url';
      readonly image_url: { readonly url: string };
      readonly cache_control?: NonNullable<ChatMessage['cache_control']>;
    };

/** A call in an assistant's Chat Completions message. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A Chat Completions message. */
export interface ChatMessage {
  readonly role: 'user' | 'system' | 'assistant' | 'tool';
  /** Absent on an assistant message that consists of calls alone. */
  readonly content?: string | readonly ChatPart[];
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
  /** Asks a provider to cache the prompt up to here. */
  readonly cache_control?: { readonly type: 'ephemeral' };
  readonly thinking_blocks?: readonly ThinkingBlock[];
  readonly reasoning_content?: string;
}
