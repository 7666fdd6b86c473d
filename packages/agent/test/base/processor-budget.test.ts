import { createContext, Script } from 'node:vm';
import { expect, test } from 'vitest';
import { ProcessorBudget } from '../../src/base/processor-budget.ts';

const WORK = new Script('work()');

test('a script that the machine does not let run within its limit is run again', () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let starts = 0;
  const work = (): string => {
    // waits without using the processor until the limit stops it
    if (++starts === 1) Atomics.wait(cell, 0, 0);
    return 'done';
  };
  const found = new ProcessorBudget({ each: 1000 }).run(WORK, createContext({ work }));
  expect([found, starts]).toEqual([{ value: 'done' }, 2]);
});

test('a script that uses up its limit or throws has no value', () => {
  const budget = new ProcessorBudget({ each: 20 });
  expect(budget.run(new Script('for (;;);'), createContext())).toBeUndefined();
  expect(budget.run(new Script('missing'), createContext())).toBeUndefined();
  expect(budget.run(new Script('undefined'), createContext())).toEqual({ value: undefined });
});

test('a script does not start when the limit of all is used up', () => {
  const budget = new ProcessorBudget({ each: 20, all: 0 });
  let starts = 0;
  expect(budget.run(WORK, createContext({ work: () => ++starts }))).toBeUndefined();
  expect(starts).toBe(0);
});
