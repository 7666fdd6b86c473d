import { serverRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { serveRoute } from '../http/serve-route.ts';

/** Metrics of a server. */
export interface ServerMetrics {
  /** The text for Prometheus. What it rejects with is answered with 500. */
  readonly text: () => Promise<string>;
  /** True if metrics can be read without a key. Default `false`. */
  readonly open?: boolean;
}

/** Serves the metrics. */
export function serveMetrics(app: FastifyInstance, { text, open = false }: ServerMetrics): void {
  serveRoute(app, open ? { ...serverRoutes.getMetrics, auth: 'none' } : serverRoutes.getMetrics, async () =>
    Buffer.from(await text()),
  );
}
