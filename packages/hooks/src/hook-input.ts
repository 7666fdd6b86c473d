import { maskJson, type HookOccasion, type HookSession, type Json, type JsonObject } from '@conv/core';
import { cutText } from './bounded-text.ts';
import type { HookInput } from './hooks-config.ts';

/** The most bytes of JSON that an event may store of its hook's input. */
const LOGGED_BYTES = 65_536;
const TEXT_LIMITS: readonly number[] = [8000, 2000, 500, 100];
const LOGGED_DEPTH = 12;

/** Returns a copy of a hook's input, without values of secrets. Throws when it cannot be masked. */
export function hookInput(occasion: HookOccasion, session: HookSession): HookInput {
  const mask = (text: string): string => session.secrets?.masker.mask(text) ?? text;
  const { toolInput, toolResponse, message } = occasion;
  return {
    event_type: occasion.type,
    tool_name: occasion.toolName ?? null,
    // copies, because a function may change its input
    tool_input: toolInput ? structuredClone(maskJson(toolInput, mask)) : null,
    tool_response: toolResponse ? structuredClone(maskJson(toolResponse, mask)) : null,
    message: message === undefined ? null : mask(message),
    session_id: session.conversationId,
    working_dir: session.workingDirectory,
    metadata: metadataOf(occasion),
  };
}

function metadataOf({ type, actionId, messageId, stopHookActive = false }: HookOccasion): JsonObject {
  return {
    ...(actionId !== undefined && { action_id: actionId }),
    ...(messageId !== undefined && { message_id: messageId }),
    ...(type === 'Stop' && { reason: 'agent_finished', stop_hook_active: stopHookActive }),
  };
}

/** Returns the input that an event keeps: members that it lacks, long parts shortened; `null` when nothing is left. */
export function loggedInput(input: HookInput): JsonObject | null {
  const { tool_name, tool_input, tool_response, message, metadata } = input;
  const all = { tool_name, tool_input, tool_response, message, metadata };
  const told = Object.entries(all).filter(([name, value]) => {
    return value !== null && (name !== 'metadata' || Object.keys(metadata).length > 0);
  });
  if (told.length === 0) return null;
  for (const limit of TEXT_LIMITS) {
    const shortened = Object.fromEntries(told.map(([name, value]) => [name, shorten(value, limit)]));
    if (Buffer.byteLength(JSON.stringify(shortened)) <= LOGGED_BYTES) return shortened;
  }
  return { note: 'left out for its length' };
}

function shorten(value: Json, limit: number, depth = 0): Json {
  if (typeof value === 'string') return cutText(value, limit);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= LOGGED_DEPTH) return '…';
  const most = Math.ceil(limit / 20);
  if (Array.isArray(value)) {
    const items = value.slice(0, most).map((item: Json) => shorten(item, limit, depth + 1));
    return value.length > most ? [...items, `… ${value.length - most} more`] : items;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, most).map(([name, item]): [string, Json] => {
    return [cutText(name, 200), shorten(item, limit, depth + 1)];
  });
  if (members.length > most) kept.push(['…', `${members.length - most} more`]);
  return Object.fromEntries(kept);
}
