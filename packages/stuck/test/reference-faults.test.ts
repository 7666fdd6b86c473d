import { drafts, imageContent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';
import { createStuckDetector, type StuckDetectorOptions } from '../src/index.ts';
import { errorAround, failure, History, output, rejected, type Result, times } from './history.ts';

function begin(options: StuckDetectorOptions = {}): History<unknown> {
  const history = new History(createStuckDetector(options));
  history.ask();
  return history;
}

describe('what is the same', () => {
  test('the same call is found although the model thinks something else each time', () => {
    const history = begin();
    times(4, (index) => history.respond([{ command: 'ls', thought: `thinking ${index}` }]));
    expect(history.verdict).toBe('warn repeat');
  });

  test('the same result is found although a process id and a time in it differ', () => {
    const history = begin();
    times(8, (index) => history.call('make', `started pid ${4000 + index} at 10:00:0${index}, took 1.${index}s`));
    expect(history.verdict).toBe('warn repeat');
  });

  test('a clock that runs down is not a repeat before it has had twice as many calls', () => {
    const history = begin();
    times(7, (index) => history.call('status', `${60 - index} s left`));
    expect(history.verdict).toBe(undefined);
    history.call('status', '53 s left');
    expect(history.verdict).toBe('warn repeat');
  });

  test('progress in the result is not a repeat', () => {
    const history = begin();
    times(20, (index) => history.call('cat progress', `${index * 5}% done, ${index}/20 files`));
    expect(history.verdict).toBe(undefined);
  });

  test('arguments are the same in any order, and with another summary and risk', () => {
    const history = begin();
    const written = [
      '{"path": "/a", "lines": [1, 2], "summary": "look"}',
      '{"lines": [1,2], "path": "/a", "security_risk": "LOW"}',
      '{"security_risk": "HIGH", "lines": [1, 2], "summary": "look again", "path": "/a"}',
    ];
    for (const text of written)
      history.respond([{ tool: 'veiw', action: null, arguments: text, result: errorAround('no such tool') }]);
    expect(history.verdict).toBe('warn error');
  });

  test('other arguments are another call', () => {
    const history = begin();
    times(20, (index) => history.call(`cat file-${index}`));
    expect(history.verdict).toBe(undefined);
  });

  test('the same call of another tool is another call', () => {
    const history = begin();
    times(3, () => history.call('ls'));
    history.respond([{ tool: 'shell' }]);
    expect(history.verdict).toBe(undefined);
  });

  test('a command that shows nothing but moves to another folder is not a repeat', () => {
    const history = begin();
    for (const folder of ['/a/b/c/d', '/a/b/c', '/a/b', '/a', '/'])
      history.call('cd ..', (call) => drafts.observation(call, output('', 0, folder)));
    expect(history.verdict).toBe(undefined);
  });

  test('another exit code is another result', () => {
    const history = begin();
    times(5, (index) => history.call('test -f a', (call) => drafts.observation(call, output('', index % 4))));
    expect(history.verdict).toBe(undefined);
  });

  test('another picture is another result', () => {
    const history = begin();
    const picture =
      (name: number): Result =>
      (call) =>
        drafts.observation(call, {
          content: [imageContent(`data:image/png;base64,${name}`)],
          kind: 'MCPToolObservation',
          tool_name: 'look',
        });
    times(4, (index) => history.call('look', picture(index)));
    expect(history.verdict).toBe(undefined);
    times(3, () => history.call('look', picture(3)));
    expect(history.verdict).toBe('warn repeat');
  });

  test('another screen of a browser, and another status of a task, is another result', () => {
    const history = begin();
    const screen =
      (data: string): Result =>
      (call) =>
        drafts.observation(call, { screenshot_data: data, kind: 'BrowserObservation' });
    const task =
      (status: string): Result =>
      (call) =>
        drafts.observation(call, { task_id: 't', subagent: 'reader', status, kind: 'TaskObservation' });
    for (const data of ['AAAA', 'BBBB', 'CCCC', 'DDDD']) history.call('look', screen(data));
    expect(history.verdict).toBe(undefined);
    for (const status of ['queued', 'started', 'running', 'done']) history.call('ask', task(status));
    expect(history.verdict).toBe(undefined);
    times(3, () => history.call('ask', task('done')));
    expect(history.verdict).toBe('warn repeat');
    times(4, () => history.call('look', screen('EEEE')));
    expect(history.verdict).toBe('warn repeat');
  });

  test('a result without content is compared by its fields', () => {
    const history = begin();
    times(4, (index) =>
      history.call('count', (call) => drafts.observation(call, { kind: 'CountObservation', count: index })),
    );
    expect(history.verdict).toBe(undefined);
    times(3, () => history.call('count', (call) => drafts.observation(call, { count: 3, kind: 'CountObservation' })));
    expect(history.verdict).toBe('warn repeat');
  });

  test('rejections repeat too, and are no failures', () => {
    const history = begin();
    times(3, () => history.call('rm -r /', rejected('no')));
    expect(history.verdict).toBe(undefined);
    history.call('rm -r /', rejected('no'));
    expect(history.verdict).toBe('warn repeat');
  });

  test('a rejection by a hook is another result than one by the user', () => {
    const history = begin();
    times(3, () => history.call('rm -r /', rejected('no')));
    history.call('rm -r /', rejected('no', 'hook'));
    expect(history.verdict).toBe(undefined);
  });
});

describe('errors', () => {
  test('errors of tools count as errors around tools do', () => {
    const history = begin();
    times(3, () => history.call('cat a', failure('no such file')));
    expect(history.verdict).toBe('warn error');
  });

  test('errors that differ take twice as many calls', () => {
    const history = begin();
    times(5, (index) => history.call('curl x', errorAround(`error number ${index}`)));
    expect(history.verdict).toBe(undefined);
    history.call('curl x', errorAround('error number 5'));
    expect(history.verdict).toBe('warn error');
    history.warn();
    history.call('curl x', errorAround('error number 6'));
    expect(history.verdict).toBe('stop error');
  });

  test('errors that differ in volatile parts are the same', () => {
    const history = begin();
    times(3, (index) => history.call('run', errorAround(`process [${700 + index}] died after ${index}.5 s`)));
    expect(history.verdict).toBe('warn error');
  });

  test('failures of different calls are not a loop', () => {
    const history = begin();
    times(9, (index) => history.call(`try ${index}`, errorAround('no')));
    expect(history.verdict).toBe(undefined);
  });

  test('a success in between starts counting again', () => {
    const history = begin();
    times(2, () => history.call('cat a', errorAround('no')));
    history.call('touch a');
    times(2, () => history.call('cat a', errorAround('no')));
    expect(history.verdict).toBe(undefined);
  });
});

describe('thresholds beyond a window', () => {
  test('a cycle of three, and one of twelve, are found', () => {
    for (const length of [3, 12]) {
      const history = begin();
      times(3 * length - 1, (index) => history.call(`step ${index % length}`));
      expect(history.verdict).toBe(undefined);
      history.call(`step ${length - 1}`);
      expect(history.verdict).toBe('warn cycle');
    }
  });

  test('a longer cycle needs the option', () => {
    const [short, long] = [begin(), begin({ maxCycleLength: 13 })];
    times(39, (index) => short.call(`step ${index % 13}`));
    times(39, (index) => long.call(`step ${index % 13}`));
    expect([short.verdict, long.verdict]).toEqual([undefined, 'warn cycle']);
  });

  test('thresholds above ten are reached, and identical calls are not an alternation before', () => {
    const history = begin({ thresholds: { actionObservation: 11 } });
    times(10, () => history.call('ls'));
    expect(history.verdict).toBe(undefined);
    history.call('ls');
    expect(history.verdict).toBe('warn repeat');
  });

  test('failures are looked after by their own threshold alone', () => {
    const history = begin({ thresholds: { actionError: 11 } });
    times(10, () => history.call('ls', errorAround('no')));
    expect(history.verdict).toBe(undefined);
    history.call('ls', errorAround('no'));
    expect(history.verdict).toBe('warn error');
  });

  test('two calls that were made once are not an alternation, whatever the threshold', () => {
    const history = begin({ thresholds: { alternatingPattern: 1 } });
    times(2, (index) => history.call(`cat ${index}`));
    expect(history.verdict).toBe(undefined);
    history.call('cat 0');
    expect(history.verdict).toBe('warn alternating');
  });

  test('an alternation of eleven calls is found', () => {
    const history = begin({ thresholds: { alternatingPattern: 11, cycle: Infinity } });
    times(10, (index) => history.call(`cat ${index % 2}`));
    expect(history.verdict).toBe(undefined);
    history.call('cat 0');
    expect(history.verdict).toBe('warn alternating');
  });

  test('hook runs, state updates and pauses use up nothing', () => {
    const history = begin();
    times(4, (index) => {
      times(30, () => {
        history.add(
          drafts.hookExecution({ hook_event_type: 'PreToolUse', hook_command: 'true', success: true, exit_code: 0 }),
        );
        history.add({
          source: 'environment',
          key: 'execution_status',
          value: 'running',
          kind: 'ConversationStateUpdateEvent',
        });
        history.add(drafts.pause());
      });
      expect(history.verdict).toBe(undefined);
      history.respond([{ command: 'ls', thought: String(index) }]);
    });
    expect(history.verdict).toBe('warn repeat');
  });
});
