/** A chunk of the UI message stream: the fields of `UIMessageChunk` of the AI SDK. */
export interface UiChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A chunk, with the cursor of a client that has taken it. */
export interface NumberedChunk {
  readonly chunk: UiChunk;
  readonly cursor: number;
}

/** A file as `useChat` shows it, in a stream and in a message. Only a data URL tells its type. */
export function fileOf(url: string): UiChunk {
  return { type: 'file', url, mediaType: /^data:([^;,]+)/.exec(url)?.[1] ?? 'image/*' };
}
