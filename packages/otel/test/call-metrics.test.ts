import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';

import { CallMetrics } from '../src/call-metrics.ts';
import { record } from './record.ts';

test('calls of models and of tools are counted under the names of the conventions', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const metrics = new CallMetrics(provider.getMeter('test'));
  metrics.modelCalled({ id: 'a', parentId: null }, record);
  metrics.toolEnded({ id: 'a', parentId: null }, { actionId: '1', toolCallId: 'c', tool: 'echo' }, 'failed', 0.5);
  await provider.forceFlush();
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const points = found.flatMap(({ descriptor, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => [descriptor.name, attributes, (value as { readonly sum?: number }).sum]),
  );
  const chat = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'model',
  };
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'echo', 'error.type': 'tool_error' };
  expect(points).toEqual([
    ['gen_ai.client.operation.duration', chat, 2],
    ['gen_ai.client.operation.duration', tool, 0.5],
    ['gen_ai.client.token.usage', { ...chat, 'gen_ai.token.type': 'input' }, 10],
    ['gen_ai.client.token.usage', { ...chat, 'gen_ai.token.type': 'output' }, 5],
  ]);
  await provider.shutdown();
});
