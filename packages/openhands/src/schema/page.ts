import { z } from 'zod';
import { keptAs, orNull } from './objects.ts';

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The first item of the next page, to be passed as `page_id`; null on the last one. */
  readonly next_page_id: string | null;
}

/** The schema of a page, as a component of the OpenAPI document. */
export function pageOf<Item>(id: string, item: z.ZodType<Item>): z.ZodType<Page<Item>> {
  return keptAs(id, { items: z.array(item), next_page_id: orNull(z.string()) });
}
