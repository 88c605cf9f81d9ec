-- Phantoms: rooms are booked by those who found no booking that overlaps.
--
-- Source: the classroom scheduling of PostgreSQL's isolation tests, and Hermitage's PMP and G2,
-- where a transaction asks the same question twice.
--
-- mix: book 30, move_booking 20, cancel 30, look_twice 20
-- sizes: R = 3 * scale
-- arguments: book(fresh, zipf(1, R), uniform(0, 22), uniform(1, 3))
-- arguments: move_booking(zipf(1, R), uniform(0, 23), uniform(0, 22))
-- arguments: cancel(zipf(1, R), uniform(0, 23))
-- arguments: look_twice(zipf(1, R), uniform(0, 12), uniform(12, 24))

-- Hours are numbers: a booking takes those from starts up to, but not including, ends.
CREATE TABLE bookings (
    b_id   bigint PRIMARY KEY,
    room   bigint NOT NULL,
    starts bigint NOT NULL,
    ends   bigint NOT NULL
);

-- Per unit of scale three rooms with four bookings each.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 0..12 * p_scale - 1 LOOP
        INSERT INTO bookings (b_id, room, starts, ends)
        VALUES (i + 1, i / 4 + 1, i % 4 * 6, i % 4 * 6 + 2);
    END LOOP;
END;
$$;

-- How many bookings of a room overlap the hours given, leaving out one of them (0: none).
CREATE FUNCTION overlapping(p_room bigint, p_starts bigint, p_ends bigint, p_except bigint)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count
    FROM bookings
    WHERE room = p_room AND starts < p_ends AND ends > p_starts AND b_id <> p_except;
    RETURN v_count;
END;
$$;

CREATE FUNCTION book(p_b_id bigint, p_room bigint, p_starts bigint, p_hours bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_others bigint := overlapping(p_room, p_starts, p_starts + p_hours, 0);
BEGIN
    IF p_hours <= 0 THEN
        RAISE EXCEPTION 'nobody can book % hours', p_hours;
    END IF;
    IF v_others > 0 THEN
        RAISE EXCEPTION 'room % is taken at %', p_room, p_starts;
    END IF;
    INSERT INTO bookings (b_id, room, starts, ends)
    VALUES (p_b_id, p_room, p_starts, p_starts + p_hours);
END;
$$;

-- Moves what is booked in a room at an hour to another time. False when nothing is.
CREATE FUNCTION move_booking(p_room bigint, p_hour bigint, p_starts bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_b_id   bigint;
    v_hours  bigint;
    v_others bigint;
BEGIN
    SELECT b_id, ends - starts INTO v_b_id, v_hours
    FROM bookings
    WHERE room = p_room AND p_hour >= starts AND p_hour < ends;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    v_others := overlapping(p_room, p_starts, p_starts + v_hours, v_b_id);
    IF v_others > 0 THEN
        RAISE EXCEPTION 'room % is taken at %', p_room, p_starts;
    END IF;
    UPDATE bookings SET starts = p_starts, ends = p_starts + v_hours WHERE b_id = v_b_id;
    RETURN true;
END;
$$;

-- Cancels what is booked in a room at an hour.
CREATE FUNCTION cancel(p_room bigint, p_hour bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM bookings WHERE room = p_room AND p_hour >= starts AND p_hour < ends;
END;
$$;

-- Counts the bookings of a room twice: whether both answers are the same.
CREATE FUNCTION look_twice(p_room bigint, p_starts bigint, p_ends bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_first  bigint;
    v_second bigint;
BEGIN
    v_first := overlapping(p_room, p_starts, p_ends, 0);
    v_second := overlapping(p_room, p_starts, p_ends, 0);
    RETURN v_first = v_second;
END;
$$;

-- No two bookings of a room overlap.
CREATE FUNCTION invariant_no_overlap() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r      record;
    v_room bigint := 0;
    v_ends bigint := 0;
BEGIN
    FOR r IN SELECT room, starts, ends FROM bookings ORDER BY room, starts, ends LOOP
        IF r.room = v_room AND r.starts < v_ends THEN
            RETURN false;
        END IF;
        v_room := r.room;
        v_ends := r.ends;
    END LOOP;
    RETURN true;
END;
$$;
