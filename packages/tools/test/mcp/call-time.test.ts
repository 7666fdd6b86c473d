import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { CallTime } from '../../src/mcp/call-time.ts';

describe('the time of a call', () => {
  test('the time of a call is over after its limit, and not after the call has ended', () => {
    const platform = new ManualPlatform();
    const [long, ended] = [new CallTime(platform, 1000), new CallTime(platform, 1000)];
    ended.end();
    platform.pass(999);
    expect(long.signal.aborted).toBe(false);
    platform.pass(1);
    expect([long.signal.aborted, ended.signal.aborted]).toEqual([true, false]);
  });

  test('the time of a call does not run while the user is asked, and begins again behind the last answer', async () => {
    const platform = new ManualPlatform();
    const time = new CallTime(platform, 1000);
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const questions = answers.map(({ promise }) => time.during(() => promise));
    platform.pass(100_000);
    answers[0]?.resolve();
    await questions[0];
    platform.pass(100_000);
    expect(time.signal.aborted).toBe(false);
    answers[1]?.resolve();
    await questions[1];
    platform.pass(999);
    expect(time.signal.aborted).toBe(false);
    platform.pass(1);
    expect(time.signal.aborted).toBe(true);
  });

  test('the time of a call does not begin again behind an answer when the call has ended', async () => {
    const platform = new ManualPlatform();
    const time = new CallTime(platform, 1000);
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const question = time.during(() => answer);
    time.end();
    resolve();
    await question;
    expect(platform.waits).toEqual([]);
  });

  test('the time of a call begins again after a question that failed', async () => {
    const platform = new ManualPlatform();
    const time = new CallTime(platform, 1000);
    await expect(time.during(() => Promise.reject(new Error('stop')))).rejects.toThrow('stop');
    expect(platform.waits).toEqual([1000]);
  });
});
