import { fillLog, wireCall, wireMessage, wireResult } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

const { browser, store, server } = await startPageWithServer();

test('buttons of the time machine step, and jump between messages and errors', async () => {
  const failed = (call: string) => [
    wireCall('terminal', call, { kind: 'TerminalAction', command: 'false' }),
    wireResult('terminal', call, 'no', { kind: 'TerminalObservation', command: 'false', exit_code: 1, is_error: true }),
  ];
  const more = [...failed('f1'), wireMessage('user', 'Again'), ...failed('f2')];
  const id = await fillLog(store, { count: 40, more });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=20`);
  const { page, complaints } = opened;
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const isAt = (event: number): Promise<void> =>
    expect.poll(() => page.getByRole('slider').inputValue()).toBe(String(event));
  await isAt(20);
  await page.locator('.tm-mark[data-kind=error]').first().waitFor();
  await press('Step forward');
  await isAt(21);
  await press('Step back');
  await isAt(20);
  await press('Next error');
  await isAt(41);
  await press('Next error');
  await isAt(44);
  await press('Previous error');
  await isAt(41);
  await press('Previous message');
  await isAt(39);
  await press('Next message');
  await isAt(42);
  await page.locator('.tm-mark[data-kind=error]').hover({ position: { x: 1, y: 8 } });
  await expect.poll(() => page.locator('.tm-track title').textContent()).toMatch(/^error at 41: /);
  await page.getByRole('slider').hover();
  await expect.poll(() => page.locator('.tm-track title').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('playing shows event after event until a person stops it, or until it is at the end of the log', async () => {
  const id = await fillLog(store, { count: 40 });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=15`);
  const { page, complaints } = opened;
  const slider = page.getByRole('slider');
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  await press('Play');
  await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThan(16);
  await press('Stop playing');
  expect(Number(await slider.inputValue())).toBeLessThan(39);
  await slider.press(' ');
  await expect.poll(() => slider.inputValue()).toBe('39');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(complaints).toEqual([]);
});

test("a sub-agent's conversation is a lane inside of its call, and so are its own sub-agents' lanes", async () => {
  const task = (child: string) => [
    wireCall('task', 't1', { kind: 'TaskAction', prompt: 'Look' }),
    wireResult('task', 't1', 'It looked.', {
      kind: 'TaskObservation',
      task_id: child,
      subagent: 'helper',
      status: 'succeeded',
    }),
  ];
  const inner = await fillLog(store, { count: 0, more: [wireMessage('agent', 'I am the inner agent.')] });
  const child = await fillLog(store, {
    count: 40,
    more: [...task(inner), wireMessage('agent', 'I am the sub-agent.')],
  });
  const id = await fillLog(store, { count: 0, more: [wireMessage('user', 'Delegate'), ...task(child)] });
  await using opened = await openPage(browser, `${server.url}/c/${id}`);
  const { page, complaints } = opened;
  const lane = page.locator('.cv-lane').first();
  await page.getByText('Conversation of the sub-agent').click();
  await expect.poll(() => lane.textContent()).toContain('I am the sub-agent.');
  // the newest part of it, and more on request
  expect(await lane.getByText('Request 0').count()).toBe(0);
  for (let turn = 0; turn < 5 && (await lane.getByText('Request 0').count()) === 0; turn++)
    await lane.getByRole('button', { name: 'Show earlier' }).click();
  await expect.poll(() => lane.getByText('Request 0').count()).toBe(1);
  await lane.getByText('Conversation of the sub-agent').click();
  await expect.poll(() => lane.locator('.cv-lane').textContent()).toContain('I am the inner agent.');
  await lane.getByRole('button', { name: 'Open as a page' }).first().click();
  await expect.poll(() => page.url()).toContain(child);
  expect(complaints).toEqual([]);
});
