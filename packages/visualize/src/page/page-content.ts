import type { Event } from '@conv/core/events';

/** Totals of one use of a model. */
export interface PageUsage {
  readonly usageId: string;
  readonly model: string;
  readonly calls: number;
  /** US dollars. */
  readonly cost: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens that the provider read from its cache. */
  readonly cacheReadTokens: number;
}

/** The totals after a commit with calls of a model. */
export interface PageSpending {
  /** The number of events up to there. */
  readonly events: number;
  /** US dollars. */
  readonly cost: number;
  readonly tokens: number;
}

/** The content of a page. */
export interface PageContent {
  readonly id: string;
  readonly title: string | null;
  readonly status: string;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  readonly workingDir: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly events: readonly Event[];
  /** The id of HEAD; `null` before the first event. */
  readonly head: string | null;
  readonly usage: readonly PageUsage[];
  /** In log order; empty if the source gives no commits. */
  readonly spending: readonly PageSpending[];
  /** The number of lost spans of the log. */
  readonly lostSpans: number;
}

/** Resolves with the content as compressed text that is safe inside of HTML. */
export async function packContent(content: PageContent): Promise<string> {
  const stream = new Blob([JSON.stringify(content)]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = '';
  // a multiple of three bytes at a time, so that the parts join to one base64 text
  for (let at = 0; at < bytes.length; at += 0x6000)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000)));
  return text;
}

/** Resolves with the content of {@link packContent}. */
export async function unpackContent(text: string): Promise<PageContent> {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as PageContent;
}
