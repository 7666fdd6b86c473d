import type { Model } from '../model.ts';

/** The members of a model that decide how a history is written for it. */
export type PromptTarget = Pick<Model, 'api' | 'name' | 'vision'>;
