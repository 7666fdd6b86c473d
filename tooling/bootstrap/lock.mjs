import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { announce, root } from './process.mjs';

/** Holds the number of the process that installs or builds. */
const lock = join(root, '.cache/bootstrap.lock');

/** Milliseconds after which a second lock, whose work takes microseconds, was left by a process that was killed. */
const HELD_TOO_LONG = 10_000;

/**
 * Runs a step that writes `node_modules` or `dist` while no other command does: two builds at once leave files of either, and turbo
 * would keep them. Waits for the other command, and goes on when that has died.
 * @template T
 * @param {() => Promise<T>} step
 * @param {string} [file]
 * @returns {Promise<T>}
 */
export async function alone(step, file = lock) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !take(file); told = true) {
    if (!told) announce('waiting for another command that installs or builds here');
    await delay(100);
  }
  const release = () => rmSync(file, { force: true });
  // a signal or a failing step ends the process without coming back here
  process.once('exit', release);
  try {
    return await step();
  } finally {
    process.off('exit', release);
    release();
  }
}

/**
 * True if this process holds the lock now.
 * @param {string} file
 */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  if (isLeft(file)) removeLeft(file);
  return false;
}

/**
 * Removes the lock of a process that has ended. A second lock, held without a pause, keeps another that saw the same from removing
 * the lock of the process that came next.
 * @param {string} file
 */
function removeLeft(file) {
  const guard = `${file}.removing`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    const at = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - at > HELD_TOO_LONG) rmSync(guard, { recursive: true, force: true });
    return;
  }
  if (isLeft(file)) rmSync(file, { force: true });
  rmSync(guard, { recursive: true, force: true });
}

/**
 * True if the process that holds the lock has ended. Between the making of the file and its content it reads as held.
 * @param {string} file
 */
function isLeft(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    if (holder === 0) return false;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}
