import type { JsonObject } from '@conv/core';
import type { StartConversationRequest } from '@conv/openhands/rest';

import type { HostOptions } from '../hosting/host-options.ts';
import { keptRuntime, offered, runtimesOf, type ExecutorLimits } from '../hosting/runtimes.ts';
import { invalidMember } from '../http/api-error.ts';

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** The smallest limits. Engines of containers round smaller ones to 0, which limits nothing. */
const LEAST: Required<ExecutorLimits> = { memory: 1, processors: 0.01 };

/**
 * Returns the metadata of a new conversation, with the place in which its tools act. Throws {@link ApiError} 422 for a runtime that the server does
 * not offer, for limits above the operator's or so small that they would limit nothing, and for a worktree where conversations have none.
 */
export function chosenRuntime(
  host: Pick<HostOptions, 'runtimes'>,
  { conversation_runtime: wanted, container, worktree }: StartConversationRequest,
): JsonObject {
  const runtimes = runtimesOf(host);
  const name = wanted ?? runtimes.default;
  const runtime = offered(runtimes, name);
  if (runtime === undefined)
    throw invalidMember(
      'conversation_runtime',
      `expected one that this server offers (${Object.keys(runtimes.offered).join(', ')}), found ${name}`,
    );
  if (runtime === true) return {};
  if (worktree && runtime.worktrees === false)
    throw invalidMember('worktree', `a conversation of the runtime ${name} has no worktree of its own; leave it out`);
  const limits: ExecutorLimits = {
    ...(container?.memory ? { memory: bytesOf(container.memory) } : {}),
    ...(container?.cpus ? { processors: container.cpus } : {}),
  };
  checkLimit('memory', 'bytes of memory', limits.memory, [LEAST.memory, runtime.most?.memory]);
  checkLimit('cpus', 'processors', limits.processors, [LEAST.processors, runtime.most?.processors]);
  return keptRuntime(name, limits);
}

function checkLimit(
  member: string,
  what: string,
  wanted: number | undefined,
  [least, most]: readonly [least: number, most: number | undefined],
): void {
  if (wanted === undefined || (most !== undefined && wanted >= least && wanted <= most)) return;
  const bound = wanted < least ? `at least ${least}` : `at most ${most}`;
  const allowed = most === undefined ? 'no choice of' : bound;
  throw invalidMember(
    ['container', member],
    `the server allows ${allowed} ${what}, found ${wanted}; change it, or leave it out`,
  );
}

/** Returns the bytes of a size as Docker writes it. The schema has checked its form. */
function bytesOf(size: string): number {
  return Number.parseInt(size, 10) * (UNITS[size.slice(-1).toLowerCase()] ?? 1);
}
