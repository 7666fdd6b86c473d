import { SECRET_MASK } from '@conv/core';
import { expect, test } from 'vitest';

import { collectorKeys, headerValues, hiding } from '../src/tracing/collector-keys.ts';

test('P9: a key of the collector is hidden in what the collector says, encoded or behind its scheme', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20col-key-0123456789,x-team=blue',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-honeycomb-team=hny_0123456789abcdef',
  };
  const hide = hiding(headerValues(environment));
  expect(hide('401: the key Bearer col-key-0123456789 is unknown')).toBe(`401: the key ${SECRET_MASK} is unknown`);
  expect(hide('the key col-key-0123456789 is unknown')).toBe(`the key ${SECRET_MASK} is unknown`);
  expect(hide('no team hny_0123456789abcdef, not blue')).toBe(`no team ${SECRET_MASK}, not blue`);
});

test('P9: the keys of a collector are hidden in conversations, and plain words are not', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-dataset=production, x-region=blue-green, x-tenant=1042, api-key=only-letters-here',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-scope=9f1c2d3e4b5a',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'x-other=0123456789ab',
  };
  expect(collectorKeys(environment)).toEqual(['only-letters-here', '9f1c2d3e4b5a']);
});
