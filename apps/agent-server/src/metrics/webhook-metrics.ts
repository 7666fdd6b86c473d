import type { WebhookObserver } from '@conv/server';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts requests to the receivers of webhooks, and how long a receiver has taken none. */
export function webhookMetrics(registry: Registry): WebhookObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'conv_webhook_requests_total',
    help: 'Requests to the receivers of webhooks: delivered, or failed and repeated later.',
    labelNames: ['webhook', 'outcome'],
    registers,
  });
  const failing = new Gauge({
    name: 'conv_webhook_failing_since_seconds',
    help: 'Unix time from which a receiver of webhooks has taken no request; 0 if it took the last one.',
    labelNames: ['webhook'],
    registers,
  });
  return {
    delivered: (webhook) => {
      requests.inc({ webhook, outcome: 'delivered' });
      failing.set({ webhook }, 0);
    },
    failed: (webhook, { since }) => {
      requests.inc({ webhook, outcome: 'failed' });
      failing.set({ webhook }, since / 1000);
    },
  };
}
