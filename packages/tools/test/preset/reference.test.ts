import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { presetTools, type PresetToolName } from '../../src/index.ts';
import { localTime } from '../../src/preset/local-time.ts';
import { openTool } from '../open-tool.ts';

interface Case {
  readonly tool: Exclude<PresetToolName, 'planning_file_editor'>;
  readonly input: JsonObject;
  readonly observation: JsonObject;
  /** The content of each file that the call changed; null for a file that is gone. */
  readonly changed: Readonly<Record<string, string | null>>;
}

/** Answers of OpenHands' tools, made by `tooling/interop/preset_tools.py`. Times of files grow in the order of the files. */
const { files, cases } = JSON.parse(readFileSync(join(import.meta.dirname, 'reference.json'), 'utf8')) as {
  readonly files: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
};

const FOLDERS = ['src/deep', 'src', 'docs', '.hidden'];
const START = 1_700_000_000;

function fill(root: string): void {
  Object.entries(files).forEach(([name, text], index) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), START + index, START + index);
  });
  for (const folder of FOLDERS) utimesSync(join(root, folder), START, START);
}

/** Returns an observation without the differences that are meant: a list names what it found, and an error its file. */
function comparable({ tool }: Case, observation: JsonObject): JsonObject {
  const { file_path: path, content, entries, ...rest } = observation;
  const [first] = content as readonly [{ readonly text: string }];
  const isFileOfError = (tool === 'edit' || tool === 'write_file') && rest['is_error'] === true;
  return {
    ...rest,
    text: tool === 'list_directory' ? (first.text.split('\n')[0] ?? '') : first.text,
    ...(path === undefined || isFileOfError ? {} : { file_path: path }),
    ...(entries === undefined ? {} : { entries }),
  };
}

/** Returns an observation of the reference with its times, which are of UTC, as times of this machine. */
function here({ observation }: Case): JsonObject {
  const { entries } = observation;
  if (!Array.isArray(entries)) return observation;
  const timed = (entries as readonly JsonObject[]).map((entry) => ({
    ...entry,
    modified_time: localTime(Date.parse(`${entry['modified_time'] as string}Z`)),
  }));
  return { ...observation, entries: timed };
}

test.each(cases.map((each) => [each.tool, JSON.stringify(each.input).slice(0, 120), each] as const))(
  '%s %s answers and changes files as the tool of OpenHands does',
  async (_, __, each) => {
    const { tool, session } = await openTool(presetTools()[each.tool]());
    const { workingDirectory: root } = session;
    fill(root);
    const given = tool.parse(JSON.parse(JSON.stringify(each.input).replaceAll('$ROOT', root)));
    const { signal } = new AbortController();
    const result = await tool.execute(given, { ...session, signal, toolCallId: 'call' });
    const told = tool.wire.toObservation(result, tool.wire.toAction(given));
    const observation = JSON.parse(JSON.stringify(told).replaceAll(root, '$ROOT')) as JsonObject;
    expect(comparable(each, observation)).toEqual(comparable(each, here(each)));
    const now = Object.keys(each.changed).map((name) => {
      const path = join(root, name);
      return [name, existsSync(path) ? readFileSync(path, 'utf8') : null];
    });
    expect(Object.fromEntries(now)).toEqual(each.changed);
  },
);
