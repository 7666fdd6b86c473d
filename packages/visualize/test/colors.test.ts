import { afterEach, expect, test, vi } from 'vitest';
import { isColored, widthOf } from '../src/terminal/output-stream.ts';
import { TerminalVisualizer } from '../src/index.ts';
import { Sink } from './screen.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('colour follows FORCE_COLOR before NO_COLOR before the terminal', () => {
  const file = new Sink();
  const terminal = Object.assign(new Sink(), { isTTY: true });
  expect(isColored('auto', terminal, {})).toBe(true);
  expect(isColored('auto', terminal, { TERM: 'dumb' })).toBe(false);
  expect(isColored('auto', terminal, { NO_COLOR: '1' })).toBe(false);
  expect(isColored('auto', terminal, { NO_COLOR: '' })).toBe(true);
  expect(isColored('auto', terminal, { FORCE_COLOR: '0' })).toBe(false);
  expect(isColored('auto', file, {})).toBe(false);
  expect(isColored('auto', file, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
  expect(isColored('always', file, { NO_COLOR: '1' })).toBe(true);
  expect(isColored('never', terminal, { FORCE_COLOR: '1' })).toBe(false);
});

test('the width is the given width, else that of the terminal within limits, else 80', () => {
  expect(widthOf(new Sink(), 'auto')).toBe(80);
  expect(widthOf(Object.assign(new Sink(), { columns: 64 }), 'auto')).toBe(64);
  expect(widthOf(Object.assign(new Sink(), { columns: 300 }), 'auto')).toBe(120);
  expect(widthOf(Object.assign(new Sink(), { columns: 5 }), 'auto')).toBe(20);
  expect(widthOf(Object.assign(new Sink(), { columns: 64 }), 200)).toBe(200);
});

test('a visualizer can be made without arguments, as a conversation makes it from its class', () => {
  const visualizer = new TerminalVisualizer();
  visualizer.close();
});
