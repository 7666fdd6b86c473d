import type { pastViews } from '@conv/core';

/** A message of the conversation with a model: the wire's message with its defaults applied. */
export type LlmMessage = pastViews.ModelMessage;
