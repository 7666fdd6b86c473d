import { z } from 'zod';
import { type TextContent, textContentSchema } from './content.ts';
import { type EventBase, eventBase } from './event-base.ts';
import { model, optional } from './model.ts';
import { type ToolDefinition, toolDefinitionSchema } from './tool-definition.ts';

/** The system prompt and the tools; written once, before the first user message. */
export interface SystemPromptEvent extends EventBase {
  readonly system_prompt: TextContent;
  readonly tools: readonly ToolDefinition[];
  /** Text of this conversation alone: skills, workspace, names of secrets. */
  readonly dynamic_context?: TextContent | null;
  readonly kind: 'SystemPromptEvent';
}

/** A system prompt event as it is written. */
export const systemPromptEventSchema: z.ZodType<SystemPromptEvent> = model('forbid', {
  ...eventBase,
  system_prompt: textContentSchema,
  tools: z.array(toolDefinitionSchema),
  dynamic_context: optional(textContentSchema),
  kind: z.literal('SystemPromptEvent'),
});
