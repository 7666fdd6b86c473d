import { PassThrough } from 'node:stream';
import { initialFields, type StateFields } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TerminalVisualizer } from '../src/index.ts';
import { Log } from './log.ts';
import { Screen, Sink } from './screen.ts';

const idle: StateFields = initialFields;
const running: StateFields = { ...initialFields, executionStatus: 'running' };

function spent(state: StateFields, cost: number, tokens: number): StateFields {
  const usage = { modelName: 'm', cost, calls: 2, promptTokens: tokens, completionTokens: 0, cacheReadTokens: 0 };
  const rest = { cacheWriteTokens: 0, reasoningTokens: 0, contextWindow: 0, perTurnTokens: 0, lastResponseId: '' };
  return { ...state, stats: { agent: { ...usage, ...rest } } };
}

beforeEach(() => void vi.stubEnv('TERM', 'xterm-256color'));
afterEach(() => void vi.unstubAllEnvs());

function visualizerOn(
  stream: Screen | Sink | PassThrough,
  options = {},
): { visualizer: TerminalVisualizer; pass: (ms: number) => void; timers: () => number } {
  const platform = new ManualPlatform();
  const visualizer = new TerminalVisualizer({ stream, color: 'never', platform, ...options });
  return { visualizer, pass: (milliseconds) => platform.pass(milliseconds), timers: () => platform.waits.length };
}

test('the last line shows time, cost and the running call, stays below blocks and goes with the run', async () => {
  const screen = new Screen();
  const { visualizer, pass } = visualizerOn(screen);
  const { events } = new Log().user('hi').shell('c1', 'npm test').printed('c1', 'ok');
  visualizer.initialize(idle);
  await visualizer.onEvent(events[0]!);
  await visualizer.onStateChange(running);
  pass(4200);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "❯ user
      hi
    ⠦ 4 s"
  `);
  await visualizer.onStateChange(spent(running, 0.0123, 4567));
  await visualizer.onEvent(events[1]!);
  pass(61_000);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "❯ user
      hi

    ◆ agent · terminal · $0.012 · 4.6k tokens
      $ npm test
    ⠼ 1 min 5 s · $0.012 · 4.6k tokens · terminal · $ npm test"
  `);
  await visualizer.onEvent(events[2]!);
  await visualizer.onStateChange({ ...spent(running, 0.0123, 4567), executionStatus: 'finished' });
  pass(5000);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "❯ user
      hi

    ◆ agent · terminal · $0.012 · 4.6k tokens
      $ npm test
      ✓ exit 0 · <1 ms
      │ ok

    ■ run finished · 1 min 5 s · 2 model calls · $0.012 · 4.6k tokens"
  `);
});

test('the last line shows the end of the answer, which a new attempt or an event of the agent drops', async () => {
  const screen = new Screen(40);
  const { visualizer, pass } = visualizerOn(screen);
  visualizer.initialize(running);
  visualizer.onToken?.({ kind: 'text', text: 'lost words', attempt: 1 });
  visualizer.onToken?.({ kind: 'text', text: 'The answer is\n  \u001b[2Jlong ', attempt: 2 });
  pass(240);
  expect(await screen.text()).toBe('⠸ 0 s · The answer is long');
  visualizer.onToken?.({ kind: 'text', text: 'and gets longer and longer 日本語', attempt: 2 });
  pass(120);
  expect(await screen.text()).toMatchInlineSnapshot(`"⠼ 0 s · … gets longer and longer 日本語"`);
  await visualizer.onEvent(new Log().agent('done').events[0]!);
  visualizer.onToken?.({ kind: 'text', text: 'next', attempt: 1 });
  pass(120);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "● agent
      done
    ⠴ 0 s · next"
  `);
  visualizer.close();
  expect(await screen.text()).toBe('● agent\n  done');
});

test('a line drawn on a wide terminal leaves nothing behind when the terminal gets narrow', async () => {
  const screen = new Screen(200);
  const { visualizer, pass } = visualizerOn(screen);
  visualizer.initialize(running);
  visualizer.onToken?.({ kind: 'text', text: 'word '.repeat(60), attempt: 1 });
  pass(120);
  screen.resize(82);
  pass(120);
  await visualizer.onEvent(new Log().agent('one two three four five six seven').events[0]!);
  visualizer.close();
  expect(await screen.text()).toBe('● agent\n  one two three four five six seven');
});

test('the output of another writer during a run is not erased', async () => {
  const screen = new Screen();
  const { visualizer, pass } = visualizerOn(screen);
  visualizer.initialize(running);
  pass(120);
  screen.write('a warning from elsewhere, longer than the line\n');
  pass(120);
  visualizer.close();
  expect(await screen.text()).toBe('a warning from elsewhere, longer than the line');
});

test('no line and no sequence is written without a terminal, on a dumb one, in JSON and when off', async () => {
  for (const make of [
    () => visualizerOn(new Sink()),
    () => visualizerOn(Object.assign(new Sink(), { isTTY: true }), { mode: 'json' }),
    () => visualizerOn(Object.assign(new Sink(), { isTTY: true }), { statusLine: false }),
    () => {
      vi.stubEnv('TERM', 'dumb');
      return visualizerOn(Object.assign(new Sink(), { isTTY: true }));
    },
  ]) {
    const { visualizer, pass, timers } = make();
    visualizer.initialize(running);
    pass(1000);
    expect(timers()).toBe(0);
    expect(visualizer.onToken).toBeUndefined();
    visualizer.close();
  }
});

test('close restores the terminal, keeps the stream open and ends everything', async () => {
  const screen = new Screen();
  const { visualizer, pass, timers } = visualizerOn(screen);
  visualizer.initialize(running);
  pass(120);
  visualizer.close();
  visualizer.close();
  await visualizer.onEvent(new Log().agent('too late').events[0]!);
  await visualizer.onStateChange(running);
  visualizer.onToken?.({ kind: 'text', text: 'too late', attempt: 1 });
  expect(timers()).toBe(0);
  expect(await screen.text()).toBe('');
  expect(screen.writable).toBe(true);
});

test('a slow stream is waited for and gets no frames meanwhile', async () => {
  const stream = Object.assign(new PassThrough({ highWaterMark: 10 }), { isTTY: true, columns: 80 });
  const { visualizer, pass } = visualizerOn(stream);
  let taken = false;
  const delivered = Promise.resolve(visualizer.onEvent(new Log().agent('x'.repeat(100)).events[0]!)).then(() => {
    taken = true;
  });
  await visualizer.onStateChange(running);
  const before = stream.writableLength + stream.readableLength;
  pass(1000);
  expect(stream.writableLength + stream.readableLength).toBe(before);
  expect(taken).toBe(false);
  stream.resume();
  await delivered;
  expect(taken).toBe(true);
  visualizer.close();
});

test('a stream that is destroyed while slow leaves no writer waiting', async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const { visualizer } = visualizerOn(stream);
  const delivered = visualizer.onEvent(new Log().agent('x'.repeat(100)).events[0]!);
  stream.destroy();
  await delivered;
  await visualizer.onEvent(new Log().agent('nobody reads this').events[0]!);
  expect(stream.listenerCount('drain') + stream.listenerCount('close')).toBe(0);
});

test('earlier costs of a resumed conversation are not counted again', async () => {
  const sink = new Sink();
  const { visualizer } = visualizerOn(sink);
  visualizer.initialize(spent(idle, 5, 1_000_000));
  await visualizer.onStateChange(spent(running, 5, 1_000_000));
  await visualizer.onStateChange(spent(running, 5.25, 1_012_000));
  await visualizer.onEvent(new Log().agent('hello').events[0]!);
  await visualizer.onStateChange({ ...spent(running, 5.25, 1_012_000), executionStatus: 'finished' });
  visualizer.close();
  expect(sink.text).toMatchInlineSnapshot(`
    "● agent · $0.250 · 12k tokens
      hello

    ■ run finished · <1 ms · $0.250 · 12k tokens
    "
  `);
});

test('a cost that is known after its block stands below it, and results still follow', async () => {
  const sink = new Sink();
  const { visualizer } = visualizerOn(sink);
  const { events } = new Log().shell('c1', 'npm test').printed('c1', 'ok').agent('All pass.');
  visualizer.initialize(running);
  await visualizer.onEvent(events[0]!);
  await visualizer.onStateChange(spent(running, 0.01, 1000));
  await visualizer.onEvent(events[1]!);
  await visualizer.onStateChange({ ...spent(running, 0.01, 1000), tags: { changed: 'yes' } });
  await visualizer.onEvent(events[2]!);
  await visualizer.onStateChange(spent(running, 0.03, 3000));
  await visualizer.onStateChange({ ...spent(running, 0.03, 3000), executionStatus: 'finished' });
  visualizer.close();
  expect(sink.text).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ npm test
      · $0.010 · 1.0k tokens
      ✓ exit 0 · <1 ms
      │ ok

    ● agent
      All pass.
      · $0.020 · 2.0k tokens

    ■ run finished · <1 ms · 2 model calls · $0.030 · 3.0k tokens
    "
  `);
});

test('costs of sub-agents stand with the result of the call, without a line of their own', async () => {
  const sink = new Sink();
  const { visualizer } = visualizerOn(sink);
  const { events } = new Log().shell('c1', 'ask a helper').printed('c1', 'ok').agent('It said ok.');
  const withHelper = (cost: number, tokens: number): StateFields => {
    const { stats } = spent(running, cost, tokens);
    return { ...running, stats: { ...spent(running, 0.01, 1000).stats, 'task:a': stats['agent']! } };
  };
  visualizer.initialize(running);
  await visualizer.onStateChange(running);
  await visualizer.onEvent(events[0]!);
  await visualizer.onStateChange(spent(running, 0.01, 1000));
  await visualizer.onStateChange(withHelper(0.01, 1500));
  await visualizer.onStateChange(withHelper(0.02, 3000));
  await visualizer.onEvent(events[1]!);
  await visualizer.onEvent(events[2]!);
  await visualizer.onStateChange({ ...withHelper(0.02, 3000), executionStatus: 'finished' });
  visualizer.close();
  expect(sink.text).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ ask a helper
      · $0.010 · 1.0k tokens
      ✓ exit 0 · <1 ms · $0.020 · 3.0k tokens
      │ ok

    ● agent
      It said ok.

    ■ run finished · <1 ms · 4 model calls · $0.030 · 4.0k tokens
    "
  `);
});

test('the line is erased alone, because erasing a screen would push its frames into the history', async () => {
  const sink = Object.assign(new Sink(), { isTTY: true, columns: 80 });
  const { visualizer, pass } = visualizerOn(sink);
  visualizer.initialize(running);
  pass(1000);
  visualizer.close();
  expect(sink.text).toContain('\r\u001b[K');
  expect(sink.text).not.toContain('\u001b[J');
});
