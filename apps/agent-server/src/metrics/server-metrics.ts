import process from 'node:process';

import type { FleetObserver, HostLoad, SocketObserver, WebhookObserver } from '@conv/server';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { serverVersion } from '../server-version.ts';
import { fleetMetrics } from './fleet-metrics.ts';
import { webhookMetrics } from './webhook-metrics.ts';
import { WorkMetrics } from './work-metrics.ts';

/**
 * Metrics of one server at `/metrics`. Labels have few values: routes rather than paths, and only a limited number of models and
 * tools.
 */
export class ServerMetrics {
  readonly #registry = new Registry();
  /** Counts runs, model calls and tool calls. */
  readonly work: WorkMetrics;
  /** Counts sockets. */
  readonly sockets: SocketObserver;
  /** Counts forwarded commands and takeovers. */
  readonly fleet: FleetObserver;
  /** Counts requests to receivers of webhooks. */
  readonly webhooks: WebhookObserver;

  constructor(load: () => HostLoad) {
    collectDefaultMetrics({ register: this.#registry });
    this.work = new WorkMetrics(this.#registry);
    this.sockets = socketMetrics(this.#registry);
    this.fleet = fleetMetrics(this.#registry);
    this.webhooks = webhookMetrics(this.#registry);
    this.#build();
    this.#gauge('conv_conversations_loaded', 'Loaded conversations.', () => load().conversations);
    this.#gauge('conv_runs_active', 'Active runs.', () => load().runs);
    this.#gauge('conv_runs_waiting', 'Waiting runs.', () => load().waiting);
  }

  /** Measures the requests of this instance and of its plugins. */
  countRequests(app: FastifyInstance): void {
    const duration = new Histogram({
      name: 'conv_http_request_duration_seconds',
      help: 'Duration of requests by route and status, from their headers to the end of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.#registry],
    });
    app.addHook('onResponse', async ({ method, routeOptions, is404 }, { statusCode, elapsedTime }) => {
      const route = is404 ? 'none' : (routeOptions.url ?? 'none');
      duration.observe({ method, route, status: statusCode }, elapsedTime / 1000);
    });
  }

  /** The text for Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The version as a label, so that it can be joined with every other metric. */
  #build(): void {
    new Gauge({
      name: 'conv_build_info',
      help: 'The versions of the server and of Node, as labels; always 1.',
      labelNames: ['version', 'node'],
      registers: [this.#registry],
    }).set({ version: serverVersion(), node: process.versions.node }, 1);
  }

  #gauge(name: string, help: string, value: () => number): void {
    const registers = [this.#registry];
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }
}

function socketMetrics(registry: Registry): SocketObserver {
  const registers = [registry];
  const open = new Gauge({
    name: 'conv_sockets_open',
    help: 'Open sockets.',
    labelNames: ['path'],
    registers,
  });
  const slow = new Counter({
    name: 'conv_socket_slow_consumer_closes_total',
    help: 'Sockets closed because their clients read too slowly.',
    labelNames: ['path'],
    registers,
  });
  return {
    opened: (path) => open.inc({ path }),
    closed: (path, by) => {
      open.dec({ path });
      if (by?.reason === 'slow_consumer') slow.inc({ path });
    },
  };
}
