import { readdirSync, readFileSync } from 'node:fs';
import { type Event, parseEvent, readEvent } from '@conv/core/events';

const conversations = new URL('../../../testing/fixtures/conversations/', import.meta.url);

/** The events that the Python reference wrote into one of its folders. */
export function fixture(id: string): Event[] {
  const folder = new URL(`${id}/events/`, conversations);
  return readdirSync(folder)
    .toSorted()
    .map((file) => readEvent(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))));
}

/** The folders there are. */
export function fixtureIds(): string[] {
  return readdirSync(conversations).toSorted();
}

type Fields = Readonly<Record<string, unknown>>;

/** Writes a log by hand: ids count up, each event follows the one before, time passes as told. */
export class Log {
  readonly events: Event[] = [];
  #milliseconds = Date.UTC(2026, 10, 20, 9, 0, 0);

  /** Lets time pass before the next event. */
  after(milliseconds: number): this {
    this.#milliseconds += milliseconds;
    return this;
  }

  add(kind: string, source: string, fields: Fields = {}): this {
    const id = eventId(this.events.length);
    const parent = this.events.length === 0 ? {} : { parent_id: eventId(this.events.length - 1) };
    const timestamp = new Date(this.#milliseconds).toISOString().replace('Z', '000');
    this.events.push(parseEvent({ id, timestamp, source, ...parent, ...fields, kind }));
    return this;
  }

  user(text: string, fields: Fields = {}): this {
    return this.add('MessageEvent', 'user', { llm_message: { role: 'user', content: [{ text }] }, ...fields });
  }

  agent(text: string): this {
    return this.add('MessageEvent', 'agent', { llm_message: { role: 'assistant', content: [{ text }] } });
  }

  call(toolName: string, callId: string, action: Fields | null, fields: Fields = {}): this {
    return this.add('ActionEvent', 'agent', {
      thought: [],
      ...(action === null ? {} : { action }),
      tool_name: toolName,
      tool_call_id: callId,
      tool_call: { id: callId, name: toolName, arguments: JSON.stringify(action), origin: 'completion' },
      llm_response_id: `response-${callId}`,
      ...fields,
    });
  }

  result(toolName: string, callId: string, text: string, observation: Fields): this {
    return this.add('ObservationEvent', 'environment', {
      tool_name: toolName,
      tool_call_id: callId,
      observation: { content: text === '' ? [] : [{ text }], is_error: false, ...observation },
      action_id: 'see tool_call_id',
    });
  }

  shell(callId: string, command: string, fields: Fields = {}): this {
    return this.call('terminal', callId, { command, kind: 'TerminalAction' }, fields);
  }

  printed(callId: string, text: string, exitCode = 0): this {
    return this.result('terminal', callId, text, { command: '', exit_code: exitCode, kind: 'TerminalObservation' });
  }
}

/** The id of the event at a place in a {@link Log}. */
export function eventId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
