import { drafts } from '@conv/core/events';
import { expect, test } from 'vitest';
import { createStuckDetector, type StuckDetectorOptions } from '../src/index.ts';
import { History, times } from './history.ts';

function begin(options: StuckDetectorOptions = {}): History<unknown> {
  const history = new History(createStuckDetector(options));
  history.ask();
  return history;
}

test('reading forgotten content again does not count as new between condensations', () => {
  const history = begin({ thresholds: { cycle: Infinity } });
  times(3, () => {
    expect(history.verdict).toBe(undefined);
    times(3, (index) => history.call(`cat part-${index}`, `text of part ${index}`));
    history.condense();
  });
  expect(history.verdict).toBe('warn context-window');
});

test('a warned agent that condenses again is stopped, and calls in between keep the warning', () => {
  const history = begin({ thresholds: { alternatingPattern: Infinity } });
  times(2, (index) => history.call(`cat ${index}`));
  times(3, () => history.condense());
  expect(history.verdict).toBe('warn context-window');
  history.warn();
  times(5, (index) => history.call(`cat ${index % 2}`));
  expect(history.verdict).toBe(undefined);
  history.condense();
  expect(history.verdict).toBe('stop context-window');
});

test('talking is nothing new', () => {
  const history = begin({ thresholds: { monologue: Infinity } });
  times(3, () => {
    history.say();
    history.condense();
  });
  expect(history.verdict).toBe('warn context-window');
});

test('condensing is not a loop while new things are done', () => {
  const history = begin();
  times(30, (index) => {
    history.call(`cat ${index}`);
    history.condense();
  });
  expect(history.verdict).toBe(undefined);
});

test('condensations do not hide a repeat, nor a monologue', () => {
  const [repeat, monologue] = [begin(), begin()];
  times(4, () => {
    repeat.call('ls');
    repeat.condense();
    repeat.call('ls');
  });
  times(2, () => {
    monologue.say();
    monologue.condense();
  });
  monologue.say('Still thinking.');
  expect(repeat.verdict).toBe('warn repeat');
  expect(monologue.verdict).toBe('warn monologue');
});

test('feedback of hooks and nudges do not end a monologue', () => {
  const history = begin();
  times(3, (index) => {
    history.say(`Done, for the time number ${index}.`);
    history.add(drafts.environmentMessage('[Stop hook feedback] the tests fail'));
  });
  expect(history.verdict).toBe('warn monologue');
});
