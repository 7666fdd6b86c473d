/**
 * Returns the SQL functions that write a log, for the schema `s`. A call is one statement and so one transaction: it is stored as
 * a whole or not at all, and needs nothing of its session. `append` checks the epoch, the turn and the end in the `UPDATE` of the
 * conversation's row; this is the fence. `settle` raises the turn, so that an append which arrives later stores nothing.
 */
export const createWriteFunctions = (s: string): string => `
CREATE FUNCTION ${s}.require_durability() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

CREATE FUNCTION ${s}.write_summary(p_key bigint, p_summary text[], p_at timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE ${s}.summaries SET
    title = p_summary[1], status = p_summary[2], created_at = p_summary[3], tags = p_summary[4], parent_id = p_summary[5],
    forked_from = p_summary[6], updated_at = date_trunc('milliseconds', p_at)
  WHERE key = p_key;
$$;

CREATE FUNCTION ${s}.insert_commits(
  p_key bigint, p_epoch bigint, p_seq bigint, p_event bigint,
  p_ids uuid[], p_counts integer[], p_crcs integer[], p_lengths integer[], p_bodies bytea, p_event_ids uuid[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${s}.commits (log, seq, epoch, first_event, events, crc, id, body)
  SELECT p_key, p_seq + o - 1, p_epoch, p_event + sum(n) OVER w - n, n, c, i,
    convert_from(substring(p_bodies FROM (sum(l) OVER w - l + 1)::integer FOR l), 'UTF8')
  FROM unnest(p_ids, p_counts, p_crcs, p_lengths) WITH ORDINALITY AS t (i, n, c, l, o)
  WINDOW w AS (ORDER BY o);
  INSERT INTO ${s}.event_ids (log, id, event)
  SELECT p_key, i, p_event + o - 1 FROM unnest(p_event_ids) WITH ORDINALITY AS t (i, o) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION ${s}.append(
  p_key bigint, p_epoch bigint, p_turn bigint, p_seq bigint, p_event bigint,
  p_ids uuid[], p_counts integer[], p_crcs integer[], p_lengths integer[], p_bodies bytea, p_event_ids uuid[],
  p_summary text[], p_touch boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  UPDATE ${s}.heads SET
    next_seq = p_seq + array_length(p_ids, 1), next_event = p_event + cardinality(p_event_ids), changed_at = v_now
  WHERE key = p_key AND epoch = p_epoch AND turn = p_turn AND next_seq = p_seq;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF array_length(p_ids, 1) = 1 AND cardinality(p_event_ids) = 1 THEN
    -- What most appends are, without a call inside the call.
    INSERT INTO ${s}.commits (log, seq, epoch, first_event, events, crc, id, body)
    VALUES (p_key, p_seq, p_epoch, p_event, 1, p_crcs[1], p_ids[1], convert_from(p_bodies, 'UTF8'));
    INSERT INTO ${s}.event_ids (log, id, event) VALUES (p_key, p_event_ids[1], p_event) ON CONFLICT DO NOTHING;
  ELSE
    PERFORM ${s}.insert_commits(p_key, p_epoch, p_seq, p_event, p_ids, p_counts, p_crcs, p_lengths, p_bodies, p_event_ids);
  END IF;
  IF p_summary IS NOT NULL THEN
    PERFORM ${s}.write_summary(p_key, p_summary, v_now);
  ELSIF p_touch THEN
    UPDATE ${s}.summaries SET updated_at = date_trunc('milliseconds', v_now) WHERE key = p_key;
  END IF;
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM ${s}.require_durability();
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION ${s}.settle(p_key bigint, p_epoch bigint, p_seq bigint)
RETURNS TABLE (o_epoch bigint, o_turn bigint, o_next_seq bigint, o_next_event bigint, o_id uuid) LANGUAGE plpgsql AS $$
BEGIN
  -- Waits for an append that is under way; one that comes later finds another turn and stores nothing.
  UPDATE ${s}.heads SET turn = turn + 1 WHERE key = p_key AND epoch = p_epoch;
  PERFORM ${s}.require_durability();
  RETURN QUERY
    SELECT h.epoch, h.turn, h.next_seq, h.next_event,
      (SELECT c.id FROM ${s}.commits c WHERE c.log = p_key AND c.seq = p_seq AND c.epoch = p_epoch)
    FROM ${s}.heads h WHERE h.key = p_key;
END $$;`;
