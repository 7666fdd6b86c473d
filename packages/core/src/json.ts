export type { JsonObject, JsonValue as Json } from './events/json.ts';
