import type { Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';

import type { Environment } from '../configuration/environment.ts';

/** Destination of spans. */
export interface Tracing {
  readonly tracer: Tracer;
  /** True if spans may show what was said. */
  readonly content: boolean;
  /** Sends what is left; gives up after some seconds. Never rejects. */
  shutdown(): Promise<void>;
}

/**
 * Sends spans to the OTLP endpoint of the environment (`OTEL_EXPORTER_OTLP_ENDPOINT`, or `…_TRACES_ENDPOINT`; the other `OTEL_*` variables
 * of the exporter count as well). Without one there is no tracing and nothing of it is loaded.
 */
export async function startTracing(environment: Environment, log: Logger): Promise<Tracing | undefined> {
  const isGiven = [environment['OTEL_EXPORTER_OTLP_ENDPOINT'], environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']].some(
    (endpoint) => endpoint !== undefined && endpoint !== '',
  );
  if (!isGiven || environment['OTEL_SDK_DISABLED'] === 'true') return undefined;
  const { exportSpans } = await import('./export-spans.ts');
  return exportSpans(log, environment);
}
