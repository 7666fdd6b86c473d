/**
 * Folds the events of a branch into the view of a model, for code that keeps a fold or looks at one.
 *
 * @module
 */
export { modelEvents, SUMMARY, summaryOf, ViewFold, type View } from './view.ts';
