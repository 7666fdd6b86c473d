import type { pastViews } from '@conv/core';

/**
 * Returns an outline with the news of a later one: what it covers replaces what was known from there on. The times of marks are left out,
 * because the page shows none, and a long log has thousands of marks.
 */
export function mergeOutline(known: pastViews.Outline | undefined, news: pastViews.Outline): pastViews.Outline {
  const { from, events, cost } = news;
  const marks = news.marks.map((mark) => ({ ...mark, timestamp: '' }));
  if (!known || from === 0) return { ...news, marks };
  return {
    from: 0,
    events,
    marks: [...known.marks.filter(({ event }) => event < from), ...marks],
    cost: [...known.cost.filter(({ event }) => event < from), ...cost],
  };
}
