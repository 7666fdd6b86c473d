/**
 * Returns the SQL for appends of one commit with one event, which most are, for the schema `s`. Such an append has plain values instead of arrays, which cost
 * more to read than its rows to write, and the seal of a conversation's row is made without a call inside the call. The text under a seal is as before.
 *
 * The update of a row in `heads` keeps all other writers from its log, so looking for an event's id before it is inserted is enough.
 */
export const createSingleAppends = (s: string): string => `
CREATE FUNCTION ${s}.append_one(
  p_key bigint, p_epoch bigint, p_turn bigint, p_seq bigint, p_event bigint,
  p_id uuid, p_crc integer, p_body text, p_event_id uuid, p_touch boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  UPDATE ${s}.heads SET next_seq = p_seq + 1, next_event = p_event + 1, changed_at = v_now
  WHERE key = p_key AND epoch = p_epoch AND turn = p_turn AND next_seq = p_seq;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO ${s}.commits (log, seq, epoch, first_event, events, crc, id, body)
  VALUES (p_key, p_seq, p_epoch, p_event, 1, p_crc, p_id, p_body);
  INSERT INTO ${s}.event_ids (log, id, event)
  SELECT p_key, p_event_id, p_event
  WHERE NOT EXISTS (SELECT FROM ${s}.event_ids WHERE log = p_key AND id = p_event_id);
  IF p_touch THEN
    UPDATE ${s}.summaries SET updated_at = date_trunc('milliseconds', v_now) WHERE key = p_key;
  END IF;
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM ${s}.require_durability();
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ${s}.seal_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.next_seq = OLD.next_seq AND NEW.next_event = OLD.next_event AND NEW.epoch = OLD.epoch AND NEW.key = OLD.key
      AND NEW.id = OLD.id AND NEW.own_from = OLD.own_from THEN
      RETURN NEW;
    END IF;
    IF OLD.seal IS DISTINCT FROM
      left(md5(concat_ws(' ', OLD.key, OLD.id, OLD.epoch, OLD.next_seq, OLD.next_event, OLD.own_from)), 8) THEN
      RAISE EXCEPTION 'the row of conversation % is damaged', OLD.id USING ERRCODE = 'XX001';
    END IF;
  END IF;
  NEW.seal := left(md5(concat_ws(' ', NEW.key, NEW.id, NEW.epoch, NEW.next_seq, NEW.next_event, NEW.own_from)), 8);
  RETURN NEW;
END $$;`;
