import type { ConversationSummary, ListPage, ListQuery } from '../contract/store/conversation-store.ts';
import { SummaryList } from './summary-list.ts';

/**
 * The page of `all` that a query asks for; for stores that hold their summaries in memory. The cursor names the last item's
 * sort key and id, so that a page neither repeats nor skips what did not change. Throws `TypeError` for a bad limit and
 * `NOT_FOUND` for a cursor that no list has handed out.
 */
export function listPage(all: readonly ConversationSummary[], query: ListQuery): ListPage {
  return SummaryList.of(all).page(query);
}
