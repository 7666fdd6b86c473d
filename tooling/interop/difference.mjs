/**
 * Where two JSON values differ, as `path: expected X, found Y`, the first few places in document order. Empty when equal;
 * the order of an object's keys does not count, a missing key is not null.
 */
export function differences(expected, found, limit = 3) {
  const places = [];
  compare(expected, found, '$', places, limit);
  return places;
}

function compare(expected, found, path, places, limit) {
  if (places.length >= limit || Object.is(expected, found)) return;
  if (!isContainer(expected) || !isContainer(found) || Array.isArray(expected) !== Array.isArray(found)) {
    places.push(`${path}: expected ${shown(expected)}, found ${shown(found)}`);
    return;
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  for (const key of keys) {
    const inner = Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`;
    if (!Object.hasOwn(expected, key)) addPlace(places, limit, `${inner}: unexpected ${shown(found[key])}`);
    else if (!Object.hasOwn(found, key)) addPlace(places, limit, `${inner}: missing, expected ${shown(expected[key])}`);
    else compare(expected[key], found[key], inner, places, limit);
  }
}

function addPlace(places, limit, place) {
  if (places.length < limit) places.push(place);
}

function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

function shown(value) {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
