import { z } from 'zod';
import { firstProblem } from '../base/first-problem.ts';
import { readFrontMatter } from '../skills/front-matter.ts';
import type { Skill } from '../skills/skill.ts';
import { invalidPlugin, nameOfFile } from './plugin-files.ts';

const MAX_DESCRIPTION = 2_000;
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish();
const hint = z.union([z.array(z.unknown()).transform((parts) => parts.map(String).join(' ')), text]);

/** The front matter of a command; other members are for other programs. */
const commandSchema = z.object({ description: text, 'argument-hint': hint.optional(), argumentHint: hint.optional() });

/**
 * Parses a command of a plugin as a skill that a message with `/PLUGIN:COMMAND` calls for. Rejects {@link AgentError} `INVALID_PLUGIN` that names
 * the file and the field.
 */
export async function parseCommand(file: string, path: string, plugin: string): Promise<Skill> {
  const { data, content } = await readFrontMatter(file, path, invalidPlugin);
  const read = commandSchema.safeParse(data);
  if (!read.success) throw invalidPlugin(path, firstProblem(read.error), read.error);
  const command = nameOfFile(path);
  const name = `${plugin}:${command}`;
  if (/[\p{Cc}<>\s]/u.test(name)) throw invalidPlugin(path, 'expected a file name without spaces, < and >; rename it');
  const description = read.data.description?.trim() ?? '';
  const argument = read.data['argument-hint'] ?? read.data.argumentHint ?? '';
  const parts = [
    ...(description === '' ? [] : [`## ${command}\n\n${description}\n`]),
    ...(argument === '' ? [] : [`**Arguments**: \`$ARGUMENTS\` - ${argument}\n`]),
    ...(content === '' ? [] : [`\n${content}`]),
  ];
  const whole = parts.join('\n').trim();
  if (whole === '') throw invalidPlugin(path, 'expected a text, found none');
  return {
    name,
    content: whole,
    description: description === '' ? `Command ${command} from ${plugin}` : description.slice(0, MAX_DESCRIPTION),
    trigger: { type: 'keyword', keywords: [`/${name}`] },
    source: path,
  };
}
