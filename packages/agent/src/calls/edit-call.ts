import { type Action, type ActionEvent, drafts, type EventDraftOfKind, type JsonObject } from '@conv/core/events';
import { isObject, type Platform } from '@conv/core/platform';
import { ToolError } from '@conv/core/tool';
import type { MaskText } from '../base/mask-text.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import { pythonJson } from './python-json.ts';
import { ownArguments, summaryOf } from './read-call.ts';

/** The tools and the settings with which a call is edited. */
export interface EditRules {
  readonly platform: Pick<Platform, 'id'>;
  readonly tools: ReadonlyMap<string, OfferedTool>;
  readonly mask: MaskText;
}

/**
 * Returns a call like `event` with the arguments of a person. They mean what they say, so nothing is repaired as it is for models. The
 * model did not rate this call. It belongs to the same response, so that providers get it in the message of the call that it
 * replaces, behind the model's reasoning. Throws `ToolError` `INVALID_INPUT` that names the wrong arguments.
 */
export function editCall(
  event: ActionEvent,
  args: JsonObject,
  { platform, tools, mask }: EditRules,
): EventDraftOfKind<'ActionEvent'> {
  const { tool_name: name, tool_call: call, llm_response_id } = event;
  const offered = tools.get(name);
  if (offered === undefined)
    throw new ToolError(
      'INVALID_INPUT',
      `Tool '${name}' is no longer available, so its call cannot be edited; reject it`,
    );
  const own = ownArguments(args, offered);
  const { tool } = offered;
  const action = JSON.parse(JSON.stringify(tool.wire.toAction(tool.parse(own)))) as Action & JsonObject;
  const lost = lostName(own, tool.wire.fromAction(action));
  if (lost !== undefined) throw new ToolError('INVALID_INPUT', `Invalid arguments for tool '${name}': unknown ${lost}`);
  const id = `call_${platform.id().replaceAll('-', '')}`;
  return drafts.action({
    action,
    summary: summaryOf(name, own, mask),
    tool_name: name,
    tool_call_id: id,
    tool_call: { id, name: call.name, arguments: pythonJson(own), origin: call.origin },
    llm_response_id,
  });
}

/** Returns the path of an argument that the tool would not get, such as `options.depth`. */
function lostName(given: object, taken: unknown): string | undefined {
  for (const [name, value] of Object.entries(given) as readonly (readonly [string, unknown])[]) {
    if (value === null) continue;
    if (!isComposite(taken) || !Object.hasOwn(taken, name)) return name;
    const got = taken[name];
    // a tool may take a whole value in another form
    const inside = isComposite(value) && isComposite(got) ? lostName(value, got) : undefined;
    if (inside !== undefined) return `${name}.${inside}`;
  }
  return undefined;
}

/** True for an object and for a list. */
function isComposite(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) || Array.isArray(value);
}
