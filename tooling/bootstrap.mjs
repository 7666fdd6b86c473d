#!/usr/bin/env node
// Behind every npm script of the root: makes the machine ready (Node, dependencies, build), then runs the task.
// Plain JavaScript, because it starts on whatever Node the machine has, from 18 on.
import { ensureBuilt } from './bootstrap/build.mjs';
import { ensureInstalled } from './bootstrap/install.mjs';
import { ensureNode, environmentFor } from './bootstrap/node.mjs';
import { alone } from './bootstrap/lock.mjs';
import { BootstrapError, runProgram } from './bootstrap/process.mjs';
import { tasks } from './bootstrap/tasks.mjs';
import { testEnvironment } from './bootstrap/test-environment.mjs';

const [name = '', ...rest] = process.argv.slice(2);
const extra = rest[0] === '--' ? rest.slice(1) : rest;

try {
  const task = tasks[name];
  if (task === undefined) {
    throw new BootstrapError(`unknown task '${name}', known are: ${Object.keys(tasks).join(', ')}`);
  }
  const node = await ensureNode();
  const environment = environmentFor(node);
  await ensureInstalled(environment);
  if (task.build !== undefined) await ensureBuilt(task.build, environment);
  const inside = task.tests === true ? testEnvironment(environment) : environment;
  const run = () => runProgram(task.command(node, extra), inside);
  await (task.alone === true ? alone(run) : run());
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  process.stderr.write(`conv: ${error.message}\n`);
  process.exitCode = 1;
}
