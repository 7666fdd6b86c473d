import type { AssessOptions } from '@conv/core';
import type { Event } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { ShellPosition } from '../../src/safeguards/shell-position.ts';

type Known = Pick<AssessOptions, 'shellFolders' | 'earlierActions'>;

let made = 0;

function command(text: string, members: object = {}): Event {
  const id = `action-${made++}`;
  return { kind: 'ActionEvent', id, tool_name: 'terminal', action: { kind: 'X', command: text, ...members } } as never;
}

function result(of: Event, folder: unknown, members: object = {}): Event {
  const metadata = { working_dir: folder, exit_code: 0, ...members };
  return {
    kind: 'ObservationEvent',
    id: `result-${made++}`,
    action_id: of.id,
    observation: { kind: 'Y', metadata },
  } as never;
}

/** A log that counts the events that are read. */
function logOf(...events: Event[]) {
  const log = { read: 0, add: (...more: Event[]) => void events.push(...more) };
  const source = {
    get length(): number {
      return events.length;
    },
    slice: async (start: number, end: number): Promise<readonly Event[]> => {
      log.read += end - start;
      return events.slice(start, end);
    },
  };
  return { ...log, log, source };
}

async function known(position: ShellPosition): Promise<Known> {
  const [facts = {}] = await position.before([command('next') as never]);
  return facts;
}

const texts = ({ earlierActions = [] }: Known): readonly unknown[] =>
  earlierActions.map(({ action }) => (action as { command?: unknown } | null)?.command);

describe('the position of the shell', () => {
  test('P10: the position of the shell is unknown without a result, and then the folder of the newest result', async () => {
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    expect(await known(position)).toEqual({});
    const first = command('cd /var/other');
    add(first, result(first, '/var/other'));
    expect(await known(position)).toEqual({ shellFolders: ['/var/other'] });
    const second = command('cd /ws');
    add(second, result(second, '/ws'));
    expect(await known(position)).toEqual({ shellFolders: ['/ws'] });
  });

  test('P10: the position of the shell can be the workspace again, if another process wrote the result', async () => {
    const first = command('cd /var/other');
    const { source } = logOf(first, result(first, '/var/other'));
    expect(await known(new ShellPosition(source, '/ws'))).toEqual({ shellFolders: ['/var/other', '/ws'] });
  });

  test('P10: a command that still runs, or was interrupted, has an unknown folder', async () => {
    const [first, running, lost] = [command('pwd'), command('sleep 9; cd /x'), command('cd /y')];
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    add(first, result(first, '/ws'), running, result(running, '/ws', { exit_code: -1 }), lost);
    expect(texts(await known(position))).toEqual(['sleep 9; cd /x', 'cd /y']);
    add(result(lost, '/y'));
    expect(await known(position)).toEqual({ shellFolders: ['/y'] });
  });

  test('P10: a rejected command, an edit and an empty input do not move the shell', async () => {
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    const rejected = command('cd /x');
    const reject = { kind: 'UserRejectObservation', id: 'r', action_id: rejected.id } as never;
    add(rejected, reject, command('create', { path: '/ws/a' }), command(' '));
    expect(await known(position)).toEqual({});
  });

  test('P10: a result with a folder that is no absolute path counts as outside', async () => {
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    const first = command('cd /var/other; unset PWD');
    add(first, result(first, ''));
    expect(await known(position)).toEqual({ shellFolders: ['/'] });
  });

  test('P10: each action of a response is told the commands before it', async () => {
    const position = new ShellPosition(logOf().source, '/ws');
    const actions = [command('cd /x'), command('view', { path: '/ws/a' }), command('rm -rf a')] as never[];
    const facts = await position.before(actions);
    expect(facts.map(texts)).toEqual([[], ['cd /x'], ['cd /x']]);
  });

  test('P10: actions that are rated again are told no later action', async () => {
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    const [open, one, two] = [command('cd /x'), command('one'), command('two')];
    add(open, one, two);
    const facts = await position.before([one, two] as never[]);
    expect(facts.map(texts)).toEqual([['cd /x'], ['cd /x', 'one']]);
  });

  test('P10: more commands than are handed on count as a folder outside', async () => {
    const { source, add } = logOf();
    const position = new ShellPosition(source, '/ws');
    add(...Array.from({ length: 51 }, (_, at) => command(`sleep ${at}`)));
    const facts = await known(position);
    expect(facts.shellFolders).toEqual(['/ws', '/']);
    expect(facts.earlierActions).toHaveLength(50);
  });

  test('P10: events are read once, from the newest result on', async () => {
    const first = command('cd /x');
    const old = Array.from({ length: 5000 }, () => ({ kind: 'MessageEvent', id: 'm' }) as never);
    const { source, log, add } = logOf(...old, first, result(first, '/x'));
    const position = new ShellPosition(source, '/ws');
    await known(position);
    expect(log.read).toBeLessThanOrEqual(400);
    const before = log.read;
    add({ kind: 'MessageEvent', id: 'n' } as never);
    await known(position);
    expect(log.read - before).toBe(1);
  });
});
