import type { SecretDescription } from '@conv/core';
import { drafts, type EventDraft, type ToolDefinition } from '@conv/core/events';
import type { Tool, ToolSession } from '@conv/core/tool';
import { inert, oneLine } from '../base/inert.ts';
import { maskTextOf } from '../base/mask-text.ts';
import type { Skill } from '../skills/skill.ts';
import { skillsBlock } from '../skills/skills-block.ts';
import { secretsBlock, withSecretsBlock } from './secrets-block.ts';

/** Options of one conversation's system prompt. */
export interface SystemPromptOptions {
  readonly prompt: string;
  /** The text behind the facts about the conversation. */
  readonly suffix: string | undefined;
  readonly skills: readonly Skill[];
  /** The block about the notes of earlier conversations. */
  readonly memory: string | undefined;
  readonly tools: readonly Tool[];
  readonly session: ToolSession;
  readonly now: Date;
  /** The secrets that commands may name. */
  readonly secrets: readonly SecretDescription[];
}

/** Makes the first event of a conversation: the prompt of all conversations, and a part of this one alone. */
export function systemPromptDraft(options: SystemPromptOptions): EventDraft {
  const { prompt, suffix, skills, memory, tools, session, now, secrets } = options;
  const known = skillsBlock(skills);
  const context = [
    `Working folder: ${shownFolder(session.workingDirectory)}`,
    // Only the day: with a time of day, no two conversations could share a provider's cache.
    `Date: ${now.toISOString().slice(0, 10)}`,
    `Operating system: ${process.platform} (${process.arch})`,
    ...(known === '' ? [] : ['', known]),
    ...(memory === undefined ? [] : ['', memory]),
    ...(suffix === undefined || suffix.trim() === '' ? [] : ['', suffix.trim()]),
  ];
  const definitions = tools.map((tool) => tool.wire.definition as unknown as ToolDefinition);
  const block = secretsBlock(secrets, maskTextOf(session));
  return drafts.systemPrompt(prompt, definitions, withSecretsBlock(context.join('\n'), block));
}

/** Returns a folder as one line. A name may hold line breaks and tags; it is quoted then, so that it can still be told. */
function shownFolder(folder: string): string {
  return oneLine(folder) === folder && inert(folder) === folder ? folder : inert(JSON.stringify(folder));
}
