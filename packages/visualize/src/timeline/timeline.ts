import { eventGuards, type ActionEvent, type KnownEvent, type ObservationLikeEvent } from '@conv/core/events';
import { checkEvents } from './event-forest.ts';
import { elapsed } from '../text/amounts.ts';
import { stateValue } from '../text/state-value.ts';
import { callContent, callTitle } from './call-content.ts';
import { reasoningOf, summaryOf } from './model-words.ts';
import { contentOf, resultContent } from './result-content.ts';
import type { CallBlock, NoticeBlock, NumberedEvent, TimelineBlock } from './timeline-block.ts';

/**
 * Returns the blocks of these events, in order: a call and its result are one block, at the place of the call. `events` is a part
 * of a log, in log order; gaps are allowed. A result whose call is not among them is a block of its own.
 */
export function timeline(events: Iterable<NumberedEvent>): readonly TimelineBlock[] {
  checkEvents('timeline', events);
  const blocks: TimelineBlock[] = [];
  const open = new Map<string, number>();
  for (const entry of events) {
    const { event } = entry;
    if (!eventGuards.isKnownEvent(event)) {
      blocks.push(notice(entry, event.kind));
    } else if (event.kind === 'ActionEvent') {
      open.set(event.tool_call_id, blocks.length);
      blocks.push(callBlock(entry, event));
    } else if (eventGuards.isObservationLike(event)) {
      const place = open.get(event.tool_call_id);
      const call = place === undefined ? undefined : blocks[place];
      open.delete(event.tool_call_id);
      if (place === undefined || call?.kind !== 'call') blocks.push(loneResult(entry, event));
      else blocks[place] = answered(call, entry, event);
    } else {
      blocks.push(otherBlock(entry, event));
    }
  }
  return blocks;
}

type OtherEvent = Exclude<KnownEvent, ActionEvent | ObservationLikeEvent>;

function base(entry: NumberedEvent): Pick<TimelineBlock, 'id' | 'index' | 'events' | 'timestamp'> {
  const { id, timestamp } = entry.event;
  return { id, index: entry.index, events: [entry], timestamp };
}

function callBlock(entry: NumberedEvent, event: ActionEvent): CallBlock {
  const content = callContent(event);
  return {
    ...base(entry),
    kind: 'call',
    toolName: event.tool_name,
    title: callTitle(content),
    thought: event.thought.map(({ text }) => text).join('\n'),
    reasoning: reasoningOf(event),
    summary: summaryOf(event),
    risk: event.security_risk ?? 'UNKNOWN',
    content,
  };
}

function answered(call: CallBlock, entry: NumberedEvent, event: ObservationLikeEvent): CallBlock {
  const took = elapsed(call.timestamp, event.timestamp);
  return {
    ...call,
    events: [...call.events, entry],
    result: resultContent(event),
    ...(took === undefined ? {} : { took }),
  };
}

function loneResult(entry: NumberedEvent, event: ObservationLikeEvent): CallBlock {
  return {
    ...base(entry),
    kind: 'call',
    toolName: event.tool_name,
    title: '',
    thought: '',
    reasoning: '',
    summary: '',
    risk: 'UNKNOWN',
    result: resultContent(event),
  };
}

function otherBlock(entry: NumberedEvent, event: OtherEvent): TimelineBlock {
  switch (event.kind) {
    case 'MessageEvent': {
      const { llm_message: message, sender } = event;
      return {
        ...base(entry),
        kind: 'message',
        from: event.source,
        ...(typeof sender === 'string' && sender !== '' ? { sender } : {}),
        ...contentOf(message),
        reasoning: reasoningOf(message),
      };
    }
    case 'ConversationErrorEvent':
    case 'ServerErrorEvent': {
      const retryable = 'classification' in event && event.classification?.retryable === true;
      return { ...base(entry), kind: 'error', code: event.code, detail: event.detail, retryable };
    }
    case 'Condensation': {
      const hidden = new Set(event.forgotten_event_ids).size;
      return { ...base(entry), kind: 'condensation', hidden, summary: event.summary ?? '' };
    }
    case 'HookExecutionEvent': {
      const texts = [event.reason, event.error, event.stdout, event.stderr].filter((text) => typeof text === 'string');
      return {
        ...base(entry),
        kind: 'hook',
        hook: event.hook_event_type,
        command: event.hook_command,
        outcome: event.blocked === true ? 'blocked' : event.success ? 'ok' : 'failed',
        text: texts.join('\n'),
      };
    }
    case 'SystemPromptEvent': {
      const texts = [event.system_prompt.text, event.dynamic_context?.text ?? ''];
      return notice(entry, 'system prompt', texts.filter(Boolean).join('\n\n'));
    }
    case 'CondensationRequest':
      return notice(entry, 'condensation requested');
    case 'CondensationSummaryEvent':
      return notice(entry, 'summary', event.summary);
    case 'ConversationStateUpdateEvent':
      return event.key === 'execution_status' && typeof event.value === 'string'
        ? notice(entry, `status: ${event.value.replaceAll('_', ' ')}`)
        : notice(entry, `state ${event.key ?? ''}`.trim(), stateValue(event));
    case 'PauseEvent':
      return notice(entry, `paused by ${event.source}`);
    case 'InterruptEvent':
      return notice(entry, `interrupted by ${event.source}`);
    case 'ACPToolCallEvent':
      return notice(entry, [event.title, event.status].filter(Boolean).join(' · '), jsonText(event.raw_output));
    case 'SecurityAnalysisEvent':
      return notice(entry, `rated by ${event.analyzer}`, Object.values(event.risks).map(String).join(', '));
    case 'LLMCompletionLogEvent':
      return notice(entry, 'model call logged', event.model_name ?? event.filename);
    case 'TokenEvent':
    case 'StreamingDeltaEvent':
      return notice(entry, event.kind);
  }
}

function notice(entry: NumberedEvent, title: string, text = ''): NoticeBlock {
  return { ...base(entry), kind: 'notice', title, text };
}

function jsonText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
