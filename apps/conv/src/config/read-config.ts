import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { checks } from '@conv/core';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { type Config, configMembers, configSchema, modelMembers } from './config-schema.ts';

/**
 * Reads a configuration, YAML or JSON, which is YAML too; paths in it start from the file's own folder. Throws {@link CommandError} with
 * the file, line, member and problem, and without any value.
 */
export function readConfig(file: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(textOf(file), { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [broken] = document.errors;
  // a message may repeat a part of the file, in which credentials may be
  if (broken)
    throw refused(`${file}: line ${lines.linePos(broken.pos[0]).line}: expected JSON or YAML (${broken.code})`);
  const parsed = configSchema.safeParse(valueOf(document, file, lines) ?? {});
  if (!parsed.success) {
    const wrong = parsed.error.issues.flatMap(described);
    const said = wrong.map(({ path, message }) => {
      const line = lineOf(document, path, lines);
      return { line, text: `line ${line}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}` };
    });
    const inOrder = said.toSorted((one, other) => one.line - other.line).map(({ text }) => text);
    throw refused(`${file}: ${inOrder.join('; ')}`, parsed.error);
  }
  const { skills, agents, sandboxRead } = parsed.data;
  const resolved = (paths: readonly string[]): readonly string[] => paths.map((path) => resolve(dirname(file), path));
  return {
    ...parsed.data,
    ...(skills && { skills: resolved(skills) }),
    ...(agents && { agents: resolved(agents) }),
    ...(sandboxRead && { sandboxRead: resolved(sandboxRead) }),
  };
}

/** Returns the value of the file, with its aliases resolved. */
function valueOf(document: Document, file: string, lines: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    let line = 1;
    visit(document, {
      Alias: (_, alias) => {
        line = lines.linePos(alias.range?.[0] ?? 0).line;
        return alias.resolve(document) === undefined ? visit.BREAK : undefined;
      },
    });
    throw refused(
      `${file}: line ${line}: an alias is undefined or expands to too much (ALIAS); write its value there`,
      cause,
    );
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw refused(
      `the configuration ${file} cannot be read: ${reason}; --config takes the path of a YAML or JSON file`,
      cause,
    );
  }
}

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the problems of an issue: each unknown member is its own problem, so that each is told with its line. */
function described(issue: z.core.$ZodIssue): readonly Wrong[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = path.length === 0 ? configMembers : modelMembers;
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown member; ${helpWith(key, known)}` }));
  }
  // of the possible forms of a member, the intended form gives the better message
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((errors) => errors.every((error) => error.path.length > 0 || 'keys' in error));
    if (meant) return meant.flatMap((inner) => described({ ...inner, path: [...path, ...inner.path] }));
  }
  return [{ path, message: message.replace(/^Invalid input: /, '') }];
}

function helpWith(member: string, known: readonly string[]): string {
  const near = checks.closestName(member, known);
  return near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`;
}

/** The line of a member, or of the nearest one around it. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    const offset = isNode(node) ? node.range?.[0] : undefined;
    if (offset !== undefined) return lines.linePos(offset).line;
  }
  return 1;
}

function refused(message: string, cause?: unknown): CommandError {
  return new CommandError(exitCodes.usage, message, { cause });
}
