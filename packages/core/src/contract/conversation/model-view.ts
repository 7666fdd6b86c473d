import type { ContentPart, MessageToolCall, ReasoningItem, ThinkingBlock } from '../../events/index.ts';

/** A message of the conversation with a model: the wire's message with its defaults applied. */
export interface ModelMessage {
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

/** A message of a view, and its origin. */
export interface ViewMessage {
  readonly message: ModelMessage;
  /** The numbers of the events that it is made of; the number of the condensation for a summary. */
  readonly events: readonly number[];
  /** An estimate: a token for 4 bytes of text, 1,500 for an image, 8 around it. The system prompt counts with its tools. */
  readonly tokens: number;
  /** True if the agent asks providers that need it to cache the request up to this message. */
  readonly cachePoint: boolean;
  /** True if the agent's last request began with this message too, up to its cache point: a provider need not read it again. */
  readonly cached: boolean;
}

/** Events that a condensation took out of the view. */
export interface HiddenEvents {
  /** The number of the first event. */
  readonly from: number;
  /** The number after the last event. Events in this range that no model sees do not count as hidden. */
  readonly to: number;
  /** The number of events that are hidden. */
  readonly count: number;
  /** The number of the condensation; of several old ones, the newest one's. */
  readonly by: number;
}

/** The messages that the model would get next at a point of the log. */
export interface ModelView {
  /** The number of events of the log at this point. */
  readonly events: number;
  /** The page of the messages. */
  readonly messages: readonly ViewMessage[];
  /** The position of the first message of the page. */
  readonly first: number;
  /** The number of all messages. */
  readonly count: number;
  /** The estimate of all messages. */
  readonly tokens: number;
  /** Events that condensations hide, in the order of the log. */
  readonly hidden: readonly HiddenEvents[];
  /** True if a condensation is requested and has not been made yet. */
  readonly condensationRequested: boolean;
}

/** A page of the messages of a view. */
export interface ViewPage {
  /** The position of the first message. Default: so that the page ends with the last message. */
  readonly from?: number;
  /** The maximum number of messages, from 1 to 1000. Default 200. */
  readonly limit?: number;
}
