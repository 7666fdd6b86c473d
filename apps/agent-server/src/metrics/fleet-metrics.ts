import type { FleetObserver } from '@conv/server';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts forwarded commands and takeovers of a fleet. */
export function fleetMetrics(registry: Registry): FleetObserver {
  const registers = [registry];
  const forwarded = new Counter({
    name: 'conv_forwarded_requests_total',
    help: 'Commands for conversations of other servers: answered by the owner, lost, or executed here after all.',
    labelNames: ['outcome'],
    registers,
  });
  const takeovers = new Counter({
    name: 'conv_takeovers_total',
    help: 'Runs of other servers that continued here.',
    registers,
  });
  const withoutOwner = new Histogram({
    name: 'conv_without_owner_seconds',
    help: 'Time from the last heartbeat of a server until one of its runs continued here.',
    buckets: [0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120, 300],
    registers,
  });
  return {
    forwarded: (outcome) => forwarded.inc({ outcome }),
    tookOver: (_conversationId, { withoutOwner: milliseconds }) => {
      takeovers.inc();
      if (milliseconds !== undefined) withoutOwner.observe(milliseconds / 1000);
    },
  };
}
