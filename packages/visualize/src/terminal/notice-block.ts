import type {
  ActionEvent,
  Event,
  KnownEvent,
  MessageEvent,
  ObservationLikeEvent,
  EventOfKind,
} from '@conv/core/events';
import { amount } from '../text/amounts.ts';
import { bounded, foldedLines } from '../text/fold.ts';
import { type Line, span } from '../text/span.ts';
import { stateValue } from '../text/state-value.ts';
import { type Block, quoted } from './block.ts';

type Notable = Exclude<KnownEvent, MessageEvent | ActionEvent | ObservationLikeEvent>;

/** Returns the one-line notice of an event that is no message, call or result, with its explanation. */
export function noticeBlock(event: Notable, limit: number): Block {
  switch (event.kind) {
    case 'SystemPromptEvent':
      return notice([span('system prompt')], [span(toolNames(event))]);
    case 'Condensation':
      return condensationBlock(event, limit);
    case 'CondensationRequest':
      return notice([span('asked to condense')]);
    case 'CondensationSummaryEvent':
      return { ...notice([span('summary')]), shape: 'full', rows: quoted(foldedLines(event.summary, limit)) };
    case 'ConversationErrorEvent':
    case 'ServerErrorEvent':
      return failureBlock(event.code, event.detail, limit, 'classification' in event ? event : undefined);
    case 'PauseEvent':
      return { ...notice([span('paused by '), span(event.source)]), glyph: span('‖', 'yellow') };
    case 'InterruptEvent':
      return { ...notice([span('interrupted by '), span(event.source)]), glyph: span('‖', 'yellow') };
    case 'HookExecutionEvent':
      return hookBlock(event, limit);
    case 'ACPToolCallEvent':
      return externalCallBlock(event, limit);
    case 'ConversationStateUpdateEvent':
      return stateBlock(event);
    case 'SecurityAnalysisEvent':
      return notice(
        [span('rated by '), span(event.analyzer)],
        [span(Object.values(event.risks).map(String).join(', '))],
      );
    case 'LLMCompletionLogEvent':
      return notice([span('model call logged')], [span(event.model_name ?? event.filename)]);
    case 'TokenEvent':
    case 'StreamingDeltaEvent':
      return notice([span(event.kind)]);
  }
}

/** Returns the notice of an event whose kind or fields are unknown: it only says that the event is there. */
export function unknownBlock(event: Event): Block {
  return notice([span(event.kind)], [span(event.id)]);
}

function notice(...parts: readonly Line[]): Block {
  const dim = parts.map((part): Line => part.map(({ text }) => span(text, 'dim')));
  return { glyph: span('·', 'dim'), parts: dim, rows: [], shape: 'notice' };
}

function stateBlock(event: EventOfKind<'ConversationStateUpdateEvent'>): Block {
  const value = stateValue(event);
  const parts = value === '' ? [] : [bounded([span(value)])];
  return notice([span(`state ${event.key ?? ''}`.trim().replaceAll('_', ' '))], ...parts);
}

function toolNames({ tools }: EventOfKind<'SystemPromptEvent'>): string {
  if (tools.length === 0) return 'no tools';
  const names = tools.map((tool) => tool.client_tool_name ?? mcpName(tool.mcp_tool) ?? tool.title ?? tool.kind);
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${amount(names.length, 'tool')}: ${shown}, …` : `tools: ${shown}`;
}

function mcpName(tool: EventOfKind<'SystemPromptEvent'>['tools'][number]['mcp_tool']): string | undefined {
  return typeof tool?.['name'] === 'string' ? tool['name'] : undefined;
}

function condensationBlock(event: EventOfKind<'Condensation'>, limit: number): Block {
  const forgotten = amount(new Set(event.forgotten_event_ids).size, 'event');
  return {
    glyph: span('≡', 'magenta'),
    parts: [[span('condensed', 'bold')], [span(`${forgotten} left out`)]],
    rows: quoted(foldedLines(event.summary ?? '', limit)),
    shape: 'full',
  };
}

function failureBlock(
  code: string,
  detail: string,
  limit: number,
  event?: EventOfKind<'ConversationErrorEvent'>,
): Block {
  const parts: Line[] = [[span('error', 'red', 'bold')], [span(code, 'bold')]];
  const { kind = 'unknown', retryable = false } = event?.classification ?? {};
  if (kind !== 'unknown') parts.push([span(kind.replaceAll('_', ' '))]);
  if (retryable) parts.push([span('may be tried again')]);
  return { glyph: span('✗', 'red', 'bold'), parts, rows: quoted(foldedLines(detail, limit)), shape: 'full' };
}

function hookBlock(event: EventOfKind<'HookExecutionEvent'>, limit: number): Block {
  const parts: Line[] = [[span('hook', 'bold')], [span(event.hook_event_type)], bounded([span(event.hook_command)])];
  if (event.blocked === true) parts.push([span('blocked', 'yellow', 'bold')]);
  else if (!event.success) parts.push([span(`failed, exit ${event.exit_code}`, 'red', 'bold')]);
  const texts = [event.reason, event.error, event.stdout, event.stderr].filter((text) => typeof text === 'string');
  const rows = quoted(foldedLines(texts.join('\n'), limit));
  const calm = event.success && event.blocked !== true;
  return { glyph: span('↪', calm ? 'dim' : 'yellow'), parts, rows, shape: rows.length > 0 ? 'full' : 'notice' };
}

function externalCallBlock(event: EventOfKind<'ACPToolCallEvent'>, limit: number): Block {
  const failed = event.is_error === true || event.status === 'failed';
  const parts: Line[] = [[span('agent', 'bold', 'cyan')], [span(event.title, 'cyan')]];
  if (typeof event.status === 'string') parts.push([span(event.status.replaceAll('_', ' '))]);
  const { raw_output: output } = event;
  const text =
    typeof output === 'string' ? output : output === undefined || output === null ? '' : JSON.stringify(output);
  const rows = quoted(foldedLines(text, limit));
  return { glyph: failed ? span('✗', 'red', 'bold') : span('◆', 'cyan'), parts, rows, shape: 'full' };
}
