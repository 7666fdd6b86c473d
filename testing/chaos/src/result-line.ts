import { COUNTERS } from './counters.ts';
import type { Played } from './play-rounds.ts';
import type { RoundResult } from './round/round.ts';

/** Returns the result of all rounds, as a line of JSON. */
export function resultLine(results: readonly RoundResult[]): string {
  const sum = (of: (result: RoundResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const found = COUNTERS.map((counter) => [counter, sum(({ findings }) => findings.count(counter))] as const);
  return JSON.stringify({ rounds: results.length, events: sum(({ events }) => events), ...Object.fromEntries(found) });
}

/** Returns the cost of reconnecting, for people. */
export function trafficLines({ results, kills }: Played): readonly string[] {
  const storms = results.flatMap(({ traffic }) => traffic);
  const returns = results.flatMap(({ returned }) => (returned ? [returned] : []));
  const missed = returns.reduce((total, one) => total + one.missed, 0) / Math.max(1, returns.length);
  return [
    `${kills} kills of servers; in storms ${perConnection(storms)}`,
    `after missing ${missed.toFixed(1)} events in calm weather ${perConnection(returns)}`,
  ];
}

interface Cost {
  readonly requests: number;
  readonly sockets: number;
  readonly bytes: number;
}

function perConnection(costs: readonly Cost[]): string {
  const sum = (of: (cost: Cost) => number): number => costs.reduce((total, cost) => total + of(cost), 0);
  const sockets = sum((cost) => cost.sockets);
  const each = (of: (cost: Cost) => number): number => sum(of) / Math.max(1, sockets);
  const requests = each((cost) => cost.requests).toFixed(1);
  return `${sockets} connections of sockets, ${requests} requests and ${Math.round(each((cost) => cost.bytes))} bytes each`;
}
