/**
 * A scripted language model behind a real HTTP server on loopback: OpenAI's Chat Completions and Responses and
 * Anthropic's Messages, streaming or not, with faults on demand. Every request is held against the provider's rules.
 *
 * @packageDocumentation
 */

export { BACKTICK_MODEL, type BacktickModel, startBacktickModel } from './backtick-model.ts';
export { createModelServer, type ModelServer, type ModelServerOptions } from './model-server.ts';
export type { Script, TurnContext, TurnFunction } from './script.ts';
export type {
  Answer,
  DropFault,
  Fault,
  HangFault,
  NonsenseFault,
  ScriptedCall,
  ScriptedUsage,
  StatusFault,
  Turn,
  TurnTiming,
} from './turn.ts';
export { call, calls, drop, fail, hang, nonsense, say, type FailOptions } from './turn-builders.ts';
export {
  lastUserText,
  toolResults,
  type Api,
  type ModelMessage,
  type ModelRequest,
  type OfferedTool,
  type RequestedCall,
  type RequestOutcome,
  type ToolResult,
} from './model-request.ts';
export type { JsonObject } from './json.ts';
export type { RuleId, Violation } from './rules.ts';
