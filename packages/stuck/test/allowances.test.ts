import { describe, expect, test } from 'vitest';
import { createStuckDetector, type StuckDetectorOptions } from '../src/index.ts';
import { failure, History, times } from './history.ts';

function begin(options: StuckDetectorOptions = {}): History<unknown> {
  const history = new History(createStuckDetector(options));
  history.ask();
  return history;
}

describe('waiting for a program', () => {
  test.for(['', ' \n', 'sleep 30', 'sleep 30 && cat log', 'sleep 1m; cat log'])(
    'ten unchanged polls with "%s" are allowed, the eleventh is a warning, the twelfth a stop',
    (command) => {
      const history = begin();
      history.call('make all');
      times(10, () => history.call(command, 'building …'));
      expect(history.verdict).toBe(undefined);
      history.call(command, 'building …');
      expect(history.verdict).toBe('warn repeat');
      history.warn();
      history.call(command, 'building …');
      expect(history.verdict).toBe('stop repeat');
    },
  );

  test('a poll that shows something new counts from there', () => {
    const history = begin();
    times(60, (index) => history.call('', `line ${Math.floor(index / 10)}`));
    expect(history.verdict).toBe(undefined);
  });

  test('waiting with another call in between is allowed as long', () => {
    const history = begin();
    times(21, (index) => history.call(index % 2 === 0 ? '' : 'cat status', 'building …'));
    expect(history.verdict).toBe(undefined);
    history.call('cat status', 'building …');
    expect(history.verdict).toBe('warn alternating');
  });

  test('waiting for a program that is not there is a failure like others', () => {
    const history = begin();
    times(3, () => history.call('', failure('no program is running')));
    expect(history.verdict).toBe('warn error');
  });

  test('a command that only mentions sleep is not a waiting', () => {
    const history = begin();
    times(4, () => history.call('echo sleep 30'));
    expect(history.verdict).toBe('warn repeat');
  });
});

describe('allowances of one own', () => {
  test('a tool with a number may poll that often', () => {
    const history = begin({ allowances: { check_build: 6 } });
    const call = { tool: 'check_build', action: { kind: 'MCPToolAction', data: {} } };
    times(6, () => history.respond([call]));
    expect(history.verdict).toBe(undefined);
    history.respond([call]);
    expect(history.verdict).toBe('warn repeat');
  });

  test('a function decides by the call', () => {
    const history = begin({
      allowances: { http: ({ action }) => (JSON.stringify(action).includes('/health') ? Infinity : undefined) },
    });
    times(100, () => history.respond([{ tool: 'http', action: { kind: 'MCPToolAction', data: { url: '/health' } } }]));
    expect(history.verdict).toBe(undefined);
    times(4, () => history.respond([{ tool: 'http', action: { kind: 'MCPToolAction', data: { url: '/' } } }]));
    expect(history.verdict).toBe('warn repeat');
  });

  test('an allowance makes no threshold smaller', () => {
    const history = begin({ allowances: { terminal: 1 } });
    times(3, () => history.call(''));
    expect(history.verdict).toBe(undefined);
    history.call('');
    expect(history.verdict).toBe('warn repeat');
  });

  test('an allowance that is not a number is ignored', () => {
    const history = begin({
      allowances: { shell: () => Number.NaN },
      thresholds: { actionObservation: 5, alternatingPattern: 2 },
    });
    times(4, () => history.respond([{ tool: 'shell' }]));
    expect(history.verdict).toBe(undefined);
    history.respond([{ tool: 'shell' }]);
    expect(history.verdict).toBe('warn repeat');
  });
});
