import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { textOf } from '@conv/cli/parts';
import { SECRET_MASK } from '@conv/core';
import { eventGuards, type ActionEvent, type Event, isAction, isEvent } from '@conv/core/events';

import type { Claim } from './narrator.ts';
import { type Facts, factsText } from './recount.ts';
import { FACTS_FILE, NOT_LIKE_THIS } from './task.ts';

/** Claims that the file holds the facts that other code found. */
export function factsClaim(written: string | undefined, expected: Facts): Claim {
  return {
    text: `${FACTS_FILE} holds what other code counted: ${expected.files} files, ${expected.packages.length} packages, ${expected.tests} tests`,
    holds: written?.trim() === factsText(expected).trim(),
    found: JSON.stringify(written ?? 'no file'),
  };
}

/** The file with the facts, if there is one. */
export function readFacts(folder: string): string | undefined {
  const file = join(folder, FACTS_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Claims that the interrupted call has one result, which says that its outcome is unknown. */
export function recoveryClaim(events: readonly Event[], call: ActionEvent | undefined): Claim {
  const results = events.filter(
    (event) => eventGuards.isObservationLike(event) && event.tool_call_id === call?.tool_call_id,
  );
  const [result] = results;
  const unknown = result !== undefined && isEvent(result, 'AgentErrorEvent') && /interrupted/.test(result.error);
  return {
    text: 'the command that was cut off has one result: interrupted, outcome unknown. It was not repeated without the model’s request',
    holds: call !== undefined && results.length === 1 && unknown,
    found: `${results.length} results`,
  };
}

/** Claims that the pause is in the log and the run went on from there. */
export function pauseClaim(events: readonly Event[], atPause: number, endStatus: string): Claim {
  const paused = events[atPause - 1];
  return {
    text: 'the log has the pause, no event during it, and the end of the job after it',
    holds: paused !== undefined && isEvent(paused, 'PauseEvent') && endStatus === 'finished' && events.length > atPause,
    found: `${paused?.kind ?? 'no event'}, then ${endStatus}`,
  };
}

/** Claims that each fact stands in the output of a tool from before the file was written. */
export function sourceClaim(events: readonly Event[], expected: Facts): Claim {
  const writing = events.findIndex(
    (event) => isEvent(event, 'ActionEvent') && isAction(event.action, 'FileEditorAction'),
  );
  const outputs = events.slice(0, Math.max(0, writing)).map(outputOf);
  const facts = [String(expected.files), String(expected.tests), ...expected.packages];
  const missing = facts.filter((fact) => !outputs.some((output) => hasWord(output, fact)));
  return {
    text: 'each fact was in a tool’s output before it was written',
    holds: missing.length === 0,
    found: `not in any output: ${missing.join(', ')}`,
  };
}

/** Claims that a tool showed the file as it is. */
export function shownClaim(events: readonly Event[], expected: Facts): Claim {
  const shown = events.some((event) => outputOf(event).trim() === factsText(expected).trim());
  return { text: 'the terminal showed the contents of the file', holds: shown, found: 'no output equals them' };
}

/** Claims that the answer names the counted facts. */
export function answerClaim(text: string, expected: Facts): Claim {
  const words = new Set(text.split(/[\s,;:"'`()]+/).map((word) => word.replace(/\.$/, '')));
  const missing = [String(expected.files), String(expected.tests), ...expected.packages].filter(
    (fact) => !words.has(fact),
  );
  return {
    text: 'the fork knows all three facts without looking again',
    holds: missing.length === 0,
    found: `not in its answer: ${missing.join(', ')}`,
  };
}

/** Claims that the rejected action has the rejection as its only result. */
export function rejectionClaim(events: readonly Event[], rejected: ActionEvent | undefined): Claim {
  const results = events.filter(
    (event) => eventGuards.isObservationLike(event) && event.tool_call_id === rejected?.tool_call_id,
  );
  const [result] = results;
  const refused = result !== undefined && isEvent(result, 'UserRejectObservation');
  return {
    text: 'the rejected command did not run, and the model was told the reason',
    holds: rejected !== undefined && results.length === 1 && refused && result.rejection_reason === NOT_LIKE_THIS,
    found:
      rejected === undefined ? 'no approval was requested' : `${results.length} results, ${result?.kind ?? 'none'}`,
  };
}

/** Claims that the command worked with the value, and that its output was masked. */
export function usedClaim(events: readonly Event[], value: string): Claim {
  const outputs = events.filter((event) => isEvent(event, 'ObservationEvent')).map(outputOf);
  const hash = createHash('sha256').update(value).digest('hex');
  const hashed = outputs.some((output) => output.includes(hash));
  const masked = outputs.some((output) => output.includes(`token: ${SECRET_MASK}`));
  return {
    text: `the command had the value (its SHA-256 is right), and its output shows ${SECRET_MASK} instead`,
    holds: hashed && masked,
    found: `${hashed ? 'the right' : 'another'} hash, ${masked ? 'masked' : 'not masked'}: ${outputs.join(' | ')}`,
  };
}

function outputOf(event: Event): string {
  if (!isEvent(event, 'ObservationEvent')) return '';
  const { content } = event.observation as { readonly content?: unknown };
  return textOf(content).replaceAll('\r\n', '\n');
}

function hasWord(text: string, word: string): boolean {
  return text.split(/[\s,]+/).includes(word);
}
