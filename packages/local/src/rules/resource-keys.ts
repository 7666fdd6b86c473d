import type { AgentSession } from '@conv/core';
import { isFinishCall, type ActionEvent } from '@conv/core/events';

/** Milliseconds that a call waits for a resource that one other call holds, by what the key begins with. */
const FILE_WAIT = 30_000;
const WAIT = 300_000;

/** What a call needs while it runs. */
export interface CallNeeds {
  /** Held by no other call meanwhile. */
  readonly keys: readonly string[];
  /** No other call may run meanwhile, whatever it needs. */
  readonly alone: boolean;
}

/**
 * What the call needs: the keys that its tool declares; without a declaration `tool:` and the tool's name, so that no two calls
 * of such a tool run at once. `finish` ends the run, so it comes when everything before it has ended.
 */
export function needsOf(session: Pick<AgentSession, 'resources'>, action: ActionEvent): CallNeeds {
  return { keys: keysOf(session, action), alone: isFinishCall(action) };
}

/** Milliseconds after which a call gives up on a resource that another call holds all that time. */
export function waitFor(key: string): number {
  return key.startsWith('file:') ? FILE_WAIT : WAIT;
}

function keysOf(session: Pick<AgentSession, 'resources'>, action: ActionEvent): readonly string[] {
  const own = [`tool:${action.tool_name}`];
  try {
    const keys: unknown = session.resources(action);
    // a tool that is no TypeScript may say anything
    return isListOfNames(keys) ? keys : own;
  } catch {
    // its failure is reported when it runs
    return own;
  }
}

function isListOfNames(keys: unknown): keys is readonly string[] {
  return Array.isArray(keys) && keys.every((key) => typeof key === 'string');
}
