import type { ConversationFeatures } from '@conv/core';

/** The features of a conversation whose agent runs in this process. */
export const LOCAL_FEATURES: ConversationFeatures = {
  fork: true,
  commits: true,
  answerCall: true,
  edits: true,
  rerunActions: true,
  outline: true,
  view: true,
};
