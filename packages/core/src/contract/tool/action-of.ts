import { wrongValue } from '../settings-input/invalid-option.ts';
import { type Event, isEvent, type JsonObject } from '../../events/index.ts';
import { isToolError } from '../errors/tool-error.ts';
import type { TypedTool } from './tool.ts';

/**
 * Returns the input of a call of this tool, with the types of its schema; `undefined` when the event is not a call of it, was
 * refused, or does not fit the schema any more. Secrets are masked in it, as they are in the event.
 */
export function actionOf<Input>(event: Event, tool: TypedTool<Input>): Input | undefined {
  if (typeof event?.kind !== 'string') throw new TypeError(wrongValue('actionOf: event', 'an event', event));
  if (!isEvent(event, 'ActionEvent') || event.tool_name !== tool.name || !event.action) return undefined;
  try {
    return tool.parse(tool.wire.fromAction(event.action as unknown as JsonObject)) as Input;
  } catch (error) {
    if (isToolError(error)) return undefined;
    throw error;
  }
}
