/** Returns the SQL functions for whole conversations, for the schema `s`. */
export const createConversationFunctions = (s: string): string => `
CREATE FUNCTION ${s}.remove(p_id uuid, p_void uuid[])
RETURNS TABLE (o_key bigint, o_epoch bigint, o_claim uuid, o_owner text, o_process text, o_until double precision)
LANGUAGE plpgsql AS $$
DECLARE
  h ${s}.heads;
  v_log bigint;
  v_end_seq bigint;
  v_end_event bigint;
BEGIN
  SELECT * INTO h FROM ${s}.heads WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT h.key, h.epoch, h.claim, h.owner, o.o_process, o.o_until FROM ${s}.living_owner(h.claim, h.token, p_void) o;
  IF FOUND THEN
    RETURN;
  END IF;
  FOR v_log IN SELECT h.key UNION SELECT log FROM ${s}.inherited WHERE key = h.key ORDER BY 1 LOOP
    -- Of two who remove the last users of a log at the same time the second one sees what the first one did.
    PERFORM FROM ${s}.inherited WHERE log = v_log ORDER BY key, first_seq FOR UPDATE;
    SELECT coalesce(max(i.end_seq), 0), coalesce(max(i.end_event), 0) INTO v_end_seq, v_end_event
    FROM ${s}.inherited i WHERE i.log = v_log AND i.key <> h.key;
    -- The log of a conversation that is still there is its own matter.
    CONTINUE WHEN v_log <> h.key AND EXISTS (SELECT FROM ${s}.heads WHERE key = v_log);
    DELETE FROM ${s}.commits WHERE log = v_log AND seq >= v_end_seq;
    DELETE FROM ${s}.event_ids WHERE log = v_log AND event >= v_end_event;
  END LOOP;
  DELETE FROM ${s}.inherited WHERE key = h.key;
  DELETE FROM ${s}.snapshots WHERE key = h.key;
  DELETE FROM ${s}.summaries WHERE key = h.key;
  DELETE FROM ${s}.heads WHERE key = h.key;
  PERFORM ${s}.require_durability();
  RETURN QUERY SELECT h.key, h.epoch, h.claim, h.owner, '', NULL::double precision;
END $$;

CREATE FUNCTION ${s}.conceive(p_id uuid, p_birth uuid, p_summary text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint;
BEGIN
  INSERT INTO ${s}.heads (id, birth) VALUES (p_id, p_birth) ON CONFLICT (id) DO NOTHING RETURNING key INTO v_key;
  IF v_key IS NOT NULL THEN
    INSERT INTO ${s}.summaries (key, id, title, status, created_at, updated_at, tags, parent_id, forked_from)
    VALUES (v_key, p_id, p_summary[1], p_summary[2], p_summary[3], date_trunc('milliseconds', clock_timestamp()),
      p_summary[4], p_summary[5], p_summary[6]);
  END IF;
  RETURN v_key;
END $$;

CREATE FUNCTION ${s}.inherit(p_key bigint, p_source bigint, p_epoch bigint, p_seq bigint, p_event bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE ${s}.heads SET epoch = p_epoch, next_seq = p_seq, next_event = p_event, own_from = p_seq WHERE key = p_key;
  INSERT INTO ${s}.inherited (key, first_seq, end_seq, end_event, log)
  SELECT p_key, first_seq, end_seq, end_event, log FROM ${s}.inherited WHERE key = p_source
  UNION ALL
  SELECT p_key, own_from, p_seq, p_event, key FROM ${s}.heads WHERE key = p_source AND own_from < p_seq;
  INSERT INTO ${s}.snapshots (key, seq, version, data)
  SELECT p_key, seq, version, data FROM ${s}.snapshots WHERE key = p_source AND seq <= p_seq;
$$;

CREATE FUNCTION ${s}.seq_of_event(p_log bigint, p_from bigint, p_to bigint, p_event bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_low bigint := p_from;
  v_high bigint := p_to;
  v_middle bigint;
  c record;
BEGIN
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT seq, first_event + events AS end_event INTO c FROM ${s}.commits
    WHERE log = p_log AND seq >= v_middle AND seq < v_high ORDER BY seq LIMIT 1;
    IF NOT FOUND OR c.end_event > p_event THEN
      v_high := v_middle;
    ELSE
      v_low := c.seq + 1;
    END IF;
  END LOOP;
  -- Where commits are missing the first one behind them is meant.
  RETURN coalesce((SELECT min(seq) FROM ${s}.commits WHERE log = p_log AND seq >= v_low AND seq < p_to), v_low);
END $$;

CREATE FUNCTION ${s}.read_part(p_log bigint, p_from bigint, p_to bigint, p_commits integer, p_bytes bigint)
RETURNS TABLE (o_seq bigint, o_epoch bigint, o_first_event bigint, o_events integer, o_crc integer, o_body text)
LANGUAGE sql STABLE AS $$
  SELECT seq, epoch, first_event, events, crc, body FROM (
    SELECT c.*, sum(octet_length(c.body)) OVER (ORDER BY c.seq) - octet_length(c.body) AS before
    FROM (
      SELECT * FROM ${s}.commits WHERE log = p_log AND seq >= p_from AND seq < p_to ORDER BY seq LIMIT p_commits
    ) c
  ) t WHERE before < p_bytes ORDER BY seq;
$$;`;
