import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { drafts, type ActionEvent, type Event, parseEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import {
  answerClaim,
  factsClaim,
  pauseClaim,
  recoveryClaim,
  rejectionClaim,
  shownClaim,
  sourceClaim,
  usedClaim,
} from '../src/job/claims.ts';
import { allInFiles, allInLog } from '../src/job/compare-events.ts';
import { copyRepository } from '../src/job/copy-repository.ts';
import { readEventFiles } from '../src/job/outside-reader.ts';
import { factsText, recount } from '../src/job/recount.ts';
import { NOT_LIKE_THIS } from '../src/job/task.ts';
import { newFolder } from './new-folder.ts';

const facts = { files: 12, packages: ['a', 'b'], tests: 3 };

describe('the file of facts', () => {
  test('the file of facts holds when its counts are right, with or without a last line break', () => {
    expect(factsClaim('files: 12\npackages: a, b\ntests: 3\n', facts).holds).toBe(true);
    expect(factsClaim('files: 12\npackages: a, b\ntests: 3', facts).holds).toBe(true);
  });

  test.each(['files: 13\npackages: a, b\ntests: 3\n', 'files: 12\npackages: a\ntests: 3\n', '', undefined])(
    'the file of facts does not hold for %j',
    (written) => expect(factsClaim(written, facts).holds).toBe(false),
  );
});

describe('acknowledged events', () => {
  const log = [{ id: 'a' }, { id: 'b' }] as unknown as Event[];
  const acknowledged = log.map((event, index) => ({ event, index }));

  test('acknowledged events hold when each is at its place as it was acknowledged', () => {
    expect(allInLog(acknowledged, [...log, { id: 'c' }], 'it').holds).toBe(true);
  });

  test('acknowledged events do not hold when one is missing, differs or moved, or when there are none', () => {
    expect(allInLog(acknowledged, log.slice(0, 1), 'it').holds).toBe(false);
    expect(allInLog(acknowledged, [{ id: 'a' }, { id: 'b', more: 1 }], 'it').holds).toBe(false);
    expect(allInLog(acknowledged, log.toReversed(), 'it').holds).toBe(false);
    expect(allInLog([], log, 'it').holds).toBe(false);
  });

  test('files do not hold with a gap or with an event twice', () => {
    const files = log.map((event, index) => ({ index, id: String(event.id), event }));
    expect(allInFiles(acknowledged, files).holds).toBe(true);
    expect(allInFiles(acknowledged.slice(0, 1), [files[0]!, { ...files[1]!, index: 2 }]).holds).toBe(false);
    expect(allInFiles(acknowledged, [...files, { ...files[1]!, index: 2 }]).holds).toBe(false);
  });

  test('files are read by position from a folder that any program may have written', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'events'));
    for (const [index, id] of 'abcdefghijkl'.split('').entries()) {
      writeFileSync(
        join(folder, 'events', `event-${String(index).padStart(5, '0')}-${id}.json`),
        JSON.stringify({ id }),
      );
    }
    expect(
      readEventFiles(folder)
        .map(({ id }) => id)
        .join(''),
    ).toBe('abcdefghijkl');
  });
});

describe('events of the job', () => {
  const call = stored({
    kind: 'ActionEvent',
    id: 'action',
    source: 'agent',
    tool_name: 'terminal',
    tool_call_id: 'call',
    llm_response_id: 'r',
    thought: [],
    thinking_blocks: [],
    action: { kind: 'TerminalAction', command: 'x' },
    tool_call: { id: 'call', name: 'terminal', arguments: '{}', origin: 'completion' },
  });
  const output = (text: string): Event =>
    stored({
      ...drafts.observation(
        call as never,
        { kind: 'TerminalObservation', command: 'x', content: [{ type: 'text', text }], is_error: false } as never,
      ),
      id: text,
    });
  const writing = stored({
    ...call,
    id: 'writing',
    tool_name: 'file_editor',
    action: { kind: 'FileEditorAction', command: 'create', path: '/f' },
  });

  test('a fact that only stands in an output behind the writing is not from a tool', () => {
    expect(sourceClaim([output('12'), output('a, b'), output('3'), writing], facts).holds).toBe(true);
    expect(sourceClaim([output('12'), output('a, b'), writing, output('3')], facts).holds).toBe(false);
    expect(sourceClaim([output('123'), output('a, b'), writing], facts).holds).toBe(false);
  });

  test('showing the file means an output that equals it', () => {
    expect(shownClaim([output(factsText(facts))], facts).holds).toBe(true);
    expect(shownClaim([output('files: 12')], facts).holds).toBe(false);
  });

  test('a call that was cut off has exactly one result, and that says so', () => {
    const interrupted = stored({ ...drafts.agentError(call as never, 'This call was interrupted.'), id: 'e' });
    expect(recoveryClaim([call, interrupted], call as never).holds).toBe(true);
    expect(recoveryClaim([call, output('3')], call as never).holds).toBe(false);
    expect(recoveryClaim([call, interrupted, output('3')], call as never).holds).toBe(false);
    expect(recoveryClaim([call], call as never).holds).toBe(false);
    expect(recoveryClaim([call], undefined).holds).toBe(false);
  });

  test('a pause holds when it is the last event of its moment and the run finished behind it', () => {
    const pause = stored({ kind: 'PauseEvent', id: 'p', source: 'user' });
    expect(pauseClaim([call, pause, writing], 2, 'finished').holds).toBe(true);
    expect(pauseClaim([call, pause], 2, 'finished').holds).toBe(false);
    expect(pauseClaim([call, writing, pause], 2, 'finished').holds).toBe(false);
    expect(pauseClaim([call, pause, writing], 2, 'error').holds).toBe(false);
  });
});

test('the answer of the fork names every fact as a word of its own', () => {
  expect(answerClaim('There are 12 files, 3 tests: `a` and b.', facts).holds).toBe(true);
  expect(answerClaim('There are 120 files, 3 tests: a and b.', facts).holds).toBe(false);
});

test('the recount of a copy of this repository finds what shell commands find', () => {
  const folder = join(newFolder(), 'copy');
  copyRepository(folder);
  const shell = (command: string): string =>
    execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }).trim();
  const { files, packages, tests } = recount(folder);
  expect(files).toBe(Number(shell('find . -type f | wc -l')));
  expect(packages).toHaveLength(Number(shell('find . -name package.json -type f | wc -l')));
  expect(packages).toContain('@conv/demo');
  expect(tests).toBe(Number(shell(`grep -rhE --include='*.test.ts' '^ *(test|it)\\(' . | wc -l`)));
  expect(files).toBeGreaterThan(100);
});

function stored(fields: object): Event {
  return parseEvent({ timestamp: '2026-11-20T07:00:00.000000', ...fields });
}

describe('a rejected action', () => {
  const call = { tool_name: 'terminal', tool_call_id: 'c1', id: 'a1' } as ActionEvent;
  const reject = drafts.userReject(call, NOT_LIKE_THIS) as unknown as Event;
  const ran = { kind: 'ObservationEvent', tool_call_id: 'c1', tool_name: 'terminal', action_id: 'a1' } as Event;

  test('a rejected action holds when its one result is the rejection, in the words of the person', () => {
    expect(rejectionClaim([reject], call).holds).toBe(true);
  });

  test('a rejected action does not hold when it ran, when no person was asked, or for another reason', () => {
    expect(rejectionClaim([ran], call).holds).toBe(false);
    expect(rejectionClaim([reject, ran], call).holds).toBe(false);
    expect(rejectionClaim([reject], undefined).holds).toBe(false);
    expect(rejectionClaim([drafts.userReject(call, 'no') as unknown as Event], call).holds).toBe(false);
  });
});

describe('a used secret', () => {
  const value = 'tok_12345678';
  const hash = createHash('sha256').update(value).digest('hex');
  const printed = (text: string): Event =>
    ({ kind: 'ObservationEvent', observation: { kind: 'X', content: [{ type: 'text', text }] } }) as unknown as Event;

  test('a used secret holds when the command hashed it and its own text is masked', () => {
    expect(usedClaim([printed(`token: <secret-hidden>\n${hash}`)], value).holds).toBe(true);
  });

  test('a used secret does not hold for another hash, for a value that shows, or for nothing', () => {
    expect(usedClaim([printed(`token: <secret-hidden>\n${hash.replace(/^./, 'x')}`)], value).holds).toBe(false);
    expect(usedClaim([printed(`token: ${value}\n${hash}`)], value).holds).toBe(false);
    expect(usedClaim([], value).holds).toBe(false);
  });
});
