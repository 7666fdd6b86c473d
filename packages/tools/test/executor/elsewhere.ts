import { join } from 'node:path';

import type { JsonObject, SecretVault } from '@conv/core';
import type { Executor, ToolContext, ToolFactory, ToolResult } from '@conv/core/tool';

import { executorTools } from '../../src/index.ts';
import { openTool, temporaryFolder, type ToolFixture } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';

/** An executor whose requests and answers pass as JSON, with all that passed. */
export interface Elsewhere {
  readonly executor: Executor;
  readonly passed: readonly string[];
}

export function elsewhere(): Elsewhere {
  const passed: string[] = [];
  const pass = (json: JsonObject): JsonObject => {
    passed.push(JSON.stringify(json));
    return JSON.parse(passed.at(-1) ?? '') as JsonObject;
  };
  const side = temporaryFolder();
  const tools = executorTools({
    secrets: () => {
      const secrets = fakeSecrets({});
      const hide = (values: readonly string[]): void => values.forEach((value) => secrets.hide(value));
      return { masker: secrets.masker, hide } as unknown as SecretVault;
    },
    sideDirectory: (id) => join(side, id),
  });
  const executor: Executor = {
    execute: async (session, request, context) => pass(await tools.execute(session, pass(request), context)),
    end: (id) => tools.end(id),
  };
  return { executor, passed };
}

export function openThere(
  factory: ToolFactory,
  more: Partial<ToolContext> = {},
  { executor }: Elsewhere = elsewhere(),
): Promise<ToolFixture> {
  return openTool(factory, temporaryFolder(), { ...more, executor });
}

/** Makes the same calls of a tool on this machine and in an executor, and returns both results without what differs by nature. */
export async function both(
  factory: () => ToolFactory,
  calls: readonly Record<string, unknown>[],
): Promise<readonly (readonly ToolResult[])[]> {
  const results = [];
  for (const fixture of [await openTool(factory()), await openThere(factory())]) {
    const { workingDirectory } = fixture.session;
    const seen: ToolResult[] = [];
    for (const input of calls) {
      const given = JSON.parse(JSON.stringify(input).replaceAll('FOLDER', workingDirectory)) as Record<string, unknown>;
      const result = await fixture.call(given);
      seen.push(JSON.parse(JSON.stringify(result).replaceAll(workingDirectory, 'FOLDER')) as ToolResult);
    }
    results.push(seen);
  }
  return results;
}
