import type { JsonObject } from '@conv/core';
import { wireCall, wireMessage, wireResult } from './wire-event.ts';

/** Events of a turn, after which the next turn begins. */
const TURN = 10;

/** Events after which a condensation follows; the first one comes after half of them. */
const CONDENSED = 1_000;

/**
 * Returns the event at a place of a log of turns: requests, calls with results, changes of files, thoughts, failures, answers, and
 * condensations, which keep the model's view as short as in a real run.
 */
export function turnEvent(index: number): JsonObject {
  if (index % CONDENSED === CONDENSED / 2 + TURN - 1) return condensationAt(index);
  const turn = Math.floor(index / TURN);
  const call = `call-${turn}-${Math.floor((index % TURN) / 2)}`;
  switch (index % TURN) {
    case 0:
      return wireMessage('user', `Request ${turn}: make the greeting friendlier, and run the tests.`);
    case 1:
      return wireCall(
        'terminal',
        call,
        { kind: 'TerminalAction', command: `npm test -- --run ${turn}` },
        'I run the tests first.',
      );
    case 2:
      return wireResult(
        'terminal',
        `call-${turn}-0`,
        turn % 7 === 3 ? '\u001b[31m1 failed\u001b[0m' : '\u001b[32m12 passed\u001b[0m',
        {
          kind: 'TerminalObservation',
          command: 'npm test',
          exit_code: turn % 7 === 3 ? 1 : 0,
        },
      );
    case 3:
      return wireCall('file_editor', `call-${turn}-1`, {
        kind: 'FileEditorAction',
        command: 'str_replace',
        path: `/project/src/greet-${turn % 5}.js`,
        old_str: 'return "Hello " + name;',
        new_str: 'return `Hello ${name}!`;',
      });
    case 4:
      return wireResult('file_editor', `call-${turn}-1`, 'edited', {
        kind: 'FileEditorObservation',
        command: 'str_replace',
        path: `/project/src/greet-${turn % 5}.js`,
        old_content: 'export function greet(name) {\n  return "Hello " + name;\n}\n',
        new_content: 'export function greet(name) {\n  return `Hello ${name}!`;\n}\n',
      });
    case 5:
      return wireCall('terminal', `call-${turn}-2`, { kind: 'TerminalAction', command: 'git diff --stat' });
    case 6:
      return wireResult('terminal', `call-${turn}-2`, ' src/greet.js | 2 +-\n 1 file changed', {
        kind: 'TerminalObservation',
        command: 'git diff --stat',
        exit_code: 0,
      });
    case 7:
      return wireCall('think', `call-${turn}-3`, {
        kind: 'ThinkAction',
        thought: 'The change is small, and the tests say enough.',
      });
    case 8:
      return wireResult('think', `call-${turn}-3`, 'Your thought has been logged.', { kind: 'ThinkObservation' });
    default:
      return wireMessage(
        'agent',
        `Turn ${turn} is **done**:\n\n- changed \`src/greet-${turn % 5}.js\`\n- the tests ${turn % 7 === 3 ? 'fail' : 'pass'}`,
      );
  }
}

/** The id of an event in a generated log. */
export function eventId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

/** A condensation that forgets the turns since the one before it, and its summary, but not the turn in which it stands. */
function condensationAt(index: number): JsonObject {
  const end = index + 1 - TURN;
  const first = Math.max(0, end - CONDENSED);
  const forgotten = Array.from({ length: end - first }, (_, place) => eventId(first + place));
  const before = first === 0 ? [] : [`${eventId(index - CONDENSED)}-summary`];
  return {
    kind: 'Condensation',
    source: 'environment',
    forgotten_event_ids: [...before, ...forgotten],
    summary: `The greeting was made friendlier in ${end / TURN} turns.`,
    summary_offset: 0,
    llm_response_id: `condensation-${index}`,
  };
}
