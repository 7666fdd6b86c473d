import { PassThrough } from 'node:stream';

import { initialFields, type StateFields } from '@conv/core';
import { leaks } from '@conv/testing-harness';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { TerminalVisualizer } from '../src/index.ts';
import { Log } from './log.ts';
import { Screen } from './screen.ts';

const running: StateFields = { ...initialFields, executionStatus: 'running' };

/** Streams that outlive their visualizers, as the output of a program does: a terminal, and a pipe whose reader is slow. */
const screen = new Screen();
const pipe = new PassThrough({ highWaterMark: 10 });

// a terminal that has no status line would hold no timer of it
beforeEach(() => void vi.stubEnv('TERM', 'xterm-256color'));
afterEach(() => void vi.unstubAllEnvs());

/** Uses of a visualizer, by what becomes of it. The time of its status line is the time of the host. */
const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  'showed a run to its end': async () => {
    const visualizer = new TerminalVisualizer({ stream: screen });
    visualizer.initialize(initialFields);
    await visualizer.onStateChange(running);
    for (const event of new Log().user('hi').shell('c1', 'npm test').printed('c1', 'ok').events)
      await visualizer.onEvent(event);
    await visualizer.onStateChange({ ...running, executionStatus: 'finished' });
    visualizer.close();
  },
  'was closed in the middle of a run': async () => {
    const visualizer = new TerminalVisualizer({ stream: screen });
    await visualizer.onStateChange(running);
    visualizer.close();
  },
  'was closed while its stream took no more': async () => {
    const visualizer = new TerminalVisualizer({ stream: pipe });
    await visualizer.onStateChange(running);
    const shown = visualizer.onEvent(new Log().agent('x'.repeat(100)).events[0]!);
    visualizer.close();
    pipe.resume();
    await shown;
    pipe.pause();
  },
};

test.each(Object.entries(uses))('nothing is held of a visualizer that %s', async (_, use) => {
  const listeners = (): number =>
    [screen, pipe]
      .flatMap((stream) => stream.eventNames().map((name) => stream.listenerCount(name)))
      .reduce((sum, count) => sum + count, 0);
  await use();
  const before = listeners();
  expect(await leaks(use)).toEqual({});
  expect(listeners()).toBe(before);
});
