/** The past of a conversation: points of its log, its outline, and the view that the model has at a point. */
export type { PastPoint } from './contract/conversation/history.ts';
export type {
  HiddenEvents,
  ModelMessage,
  ModelView,
  ViewMessage,
  ViewPage,
} from './contract/conversation/model-view.ts';
export {
  OUTLINE_KINDS,
  type Outline,
  type OutlineCost,
  type OutlineKind,
  type OutlineMark,
  type OutlineOptions,
} from './contract/conversation/outline.ts';
