import type { AgentSession } from '@conv/core';
import { eventGuards, type ActionEvent } from '@conv/core/events';

/** Milliseconds that a call waits while another call holds its resource, by the prefix of the key. */
const FILE_WAIT = 30_000;
const WAIT = 300_000;

/** Resources that a call needs while it runs. */
export interface CallNeeds {
  /** Keys that no other call may hold meanwhile. */
  readonly keys: readonly string[];
  /** True if no other call may run meanwhile, whatever its resources. */
  readonly alone: boolean;
}

/**
 * Returns the call's needs: the keys that its tool declares. A tool without a declaration gets the key `tool:` plus its name, so
 * that no two of its calls run at once. `finish` ends the run, so it runs alone after everything before it.
 */
export function needsOf(session: Pick<AgentSession, 'resources'>, action: ActionEvent): CallNeeds {
  return { keys: keysOf(session, action), alone: eventGuards.isFinishCall(action) };
}

/** Returns the milliseconds after which a call gives up on a resource that the same other call holds all that time. */
export function waitFor(key: string): number {
  return key.startsWith('file:') ? FILE_WAIT : WAIT;
}

function keysOf(session: Pick<AgentSession, 'resources'>, action: ActionEvent): readonly string[] {
  const own = [`tool:${action.tool_name}`];
  try {
    const keys: unknown = session.resources(action);
    // a tool in plain JavaScript may return anything
    return isListOfNames(keys) ? keys : own;
  } catch {
    // its failure is reported when it runs
    return own;
  }
}

function isListOfNames(keys: unknown): keys is readonly string[] {
  return Array.isArray(keys) && keys.every((key) => typeof key === 'string');
}
