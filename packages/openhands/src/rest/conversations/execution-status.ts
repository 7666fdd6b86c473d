import { z } from 'zod';
import type { ExecutionStatus } from '@conv/core';
import { named } from '../../schema/index.ts';

/** The schema of what a conversation is doing. */
export const executionStatusSchema: z.ZodType<ExecutionStatus> = named(
  'ConversationExecutionStatus',
  z.enum(['idle', 'running', 'paused', 'waiting_for_confirmation', 'finished', 'error', 'stuck', 'deleting']),
);
