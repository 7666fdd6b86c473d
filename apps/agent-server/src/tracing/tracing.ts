import type { Logger } from 'pino';

import type { Environment } from '../configuration/environment.ts';
import type { Tracing } from './export-spans.ts';

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
