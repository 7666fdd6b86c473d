import { diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
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
import { headerValues, hiding } from './collector-keys.ts';

/** Destination of spans. */
export interface Tracing {
  readonly tracer: Tracer;
  /** True if spans may show what was said. */
  readonly content: boolean;
  /** Sends what is left; gives up after some seconds. Never rejects. */
  shutdown(): Promise<void>;
}

/** Milliseconds that the end of the program waits for an endpoint that does not answer. */
const TIMEOUT = 2000;

/** Collects spans and sends them in batches, as JSON over HTTP. Spans that cannot be sent are dropped, and the loss is logged. */
export function exportSpans(log: Logger, environment: Environment): Tracing {
  // a collector may quote its key when it refuses one
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
  const content = environment['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true';
  const provider = new TracerProvider({
    resource,
    // the spans of this program keep to less; a net for those of others
    spanLimits: {
      attributeValueLengthLimit: content ? 16_384 : 1024,
      attributeCountLimit: 64,
      eventCountLimit: 16,
      linkCountLimit: 16,
    },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  return {
    tracer: provider.getTracer('@conv/agent-server'),
    content,
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
