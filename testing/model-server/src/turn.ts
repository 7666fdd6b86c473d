/** A tool call the model makes. */
export interface ScriptedCall {
  readonly name: string;
  /**
   * An object is sent as its JSON. A string is sent as it is, so it may be malformed. An array of strings is sent
   * as it is too, one stream chunk per element. Default: `{}`.
   */
  readonly arguments?: object | string | readonly string[];
  /** Default: the server's next free id. */
  readonly id?: string;
}

/** Token counts of an answer. Absent counts are computed from sizes. */
export interface ScriptedUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** The part of `promptTokens` that came out of the prompt cache. */
  readonly cachedTokens?: number;
  /** The part of `completionTokens` that was reasoning. */
  readonly reasoningTokens?: number;
}

/** Options of every turn. */
export interface TurnTiming {
  /** Milliseconds between the request and the first byte of the answer. Default 0. */
  readonly delay?: number;
}

/** A turn in which the model answers. */
export interface Answer extends TurnTiming {
  /** An array is streamed one chunk per element, a string in chunks of `chunkSize` characters. */
  readonly text?: string | readonly string[];
  /** Chunked like `text`, sent before it. */
  readonly reasoning?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedCall[];
  readonly usage?: ScriptedUsage;
  /** In Chat Completions words; translated for the other endpoints. Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: 'stop' | 'tool_calls' | 'length' | 'content_filter';
  /** Milliseconds between two stream chunks. Default 0. */
  readonly chunkDelay?: number;
  /** The name of the model in the answer. Default: the one in the request. */
  readonly model?: string;
}

/** A turn answered with an HTTP error. */
export interface StatusFault extends TurnTiming {
  readonly status: number;
  /** Sent as it is when a string, else as JSON. Default: the endpoint's error format with `message` and `code`. */
  readonly body?: unknown;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A turn in which the connection is cut. */
export interface DropFault extends TurnTiming {
  /** `before` any byte of the answer, or `mid-stream` after half of it. */
  readonly drop: 'before' | 'mid-stream';
  /** The answer whose first half is sent. Default: a short text. */
  readonly answer?: Answer;
}

/** A turn that never ends: nothing more is sent until the client leaves or the server closes. */
export interface HangFault extends TurnTiming {
  readonly hang: true;
  /** With it, and when the client asked for a stream, the first half of this answer is sent before the silence. */
  readonly answer?: Answer;
}

/** A turn answered with status 200 and these bytes in place of an answer. */
export interface NonsenseFault extends TurnTiming {
  readonly raw: string;
}

/** A turn that goes wrong. */
export type Fault = StatusFault | DropFault | HangFault | NonsenseFault;

/** Answer or fault of the scripted model for one request. */
export type Turn = Answer | Fault;
