import type { pastViews } from '@conv/core';

/** Returns an outline with the news of a later one: what it covers replaces what was known from there on. */
export function mergeOutline(known: pastViews.Outline | undefined, news: pastViews.Outline): pastViews.Outline {
  if (!known || news.from === 0) return news;
  return {
    from: 0,
    events: news.events,
    marks: [...known.marks.filter(({ event }) => event < news.from), ...news.marks],
    cost: [...known.cost.filter(({ event }) => event < news.from), ...news.cost],
  };
}
