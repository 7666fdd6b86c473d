/**
 * Returns the SQL for the seals, for the schema `s`, which prove outside of the log how far it was acknowledged
 * (docs/decisions/0050-postgres-seals.md). The row of a conversation has a seal over its numbers, renewed whenever they change. A
 * row with a broken seal is not changed any more, so that no write hides the damage before the log has told the truth. Spans of
 * forks and snapshots have seals too.
 */
export const createSeals = (s: string): string => `
ALTER TABLE ${s}.heads ADD COLUMN seal text;
ALTER TABLE ${s}.inherited ADD COLUMN seal text;
ALTER TABLE ${s}.snapshots ADD COLUMN crc integer;
CREATE INDEX summaries_by_id ON ${s}.summaries (id);

CREATE FUNCTION ${s}.seal_of(VARIADIC p_values text[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(md5(array_to_string(p_values, ' ')), 8);
$$;

CREATE FUNCTION ${s}.seal_of_head(h ${s}.heads) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT ${s}.seal_of(h.key::text, h.id::text, h.epoch::text, h.next_seq::text, h.next_event::text, h.own_from::text);
$$;

CREATE FUNCTION ${s}.seal_of_span(i ${s}.inherited) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT ${s}.seal_of(i.key::text, i.first_seq::text, i.end_seq::text, i.end_event::text, i.log::text);
$$;

UPDATE ${s}.heads h SET seal = ${s}.seal_of_head(h);
UPDATE ${s}.inherited i SET seal = ${s}.seal_of_span(i);

CREATE FUNCTION ${s}.seal_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.next_seq = OLD.next_seq AND NEW.next_event = OLD.next_event AND NEW.epoch = OLD.epoch AND NEW.key = OLD.key
      AND NEW.id = OLD.id AND NEW.own_from = OLD.own_from THEN
      RETURN NEW;
    END IF;
    IF OLD.seal IS DISTINCT FROM ${s}.seal_of_head(OLD) THEN
      RAISE EXCEPTION 'the row of conversation % is damaged', OLD.id USING ERRCODE = 'XX001';
    END IF;
  END IF;
  NEW.seal := ${s}.seal_of_head(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER seal BEFORE INSERT OR UPDATE ON ${s}.heads FOR EACH ROW EXECUTE FUNCTION ${s}.seal_head();

CREATE FUNCTION ${s}.seal_span() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.seal := ${s}.seal_of_span(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER seal BEFORE INSERT ON ${s}.inherited FOR EACH ROW EXECUTE FUNCTION ${s}.seal_span();

CREATE OR REPLACE FUNCTION ${s}.inherit(p_key bigint, p_source bigint, p_epoch bigint, p_seq bigint, p_event bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE ${s}.heads SET epoch = p_epoch, next_seq = p_seq, next_event = p_event, own_from = p_seq WHERE key = p_key;
  INSERT INTO ${s}.inherited (key, first_seq, end_seq, end_event, log)
  SELECT p_key, first_seq, end_seq, end_event, log FROM ${s}.inherited WHERE key = p_source
  UNION ALL
  SELECT p_key, own_from, p_seq, p_event, key FROM ${s}.heads WHERE key = p_source AND own_from < p_seq;
  INSERT INTO ${s}.snapshots (key, seq, version, data, crc)
  SELECT p_key, seq, version, data, crc FROM ${s}.snapshots WHERE key = p_source AND seq <= p_seq;
$$;

CREATE FUNCTION ${s}.find(p_id uuid)
RETURNS TABLE (
  o_key bigint, o_epoch bigint, o_next_seq bigint, o_next_event bigint, o_own_from bigint, o_row text, o_sealed boolean,
  o_listed bigint, o_last_seq bigint, o_last_end bigint
) LANGUAGE sql STABLE AS $$
  SELECT h.key, h.epoch, h.next_seq, h.next_event, h.own_from, h::text,
    h.seal IS NOT DISTINCT FROM ${s}.seal_of_head(h), c.key, l.seq, l.first_event + l.events
  FROM (SELECT p_id AS id) q
  LEFT JOIN ${s}.heads h ON h.id = q.id
  LEFT JOIN LATERAL (SELECT key FROM ${s}.summaries WHERE id = q.id ORDER BY key LIMIT 1) c ON true
  LEFT JOIN LATERAL (SELECT seq, first_event, events FROM ${s}.commits WHERE log = h.key ORDER BY seq DESC LIMIT 1) l ON true
  WHERE h.key IS NOT NULL OR c.key IS NOT NULL;
$$;

CREATE FUNCTION ${s}.mend(
  p_id uuid, p_row text, p_key bigint, p_epoch bigint, p_seq bigint, p_event bigint, p_own_from bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  h ${s}.heads;
BEGIN
  SELECT * INTO h FROM ${s}.heads WHERE id = p_id FOR UPDATE;
  IF h::text IS DISTINCT FROM p_row AND NOT (h IS NULL AND p_row IS NULL) THEN
    RETURN false;
  END IF;
  DELETE FROM ${s}.heads WHERE key IN (h.key, p_key);
  INSERT INTO ${s}.heads (key, id, birth, epoch, turn, next_seq, next_event, own_from, claim, token, owner)
  OVERRIDING SYSTEM VALUE
  VALUES (p_key, p_id, coalesce(h.birth, p_id), p_epoch, coalesce(h.turn, 0), p_seq, p_event, p_own_from, h.claim, h.token, h.owner);
  PERFORM ${s}.require_durability();
  RETURN true;
END $$;`;
