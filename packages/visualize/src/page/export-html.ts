import {
  checks,
  type ConversationHistory,
  type ConversationView,
  type EventsList,
  isConversationError,
} from '@conv/core';
import { type PageContent, packContent, type PageSpending, type PageUsage } from './page-content.ts';

/** A conversation as it is exported: a `Conversation` of any runtime is one. */
export interface HtmlSource {
  readonly id: string;
  readonly state: ConversationView;
  readonly events: Pick<EventsList, 'slice'>;
  /** Gives the cost at each point. Default: the page shows totals only. */
  readonly history?: Pick<ConversationHistory, 'commits'>;
}

/**
 * Resolves with a page that shows a conversation: one self-contained HTML file that opens from a disk without a network. It holds
 * the events as the source gives them, so secrets that the source masks are masked. Text is never executed: the page's policy
 * allows only its own script and loads nothing. Rejects as reading the source does.
 */
export async function exportHtml(source: HtmlSource): Promise<string> {
  checkSource(source);
  // loaded here, because only an export needs its half megabyte
  const viewer = await import('#viewer');
  const content = await contentOf(source);
  const [data, script, style] = await Promise.all([packContent(content), hash(viewer.script), hash(viewer.style)]);
  const policy = [
    "default-src 'none'",
    `script-src '${script}'`,
    `style-src '${style}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const title = escapeHtml(content.title ?? `Conversation ${content.id}`);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${title}</title>`,
    `<style>${viewer.style}</style>`,
    '</head>',
    '<body>',
    `<div id="conv"><noscript>This page shows a conversation of ${content.events.length} events; it needs JavaScript.</noscript></div>`,
    `<script type="text/plain" id="conv-content">${data}</script>`,
    `<script type="module">${viewer.script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

async function contentOf({ id, state, events, history }: HtmlSource): Promise<PageContent> {
  return {
    id,
    title: state.title,
    status: state.executionStatus,
    createdAt: state.createdAt,
    workingDir: state.workspace.workingDir,
    tags: state.tags,
    events: await events.slice(),
    head: state.leafEventId,
    usage: Object.entries(state.stats).map(
      ([usageId, { modelName: model, calls, cost, promptTokens, completionTokens, cacheReadTokens }]): PageUsage => ({
        usageId,
        model,
        calls,
        cost,
        promptTokens,
        completionTokens,
        cacheReadTokens,
      }),
    ),
    spending: history ? await spendingOf(history) : [],
    lostSpans: state.damage.length,
  };
}

/** Resolves with the totals after each commit with records; with none where the source has no commits, as some servers. */
async function spendingOf(history: Pick<ConversationHistory, 'commits'>): Promise<readonly PageSpending[]> {
  try {
    return await totalsOf(history);
  } catch (error) {
    if (isConversationError(error, 'UNSUPPORTED')) return [];
    throw error;
  }
}

async function totalsOf(history: Pick<ConversationHistory, 'commits'>): Promise<readonly PageSpending[]> {
  const spending: PageSpending[] = [];
  let [cost, tokens] = [0, 0];
  for await (const { records = [], firstEvent, events } of history.commits()) {
    if (records.length === 0) continue;
    for (const record of records) {
      cost += record.cost;
      tokens += record.promptTokens + record.completionTokens;
    }
    spending.push({ events: firstEvent + events.length, cost, tokens });
  }
  return spending;
}

async function hash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function checkSource(source: unknown): asserts source is HtmlSource {
  if (typeof source === 'object' && source !== null && 'state' in source && 'events' in source) return;
  throw new TypeError(checks.wrongValue('exportHtml: source', 'a conversation', source));
}
