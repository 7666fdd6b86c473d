import { readFileSync } from 'node:fs';

import Fastify from 'fastify';
import { expect, test } from 'vitest';

import { ServerMetrics } from '../src/metrics/server-metrics.ts';

/** Metrics of Prometheus itself. */
const OWN_OF_PROMETHEUS = ['up'];
/** Labels that Prometheus adds, and the bound of a bucket. */
const OWN_LABELS = ['instance', 'job', 'le'];
const FUNCTIONS = ['sum', 'rate', 'histogram_quantile', 'min_over_time', 'by', 'label_values'];

/** The text of a server's metrics, with each of them used once. */
async function exported(): Promise<string> {
  const metrics = new ServerMetrics(() => ({ conversations: 1, runs: 1, waiting: 1 }));
  const app = Fastify({ pluginTimeout: 0 });
  metrics.countRequests(app);
  await app.inject('/');
  await app.close();
  const conversation = { id: 'c' } as never;
  const tokens = { promptTokens: 1, completionTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  metrics.work.ended('c', { status: 'finished' });
  metrics.work.modelCalled(conversation, { model: 'm', latency: 1, cost: 1, ...tokens } as never);
  metrics.work.toolEnded(conversation, { tool: 't' } as never, 'done', 1);
  metrics.sockets.opened?.('/sockets');
  metrics.sockets.closed?.('/sockets', { reason: 'slow_consumer' } as never);
  metrics.fleet.forwarded?.('lost');
  metrics.webhooks.failed?.('w', { conversationId: 'c', since: 1 });
  return metrics.text();
}

function expressionsOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../monitoring/${file}`, import.meta.url), 'utf8');
  if (!file.endsWith('.json'))
    return [...text.matchAll(/expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/g)].map(([, block, line]) => block ?? line ?? '');
  const { panels } = JSON.parse(text) as { panels: readonly { targets: readonly { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The words of an expression outside of strings and times. */
function wordsOf(expression: string): readonly string[] {
  const bare = expression.replaceAll(/"[^"]*"|\[\w+\]/g, '');
  return [...bare.matchAll(/[a-z_]\w*/g)].map(([word]) => word).filter((word) => !FUNCTIONS.includes(word));
}

test.each([
  ['dashboard.json', 14],
  ['alerts.yaml', 8],
])('%s asks for metrics and labels that the server exports', async (file, least) => {
  const text = await exported();
  const samples = [...text.matchAll(/^([a-z]\w*)(?:\{([^}]*)\})? /gm)];
  const names = samples.map(([, name]) => name);
  const labels = samples.flatMap(([, , given = '']) => [...given.matchAll(/(\w+)=/g)].map(([, label]) => label));
  const known = new Set([...names, ...labels, ...OWN_OF_PROMETHEUS, ...OWN_LABELS]);
  const expressions = expressionsOf(file);
  expect(expressions.length).toBeGreaterThanOrEqual(least);
  expect(expressions.flatMap(wordsOf).filter((word) => !known.has(word))).toEqual([]);
});

test('the dashboard shows every metric of the server itself', async () => {
  const own = [...(await exported()).matchAll(/^# TYPE (conv_\w+)/gm)].map(([, name = '']) => name);
  const shown = expressionsOf('dashboard.json').join('\n');
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter((name) => !shown.includes(name))).toEqual([]);
});
