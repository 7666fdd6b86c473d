import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventSchemas, type EventKind } from '../../src/events/index.ts';
import { quickCheckOf } from '../../src/events/quick-check.ts';
import { exampleEvents, storedConversations } from './stored-events.ts';

const texts = [...storedConversations().flatMap(({ eventTexts }) => eventTexts), ...exampleEvents()];

function schemaOf(event: { readonly kind: EventKind }) {
  return eventSchemas[event.kind];
}

/** Every place in a JSON value, as the object that holds it and its key there. */
function places(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [{ holder: value, key }, ...places(child)]);
}

test('the quick check accepts every event of the reference', () => {
  for (const text of texts) expect(quickCheckOf(schemaOf(JSON.parse(text)))(JSON.parse(text))).toBe(true);
});

test('the quick check agrees with the schema when any one place of an event is damaged', () => {
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(undefined, '__root__', -1, 1.5, 'user', {}, []));
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.nat(), junk, fc.boolean(), (text, position, damage, remove) => {
      const event = JSON.parse(text);
      const schema = schemaOf(event);
      const all = places(event);
      const place = all[position % all.length];
      if (place !== undefined && remove) Reflect.deleteProperty(place.holder, place.key);
      else if (place !== undefined) Reflect.set(place.holder, place.key, damage);
      expect(quickCheckOf(schema)(event)).toBe(schema.safeParse(event).success);
    }),
    { numRuns: 2000 },
  );
});
