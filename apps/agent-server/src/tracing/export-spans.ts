import { SECRET_MASK } from '@conv/core';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

import type { Environment } from '../configuration/environment.ts';
import type { Tracing } from './tracing.ts';

/** Milliseconds that the end of the program waits for an endpoint that does not answer. */
const TIMEOUT = 2000;

/** Characters of a header that are no key. */
const SHORTEST = 8;

/**
 * The values of the headers that go to the collector: it may quote its key when it refuses one.
 *
 * @internal
 */
export function headerValues(environment: Environment): readonly string[] {
  const headers = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'].flatMap((name) =>
    (environment[name] ?? '').split(','),
  );
  const values = headers.flatMap((header) => {
    const value = header.slice(header.indexOf('=') + 1).trim();
    return [value, decoded(value)].flatMap((text) => [text, text.replace(/^\w+\s+/, '')]);
  });
  return [...new Set(values)].filter((value) => value.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/**
 * Takes these values out of a text.
 *
 * @internal
 */
export function hiding(values: readonly string[]): (text: string) => string {
  return (text) => values.reduce((safe, value) => safe.replaceAll(value, SECRET_MASK), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Collects spans and sends them in batches, as JSON over HTTP. What cannot be sent is dropped, and logged. */
export function exportSpans(log: Logger, environment: Environment): Tracing {
  const hide = hiding(headerValues(environment));
  const tell =
    (level: 'warn' | 'debug') =>
    (message: string): void =>
      log[level]({ said: hide(message) }, 'traces');
  const [warn, debug] = [tell('warn'), tell('debug')];
  diag.setLogger({ error: warn, warn, info: debug, debug, verbose: debug }, { logLevel: DiagLogLevel.WARN });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const resource = resourceFromAttributes({ 'service.name': 'conv-agent-server' }).merge(
    detectResources({ detectors }),
  );
  const provider = new TracerProvider({
    resource,
    // the spans of this program keep to less; a net for those of others
    spanLimits: { attributeValueLengthLimit: 1024, attributeCountLimit: 64, eventCountLimit: 16, linkCountLimit: 16 },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  return {
    tracer: provider.getTracer('@conv/agent-server'),
    shutdown: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, TIMEOUT);
      await Promise.race([
        provider.shutdown().catch((error: unknown) => log.warn({ said: hide(String(error)) }, 'traces')),
        late,
      ]);
      clearTimeout(timer);
    },
  };
}
