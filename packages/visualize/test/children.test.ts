import { initialFields, type Visualizer } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TerminalVisualizer, type TerminalVisualizerOptions } from '../src/index.ts';
import { Log } from './log.ts';
import { Screen, Sink } from './screen.ts';

const about = { id: '0197b5a0-0000-7000-8000-000000000001', title: 'Tests', tags: { subagent: 'helper' } };

beforeEach(() => void vi.stubEnv('TERM', 'xterm-256color'));
afterEach(() => void vi.unstubAllEnvs());

function childOf(visualizer: TerminalVisualizer, child: Partial<typeof about> = {}): Visualizer {
  const made = visualizer.forChild({ ...about, ...child });
  if (!made) throw new Error('the child is shown to nobody');
  return made;
}

async function shown(name: Partial<typeof about>, options: TerminalVisualizerOptions = {}): Promise<string> {
  const sink = new Sink();
  const visualizer = new TerminalVisualizer({ stream: sink, color: 'never', ...options });
  const child = childOf(visualizer, name);
  for (const event of new Log().user('hi').events) await child.onEvent?.(event, 0 as never);
  return sink.text;
}

test('output of a sub-agent stands above the status line, with its name before each line', async () => {
  const screen = new Screen();
  const visualizer = new TerminalVisualizer({ stream: screen, color: 'never', platform: new ManualPlatform() });
  visualizer.initialize({ ...initialFields, executionStatus: 'running' });
  const own = new Log().user('hi').shell('c1', 'npm test').printed('c1', 'ok').events;
  await visualizer.onEvent(own[0]!);
  await visualizer.onEvent(own[1]!);
  const child = childOf(visualizer);
  for (const event of new Log().user('help').shell('c2', 'ls').printed('c2', 'a\nb').events)
    await child.onEvent?.(event, 0 as never);
  await visualizer.onEvent(own[2]!);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "❯ user
      hi

    ◆ agent · terminal
      $ npm test
    helper ┊ ❯ user
    helper ┊   help

    helper ┊ ◆ agent · terminal
    helper ┊   $ ls
    helper ┊   ✓ exit 0 · <1 ms
    helper ┊   │ a
    helper ┊   │ b

    ✓ terminal · $ npm test · exit 0 · <1 ms
      │ ok
    ⠙ 0 s"
  `);
  visualizer.close();
});

test('a sub-agent is called by its tag, else by its title, else by its id, without control sequences', async () => {
  expect(await shown({})).toMatch(/^helper ┊ ❯ user\nhelper ┊ {3}hi\n$/);
  expect(await shown({ tags: {} as never })).toMatch(/^Tests ┊ /);
  expect(await shown({ tags: {} as never, title: null as never })).toMatch(/^0197b5a0-0000-70 ┊ /);
  const odd = await shown({ tags: { subagent: '\u001b[31mred\nline' } });
  expect(odd).not.toContain('\u001b');
  expect(odd.split('\n')).toHaveLength(3);
});

test('lines of a sub-agent are as much shorter as its name is long', async () => {
  const sink = new Sink();
  const visualizer = new TerminalVisualizer({ stream: sink, color: 'never', width: 40 });
  const child = childOf(visualizer);
  const [event] = new Log().user('word '.repeat(40)).events;
  await child.onEvent?.(event!, 0 as never);
  expect(Math.max(...sink.text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
});

test('sub-agents are not shown in the modes json and quiet, nor after the end', () => {
  for (const mode of ['json', 'quiet'] as const)
    expect(new TerminalVisualizer({ stream: new Sink(), mode }).forChild(about)).toBeUndefined();
  const closed = new TerminalVisualizer({ stream: new Sink() });
  closed.close();
  expect(closed.forChild(about)).toBeUndefined();
});
