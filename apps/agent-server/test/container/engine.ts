import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, openaiCompatible } from '@conv/agent';
import { ContainerWorkspace, type ContainerWorkspaceOptions } from '@conv/container';
import type { Agent } from '@conv/core';
import { call, say, toolResults, type ModelServer, type Script } from '@conv/testing-model-server';
import { terminal } from '@conv/tools';
import { execa } from 'execa';

import { newFolder } from '../new-folder.ts';

/** `npm run image` sets both: the socket of an engine, and the image that it has built. */
const { CONV_ENGINE: engine = '', CONV_IMAGE: image = '' } = process.env;

/** True if there is an engine with the image. */
export const hasEngine: boolean = engine !== '' && image !== '';

/** Returns a workspace with what every test gives. */
export function workspaceWith(options: Partial<ContainerWorkspaceOptions> = {}): ContainerWorkspace {
  return new ContainerWorkspace({ image, engine, ...options });
}

/** Returns a name that no other test takes. */
export function newName(): string {
  return `conv-test-${crypto.randomUUID()}`;
}

/** Returns options of a container with a name, whose secret is in a folder of the test. */
export function named(name: string = newName()): { readonly name: string; readonly keyFile: string } {
  return { name, keyFile: join(newFolder(), 'key') };
}

/** Returns a new folder that belongs to a user without rights. */
export function userFolder(): string {
  const folder = join(newFolder(), 'project');
  mkdirSync(folder);
  // the tests run as root, as which no container runs
  if (process.getuid?.() === 0) chownSync(folder, 1234, 1234);
  return folder;
}

/** Returns an agent with a terminal, whose model the container reaches on this machine. */
export function agentOf(model: ModelServer): Agent {
  const baseUrl = model.url.replace('127.0.0.1', 'host.containers.internal');
  return createAgent({ model: openaiCompatible('test-model', { baseUrl, apiKey: 'k' }), tools: [terminal()] });
}

/** Writes an answer into the workspace with a command, then says the output of the command. */
export const answering: Script = (request) => {
  const result = toolResults(request).at(-1);
  return result
    ? say(`It said: ${result.text}`)
    : call('terminal', { command: 'echo "$((6 * 7))" > answer; cat answer' });
};

/** Runs a command of the engine, beside the workspace, and resolves with its output. */
export async function podman(...args: readonly string[]): Promise<string> {
  const { stdout } = await execa('podman', ['--url', `unix://${engine.replace('unix://', '')}`, ...args]);
  return stdout;
}

/** Resolves with the log of the server in a container. */
export async function logOf(name: string): Promise<string> {
  const { stderr } = await execa('podman', ['--url', `unix://${engine.replace('unix://', '')}`, 'logs', name]);
  return stderr;
}

/** Resolves with the names of all containers and volumes that hold this text. */
export async function remains(name: string): Promise<readonly string[]> {
  const filter = `name=${name}`;
  const containers = await podman('ps', '--all', '--filter', filter, '--format', '{{.Names}}');
  const volumes = await podman('volume', 'ls', '--filter', filter, '--format', '{{.Name}}');
  return `${containers}\n${volumes}`.split('\n').filter((line) => line !== '');
}
