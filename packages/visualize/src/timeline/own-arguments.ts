import { type ActionEvent, isAction, type JsonObject } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';

/** Parameters that agents add to every tool for the model, unless the tool has a parameter of the same name. */
const ADDED: ReadonlySet<string> = new Set(['security_risk', 'summary']);

/**
 * Returns the arguments of a call without the parameters that agents add for the model: the tool's own, which a person may edit.
 * Returns `undefined` if the arguments are no JSON object.
 */
export function ownArguments({
  action,
  tool_call: { arguments: json },
}: Pick<ActionEvent, 'action' | 'tool_call'>): JsonObject | undefined {
  const given = argumentsIn(json);
  if (!given) return undefined;
  const taken = takenBy(action);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !ADDED.has(name) || Object.hasOwn(taken, name)));
}

/** Returns what the tool gets: an action holds the tool's own arguments alone. */
function takenBy(action: ActionEvent['action']): object {
  if (isAction(action, 'MCPToolAction')) return action.data ?? {};
  // the answer of an agent with a response schema is the text of the message
  if (isAction(action, 'FinishAction')) return argumentsIn(action.message) ?? action;
  return action ?? {};
}

/** Returns the arguments of a call in a text; `undefined` unless it is a JSON object. */
export function argumentsIn(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
