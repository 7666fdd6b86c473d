import type { StuckDetector } from '@conv/core';
import { drafts, stampEvent, textContent, type Event } from '@conv/core/events';
import { createStuckDetector } from '@conv/stuck';

import { median, type Figure } from '../figure.ts';

/** Characters of one result. */
const RESULT = 1000;
const BLOCK = 200;
/** Events after which the engine has made what it runs as fast as it gets. */
const WARM_UP = 20_000;

/** Measures the cost of the loop detection for one event, after `size` events. */
export async function stuckCheck(size: number, blocks: number): Promise<readonly Figure[]> {
  const detector = createStuckDetector();
  folded(detector, WARM_UP);
  let state = folded(detector, size);
  const measured: number[] = [];
  for (let block = 0; block < blocks; block++) {
    const events = Array.from({ length: BLOCK / 2 }, (_, at) => turn(size + block * BLOCK + at * 2)).flat();
    const start = performance.now();
    for (const event of events) {
      state = detector.apply(state, event);
      if (detector.find(state)) throw new Error('a loop was found where there is none');
    }
    measured.push(((performance.now() - start) * 1000) / events.length);
  }
  return [
    {
      name: `stuck.check.${size}`,
      value: median(measured),
      unit: 'us',
      baseline: null,
      ratio: null,
      target: { of: 'value', is: 'at most', limit: 5 },
    },
  ];
}

/** The state behind so many events. */
function folded(detector: StuckDetector, size: number): unknown {
  let state = detector.initial;
  for (let at = 0; at < size; at += 2) for (const event of turn(at)) state = detector.apply(state, event);
  return state;
}

/** A call and its result, as an agent at honest work makes them. */
function turn(at: number): readonly Event[] {
  const id = `call_${at}`;
  const tool_call = {
    id,
    name: 'terminal',
    arguments: JSON.stringify({ command: `cat ${at}` }),
    origin: 'completion',
  } as const;
  const fields = { tool_name: 'terminal', tool_call_id: id, tool_call, llm_response_id: `response_${at}` };
  const timestamp = '2026-03-01T10:00:00.000001';
  const call = stampEvent(drafts.action({ ...fields, action: { kind: 'TerminalAction', command: `cat ${at}` } }), {
    id: `a${at}`,
    timestamp,
  });
  const text = outputOf(at);
  const result = drafts.observation(call, {
    kind: 'TerminalObservation',
    content: [textContent(text)],
    is_error: false,
    command: `cat ${at}`,
    exit_code: 0,
  });
  // as they come from a log or a provider: whole texts, and not pieces that were put together just now
  return JSON.parse(JSON.stringify([call, stampEvent(result, { id: `o${at}`, timestamp })])) as Event[];
}

/** Returns outputs of tools, in turns: source, a run of tests, a listing. */
function outputOf(at: number): string {
  const lineOf = OUTPUTS[(at / 2) % OUTPUTS.length] ?? sourceLine;
  let text = '';
  for (let line = at; text.length < RESULT; line++) text += `${lineOf(line)}\n`;
  return text.slice(0, RESULT);
}

const sourceLine = (line: number): string =>
  `  const total${line} = items.filter((item) => item.open).reduce(sum, start);`;
const testLine = (line: number): string =>
  `✓ test/state/part-${line % 89}.test.ts: every event is folded in the order of the log`;
const listedLine = (line: number): string =>
  `-rw-r--r-- 1 agent agent ${1000 + (line % 977)} Mar  1 10:00 packages/core/src/state/part-${line % 89}.ts`;

const OUTPUTS = [sourceLine, testLine, listedLine];
