import { checkOptionNames, type OptionNames } from '@conv/core';
import { eventGuards, type Event, isAction, isEvent } from '@conv/core/events';
import { amount, duration, elapsed } from '../text/amounts.ts';
import { contentText } from '../timeline/result-content.ts';
import { checkEvents } from '../timeline/event-forest.ts';
import { callLabel, eventLabel, firstLine, hasFailed, resultLabel } from './event-label.ts';
import { mermaidText } from './mermaid-text.ts';

/** Options of {@link sequenceDiagram}. */
export interface SequenceDiagramOptions {
  /** The number of steps above which the middle is folded. Default: 60. */
  readonly limit?: number;
  /** The shortest duration of a call that is noted, in milliseconds. Default: 100. */
  readonly noteFrom?: number;
}

/** An event of the diagram: its lines, and the tool that they name. */
interface Step {
  readonly lines: readonly string[];
  readonly tool?: string;
}

const NAMES: OptionNames<SequenceDiagramOptions> = { limit: true, noteFrom: true };

/**
 * Returns a run as a Mermaid sequence diagram of user, agent and tools: messages, calls with their results, and
 * durations of calls. Give it the events of one branch, in order; the same events give the same text. System prompts
 * and state updates are left out.
 */
export function sequenceDiagram(events: Iterable<Event>, options: SequenceDiagramOptions = {}): string {
  checkOptionNames('sequenceDiagram', options, NAMES);
  checkEvents('sequenceDiagram', events);
  const { limit = 60, noteFrom = 100 } = options;
  const tools = new ToolNames();
  const steps = foldSteps(stepsOf(events, tools, noteFrom), Math.max(3, limit));
  const shown = new Set(steps.map(({ tool }) => tool));
  const participants = tools.all
    .filter(({ id }) => shown.has(id))
    .map(({ id, name }) => `participant ${id} as ${mermaidText(name)}`);
  const lines = [
    'actor user as User',
    'participant agent as Agent',
    ...participants,
    ...steps.flatMap(({ lines }) => lines),
  ];
  return `sequenceDiagram\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Gives every tool an id that Mermaid takes, in order of appearance. */
class ToolNames {
  readonly #ids = new Map<string, string>();

  get all(): readonly { id: string; name: string }[] {
    return [...this.#ids].map(([name, id]) => ({ id, name }));
  }

  idOf(name: string): string {
    const id = this.#ids.get(name) ?? `tool${this.#ids.size + 1}`;
    this.#ids.set(name, id);
    return id;
  }
}

function stepsOf(events: Iterable<Event>, tools: ToolNames, noteFrom: number): Step[] {
  const began = new Map<string, string>();
  const steps: Step[] = [];
  for (const event of events) {
    if (isEvent(event, 'ActionEvent')) began.set(event.tool_call_id, event.timestamp);
    const step = stepOf(event, tools);
    if (step === undefined) continue;
    const start = eventGuards.isObservationLike(event) ? began.get(event.tool_call_id) : undefined;
    const took = start === undefined ? undefined : elapsed(start, event.timestamp);
    const note = took !== undefined && took >= noteFrom && step.tool !== undefined;
    steps.push(note ? { ...step, lines: [...step.lines, `Note right of ${step.tool}: ${duration(took)}`] } : step);
  }
  return steps;
}

function stepOf(event: Event, tools: ToolNames): Step | undefined {
  if (!eventGuards.isKnownEvent(event)) return { lines: [`Note over agent: ${mermaidText(event.kind)}`] };
  switch (event.kind) {
    case 'SystemPromptEvent':
    case 'ConversationStateUpdateEvent':
    case 'StreamingDeltaEvent':
    case 'TokenEvent':
    case 'LLMCompletionLogEvent':
      return undefined;
    case 'MessageEvent': {
      const text = mermaidText(firstLine(contentText(event.llm_message)));
      if (event.source === 'environment') return { lines: [`Note over agent: ${text}`] };
      return { lines: [event.source === 'user' ? `user->>agent: ${text}` : `agent->>user: ${text}`] };
    }
    case 'ActionEvent': {
      if (isAction(event.action, 'FinishAction'))
        return { lines: [`agent->>user: ${mermaidText(firstLine(event.action.message))}`] };
      if (isAction(event.action, 'ThinkAction'))
        return { lines: [`Note over agent: ${mermaidText(firstLine(event.action.thought))}`] };
      const tool = tools.idOf(event.tool_name);
      return { tool, lines: [`agent->>${tool}: ${mermaidText(callLabel(event))}`] };
    }
    case 'ObservationEvent': {
      const { kind } = event.observation;
      if (kind === 'FinishObservation' || kind === 'ThinkObservation') return undefined;
      const tool = tools.idOf(event.tool_name);
      const arrow = hasFailed(event) ? '--x' : '-->>';
      return { tool, lines: [`${tool}${arrow}agent: ${mermaidText(resultLabel(event))}`] };
    }
    case 'AgentErrorEvent': {
      const tool = tools.idOf(event.tool_name);
      return { tool, lines: [`${tool}--xagent: ${mermaidText(`error: ${event.error}`)}`] };
    }
    case 'UserRejectObservation': {
      const by = event.rejection_source === 'hook' ? 'a hook' : 'user';
      const text = mermaidText(`${event.tool_name} rejected by ${by}: ${event.rejection_reason ?? ''}`);
      return { lines: [event.rejection_source === 'hook' ? `Note over agent: ${text}` : `user--xagent: ${text}`] };
    }
    case 'PauseEvent':
    case 'InterruptEvent':
      return { lines: [`Note over user,agent: ${mermaidText(eventLabel(event))}`] };
    case 'Condensation':
    case 'CondensationRequest':
    case 'CondensationSummaryEvent':
    case 'ConversationErrorEvent':
    case 'ServerErrorEvent':
    case 'HookExecutionEvent':
    case 'SecurityAnalysisEvent':
    case 'ACPToolCallEvent':
      return { lines: [`Note over agent: ${mermaidText(eventLabel(event))}`] };
  }
}

function foldSteps(steps: readonly Step[], limit: number): readonly Step[] {
  if (steps.length <= limit) return steps;
  const head = Math.ceil((limit - 1) * 0.6);
  const tail = limit - 1 - head;
  const hidden = amount(steps.length - head - tail, 'more step');
  return [
    ...steps.slice(0, head),
    { lines: [`Note over user,agent: … ${hidden} …`] },
    ...steps.slice(steps.length - tail),
  ];
}
