import type { Action, JsonObject, MessageToolCall, SecurityRisk } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { isToolError } from '@conv/core/tool';
import { parseJson } from '../base/json.ts';
import { malformedArguments, malformedError } from '../base/malformed-call.ts';
import type { MaskText } from '../base/mask-text.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import { calledTool } from './called-tool.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { pythonJson } from './python-json.ts';
import { parseLoosely } from './repair-json.ts';
import { declaredRisk, withRiskName } from './security-risk.ts';

/** A call that its tool can execute. */
export interface ValidCall {
  readonly toolCall: MessageToolCall;
  readonly action: Action;
  readonly risk: SecurityRisk;
  readonly summary: string;
}

/** A call that cannot be executed, as the model made it, and the error that the model reads. */
export interface InvalidCall {
  readonly toolCall: MessageToolCall;
  readonly error: string;
}

/** The tools and settings against which calls are read. */
export interface CallRules {
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** True if a security analyzer is set, so that the risk that the model declares matters. */
  readonly hasAnalyzer: boolean;
  /** Masks a text before it is cut. */
  readonly mask: MaskText;
}

const MAX_SUMMARY = 500;

/** Puts a call into the form in which it is stored. Never throws. */
export function readCall(made: MessageToolCall, rules: CallRules): ValidCall | InvalidCall {
  const call = { ...made, name: made.name.toWellFormed() };
  const parsed = call.arguments.trim() === '' ? {} : parseLoosely(call.arguments);
  const unread = parsed === undefined ? notJson(call.name) : malformedError(parsed);
  if (unread !== undefined)
    return { toolCall: { ...call, arguments: pythonJson(malformedArguments(unread)) }, error: unread };
  const meant = calledTool(call.name, toObject(parsed), (name) => rules.tools.has(name));
  const offered = rules.tools.get(meant.name);
  const asSent = { ...call, arguments: isJson(call.arguments) ? call.arguments : pythonJson(toObject(parsed)) };
  if (offered === undefined) return { toolCall: asSent, error: unknownTool(call.name, rules) };
  try {
    return toAction(call, withRiskName(meant.args, offered), offered, rules);
  } catch (error) {
    return { toolCall: asSent, error: explain(error, meant.args, offered, rules.mask) };
  }
}

function toAction(call: MessageToolCall, given: JsonObject, offered: OfferedTool, rules: CallRules): ValidCall {
  const args = coerceArguments(given, offered.schema);
  const risk = declaredRisk(args, offered, rules.hasAnalyzer);
  if (risk === undefined) throw new InvalidRisk();
  const input = offered.tool.parse(ownArguments(args, offered));
  return {
    toolCall: { ...call, name: offered.tool.name, arguments: pythonJson(args) },
    // An action is JSON: members that a schema leaves `undefined` are absent from it.
    action: JSON.parse(JSON.stringify(offered.tool.wire.toAction(input))) as Action,
    risk,
    summary: summaryOf(offered.tool.name, args, rules.mask),
  };
}

const SYNTHETIC = new Set(['security_risk', 'summary']);

/** Returns the arguments without the parameters that are added to a tool for the model. */
export function ownArguments(args: JsonObject, { own }: OfferedTool): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !SYNTHETIC.has(name) || own.has(name)));
}

class InvalidRisk extends Error {}

/** Returns the model's summary of a call, or its tool and arguments. */
export function summaryOf(name: string, args: JsonObject, mask: MaskText): string {
  const { summary, security_risk: _, ...rest } = args;
  if (typeof summary === 'string' && summary.trim() !== '') return shortened(summary.trim(), mask);
  return shortened(`${name}: ${pythonJson(rest)}`, mask);
}

function shortened(whole: string, mask: MaskText): string {
  if (whole.length <= MAX_SUMMARY) return whole;
  const text = mask(whole);
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns the arguments as an object, also if the model sent it as text; any other value counts as an empty object. */
function toObject(value: unknown): JsonObject {
  const inner = typeof value === 'string' ? parseLoosely(value) : value;
  return isObject(inner) ? (inner as JsonObject) : {};
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

function notJson(name: string): string {
  return `The arguments for tool '${name}' are not valid JSON. Send one JSON object, with line breaks in strings written as \\n.`;
}

function unknownTool(name: string, { tools }: CallRules): string {
  const wrong = name.trim() === '' ? 'The call names no tool' : `Tool '${name}' not found`;
  return `${wrong}. Available tools: ${[...tools.keys()].join(', ')}.`;
}

/** Explains the error in a call by the names of parameters, never by their values, which may be secrets. */
function explain(error: unknown, args: JsonObject, { tool, schema }: OfferedTool, mask: MaskText): string {
  if (error instanceof InvalidRisk)
    return `Invalid security_risk for tool '${tool.name}': use UNKNOWN, LOW, MEDIUM or HIGH.`;
  const wrong = isToolError(error) ? error.message : `Invalid arguments for tool '${tool.name}'`;
  const names = Object.keys(args).filter((name) => !SYNTHETIC.has(name));
  const known = Object.keys(Object(schema['properties']) as object);
  return `${wrong.replace(/\.$/, '')}. Parameters given: ${list(names.map(mask))}; parameters of the tool: ${list(known)}.`;
}

function list(names: readonly string[]): string {
  return names.length === 0
    ? 'none'
    : names.map((name) => (name.length > 64 ? `${name.slice(0, 64)}…` : name)).join(', ');
}
