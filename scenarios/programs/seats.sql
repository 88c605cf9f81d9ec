-- SEATS: an airline's ticketing: search flights and seats, and book, change and cancel
-- reservations.
--
-- Source: SEATS (Stonebraker, Pavlo), in the form of BenchBase. Attribute columns that no
-- transaction writes or reads are left out, customers and flights have numbers rather than strings
-- for keys, and a flight has 20 seats, two of them first class, where the benchmark has 150 and
-- ten.
--
-- mix: delete_reservation 10, find_flights 10, find_open_seats 35, new_reservation 20,
--   update_customer 10, update_reservation 15
-- sizes: A = 5, L = 3, F = 10 * scale, C = 30 * scale
-- arguments: find_flights(uniform(1, A), uniform(1, A), timestamp '2000-01-01 00:00:00',
--   timestamp '2000-01-03 00:00:00', choose(0, 500, 1000))
-- arguments: find_open_seats(uniform(1, F))
-- arguments: new_reservation(fresh, uniform(1, C), uniform(1, F), uniform(0, 19),
--   uniform(100, 1000), array(8, uniform(1, 100000)))
-- arguments: delete_reservation(uniform(1, F), choose(60: 'id', 20: 'name', 20: 'flyer'),
--   uniform(1, C))
-- arguments: update_customer(choose('id', 'name'), uniform(1, C), choose(true, false),
--   uniform(1, 100000), uniform(1, 100000))
-- arguments: update_reservation(uniform(1, F), uniform(1, C), uniform(0, 19), uniform(0, 3),
--   uniform(1, 100000))

CREATE TABLE country (
    co_id   bigint PRIMARY KEY,
    co_name varchar(64) NOT NULL
);

CREATE TABLE airport (
    ap_id    bigint PRIMARY KEY,
    ap_code  varchar(3) NOT NULL,
    ap_name  varchar(128) NOT NULL,
    ap_co_id bigint NOT NULL REFERENCES country (co_id)
);

CREATE TABLE airport_distance (
    d_ap_id0   bigint NOT NULL REFERENCES airport (ap_id),
    d_ap_id1   bigint NOT NULL REFERENCES airport (ap_id),
    d_distance bigint NOT NULL,
    PRIMARY KEY (d_ap_id0, d_ap_id1)
);

CREATE TABLE airline (
    al_id    bigint PRIMARY KEY,
    al_name  varchar(128) NOT NULL,
    al_co_id bigint NOT NULL REFERENCES country (co_id)
);

CREATE TABLE customer (
    c_id         bigint PRIMARY KEY,
    c_id_str     varchar(64) NOT NULL UNIQUE,
    c_base_ap_id bigint NOT NULL REFERENCES airport (ap_id),
    c_balance    numeric(12,2) NOT NULL,
    c_iattr00    bigint NOT NULL DEFAULT 0,
    c_iattr01    bigint NOT NULL DEFAULT 0,
    c_iattr10    bigint NOT NULL DEFAULT 0,
    c_iattr11    bigint NOT NULL DEFAULT 0,
    c_iattr12    bigint NOT NULL DEFAULT 0,
    c_iattr13    bigint NOT NULL DEFAULT 0,
    c_iattr14    bigint NOT NULL DEFAULT 0,
    c_iattr15    bigint NOT NULL DEFAULT 0
);

CREATE TABLE frequent_flyer (
    ff_c_id     bigint NOT NULL REFERENCES customer (c_id),
    ff_al_id    bigint NOT NULL REFERENCES airline (al_id),
    ff_c_id_str varchar(64) NOT NULL,
    ff_iattr00  bigint NOT NULL DEFAULT 0,
    ff_iattr01  bigint NOT NULL DEFAULT 0,
    ff_iattr10  bigint NOT NULL DEFAULT 0,
    ff_iattr11  bigint NOT NULL DEFAULT 0,
    ff_iattr12  bigint NOT NULL DEFAULT 0,
    ff_iattr13  bigint NOT NULL DEFAULT 0,
    ff_iattr14  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (ff_c_id, ff_al_id)
);

CREATE TABLE flight (
    f_id           bigint PRIMARY KEY,
    f_al_id        bigint NOT NULL REFERENCES airline (al_id),
    f_depart_ap_id bigint NOT NULL REFERENCES airport (ap_id),
    f_depart_time  timestamp NOT NULL,
    f_arrive_ap_id bigint NOT NULL REFERENCES airport (ap_id),
    f_arrive_time  timestamp NOT NULL,
    f_base_price   numeric(8,2) NOT NULL,
    f_seats_total  int NOT NULL,
    f_seats_left   int NOT NULL
);

CREATE TABLE reservation (
    r_id      bigint NOT NULL,
    r_c_id    bigint NOT NULL REFERENCES customer (c_id),
    r_f_id    bigint NOT NULL REFERENCES flight (f_id),
    r_seat    int NOT NULL,
    r_price   numeric(8,2) NOT NULL,
    r_iattr00 bigint NOT NULL DEFAULT 0,
    r_iattr01 bigint NOT NULL DEFAULT 0,
    r_iattr02 bigint NOT NULL DEFAULT 0,
    r_iattr03 bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (r_id, r_c_id, r_f_id),
    UNIQUE (r_f_id, r_seat)
);

CREATE FUNCTION first_class_seats() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN 2;
END;
$$;

CREATE FUNCTION load_airports() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO country (co_id, co_name) VALUES (1, 'Here'), (2, 'There');
    FOR i IN 1..5 LOOP
        INSERT INTO airport (ap_id, ap_code, ap_name, ap_co_id)
        VALUES (i, 'AP' || i::text, 'airport ' || i::text, 1 + i % 2);
    END LOOP;
    FOR i IN 1..5 LOOP
        FOR k IN 1..5 LOOP
            CONTINUE WHEN i = k;
            INSERT INTO airport_distance (d_ap_id0, d_ap_id1, d_distance)
            VALUES (i, k, 400 * abs(i - k));
        END LOOP;
    END LOOP;
    FOR i IN 1..3 LOOP
        INSERT INTO airline (al_id, al_name, al_co_id)
        VALUES (i, 'airline ' || i::text, 1 + i % 2);
    END LOOP;
END;
$$;

-- Five airports and three airlines; per unit of scale 10 flights within three days and 30
-- customers, each with one reservation and at one airline a frequent flyer.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_flights bigint := 10 * p_scale;
    v_day     bigint;
    v_flight  bigint;
BEGIN
    PERFORM load_airports();
    FOR i IN 1..v_flights LOOP
        v_day := 1 + i % 3;
        INSERT INTO flight (f_id, f_al_id, f_depart_ap_id, f_depart_time, f_arrive_ap_id,
                            f_arrive_time, f_base_price, f_seats_total, f_seats_left)
        VALUES (i, 1 + i % 3, 1 + i % 5, ('2000-01-0' || v_day::text || ' 10:00:00')::timestamp,
                1 + (i + 1 + i % 3) % 5, ('2000-01-0' || v_day::text || ' 13:00:00')::timestamp,
                100 + i * 37 % 400, 20, 17);
    END LOOP;
    FOR i IN 1..30 * p_scale LOOP
        v_flight := 1 + (i - 1) % v_flights;
        INSERT INTO customer (c_id, c_id_str, c_base_ap_id, c_balance, c_iattr10, c_iattr11)
        VALUES (i, 'customer ' || i::text, 1 + i % 5, 1000, 1, 1);
        INSERT INTO frequent_flyer (ff_c_id, ff_al_id, ff_c_id_str)
        VALUES (i, 1 + i % 3, 'customer ' || i::text);
        INSERT INTO reservation (r_id, r_c_id, r_f_id, r_seat, r_price)
        VALUES (i, i, v_flight, (i - 1) / v_flights, 300);
    END LOOP;
END;
$$;

-- An airport with its country, as text.
CREATE FUNCTION airport_name(p_ap_id bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_name text;
BEGIN
    SELECT ap_code || ', ' || co_name INTO v_name
    FROM airport, country
    WHERE ap_id = p_ap_id AND ap_co_id = co_id;
    RETURN v_name;
END;
$$;

-- The flights between two airports, or to one of the two nearest to the destination that are within
-- the distance (0: none of them).
--
-- Corrected: BenchBase looks for airports near the departure, and then takes the wrong column of
-- what it found, so that it looks for flights that end where they begin.
CREATE FUNCTION find_flights(
    p_depart bigint, p_arrive bigint, p_from timestamp, p_to timestamp, p_distance bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_nearby  bigint[] := '{}';
    v_origin  text;
    v_target  text;
    v_flights text := '';
BEGIN
    IF p_distance > 0 THEN
        FOR r IN
            SELECT d_ap_id1
            FROM airport_distance
            WHERE d_ap_id0 = p_arrive AND d_distance <= p_distance
            ORDER BY d_distance, d_ap_id1
            LIMIT 2
        LOOP
            v_nearby := v_nearby || r.d_ap_id1;
        END LOOP;
    END IF;

    FOR r IN
        SELECT f_id, f_seats_left, f_depart_ap_id, f_arrive_ap_id, al_name
        FROM flight, airline
        WHERE f_depart_ap_id = p_depart
          AND f_depart_time BETWEEN p_from AND p_to
          AND f_al_id = al_id
          AND f_arrive_ap_id IN (p_arrive, COALESCE(v_nearby[1], p_arrive),
                                 COALESCE(v_nearby[2], p_arrive))
        ORDER BY f_id
    LOOP
        v_origin := airport_name(r.f_depart_ap_id);
        v_target := airport_name(r.f_arrive_ap_id);
        v_flights := v_flights || r.f_id::text || ' of ' || r.al_name || ' from ' || v_origin
                     || ' to ' || v_target || ', ' || r.f_seats_left::text || ' seats left; ';
    END LOOP;
    RETURN v_flights;
END;
$$;

-- How many seats of either class are open, and at what price: it rises as the flight fills.
--
-- Corrected: BenchBase divides the seats left by all seats as integers, so that the first
-- reservation doubles the price and no other one changes it.
CREATE FUNCTION find_open_seats(p_flight bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_price   numeric(8,2);
    v_total   bigint;
    v_limit   bigint := first_class_seats();
    v_first   bigint;
    v_economy bigint;
BEGIN
    SELECT f_seats_total,
           f_base_price + f_base_price * (f_seats_total - f_seats_left) / f_seats_total
    INTO v_total, v_price
    FROM flight
    WHERE f_id = p_flight;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no flight %', p_flight;
    END IF;
    v_first := v_limit;
    v_economy := v_total - v_limit;

    FOR r IN SELECT r_seat FROM reservation WHERE r_f_id = p_flight LOOP
        IF r.r_seat < v_limit THEN
            v_first := v_first - 1;
        ELSE
            v_economy := v_economy - 1;
        END IF;
    END LOOP;
    RETURN v_first::text || ' at ' || (2 * v_price)::text || ', '
           || v_economy::text || ' at ' || v_price::text;
END;
$$;

-- False when the flight is full, the seat is taken, or the customer is on board already.
CREATE FUNCTION new_reservation(
    p_r_id bigint, p_customer bigint, p_flight bigint, p_seat bigint, p_price numeric,
    p_attributes bigint[]
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_airline    bigint;
    v_seats_left int;
    v_balance    numeric(12,2);
    v_other      bigint;
BEGIN
    SELECT f_al_id, f_seats_left INTO v_airline, v_seats_left
    FROM flight, airline
    WHERE f_id = p_flight AND f_al_id = al_id;
    IF NOT FOUND OR v_seats_left <= 0 THEN
        RETURN false;
    END IF;
    SELECT r_id INTO v_other FROM reservation WHERE r_f_id = p_flight AND r_seat = p_seat;
    IF FOUND THEN
        RETURN false;
    END IF;
    SELECT r_id INTO v_other FROM reservation WHERE r_f_id = p_flight AND r_c_id = p_customer;
    IF FOUND THEN
        RETURN false;
    END IF;
    SELECT c_balance INTO v_balance FROM customer WHERE c_id = p_customer;
    IF NOT FOUND THEN
        RETURN false;
    END IF;

    INSERT INTO reservation (r_id, r_c_id, r_f_id, r_seat, r_price,
                             r_iattr00, r_iattr01, r_iattr02, r_iattr03)
    VALUES (p_r_id, p_customer, p_flight, p_seat, p_price,
            p_attributes[1], p_attributes[2], p_attributes[3], p_attributes[4]);
    UPDATE flight SET f_seats_left = f_seats_left - 1 WHERE f_id = p_flight;
    UPDATE customer
    SET c_iattr10 = c_iattr10 + 1, c_iattr11 = c_iattr11 + 1,
        c_iattr12 = p_attributes[1], c_iattr13 = p_attributes[2],
        c_iattr14 = p_attributes[3], c_iattr15 = p_attributes[4]
    WHERE c_id = p_customer;
    UPDATE frequent_flyer
    SET ff_iattr10 = ff_iattr10 + 1,
        ff_iattr11 = p_attributes[5], ff_iattr12 = p_attributes[6],
        ff_iattr13 = p_attributes[7], ff_iattr14 = p_attributes[8]
    WHERE ff_c_id = p_customer AND ff_al_id = v_airline;
    RETURN true;
END;
$$;

-- Finds a customer by number ('id'), by name ('name') or as a frequent flyer ('flyer'); null when
-- there is none.
CREATE FUNCTION customer_by(p_by text, p_number bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_customer bigint;
BEGIN
    IF p_by = 'id' THEN
        RETURN p_number;
    ELSIF p_by = 'name' THEN
        SELECT c_id INTO v_customer FROM customer WHERE c_id_str = 'customer ' || p_number::text;
    ELSIF p_by = 'flyer' THEN
        SELECT c_id INTO v_customer
        FROM customer, frequent_flyer
        WHERE ff_c_id_str = 'customer ' || p_number::text AND ff_c_id = c_id;
    ELSE
        RAISE EXCEPTION 'customers are not found by %', p_by;
    END IF;
    RETURN v_customer;
END;
$$;

-- False when the customer is not on the flight.
CREATE FUNCTION delete_reservation(p_flight bigint, p_by text, p_number bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_customer bigint := customer_by(p_by, p_number);
    v_airline  bigint;
    v_r_id     bigint;
    v_price    numeric(8,2);
    v_iattr00  bigint;
BEGIN
    SELECT r_id, r_price, c_iattr00, f_al_id INTO v_r_id, v_price, v_iattr00, v_airline
    FROM customer, flight, reservation
    WHERE c_id = v_customer AND c_id = r_c_id AND f_id = p_flight AND f_id = r_f_id;
    IF NOT FOUND THEN
        RETURN false;
    END IF;

    DELETE FROM reservation WHERE r_id = v_r_id AND r_c_id = v_customer AND r_f_id = p_flight;
    UPDATE flight SET f_seats_left = f_seats_left + 1 WHERE f_id = p_flight;
    -- Corrected: BenchBase sets c_iattr11, too, from c_iattr10.
    UPDATE customer
    SET c_balance = c_balance - v_price, c_iattr00 = v_iattr00 + 1,
        c_iattr10 = c_iattr10 - 1, c_iattr11 = c_iattr11 - 1
    WHERE c_id = v_customer;
    -- As in the benchmark, only a customer who came as a frequent flyer loses the bonus.
    IF p_by = 'flyer' THEN
        UPDATE frequent_flyer SET ff_iattr10 = ff_iattr10 - 1
        WHERE ff_c_id = v_customer AND ff_al_id = v_airline;
    END IF;
    RETURN true;
END;
$$;

-- False when there is no such customer.
CREATE FUNCTION update_customer(
    p_by text, p_number bigint, p_flyer boolean, p_iattr00 bigint, p_iattr01 bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r          record;
    v_customer bigint := customer_by(p_by, p_number);
    v_base     bigint;
    v_name     text;
BEGIN
    SELECT c_base_ap_id INTO v_base FROM customer WHERE c_id = v_customer;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    v_name := airport_name(v_base);

    IF p_flyer THEN
        FOR r IN SELECT ff_al_id FROM frequent_flyer WHERE ff_c_id = v_customer LOOP
            UPDATE frequent_flyer SET ff_iattr00 = p_iattr00, ff_iattr01 = p_iattr01
            WHERE ff_c_id = v_customer AND ff_al_id = r.ff_al_id;
        END LOOP;
    END IF;
    UPDATE customer SET c_iattr00 = p_iattr00, c_iattr01 = p_iattr01 WHERE c_id = v_customer;
    RETURN true;
END;
$$;

-- Moves a customer to another seat of the flight, and sets one of four attributes. False when the
-- seat is taken or the customer is not on board. The benchmark passes the reservation's number from
-- the client's memory; here it is the one just read.
CREATE FUNCTION update_reservation(
    p_flight bigint, p_customer bigint, p_seat bigint, p_attribute bigint, p_value bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_r_id bigint;
BEGIN
    SELECT r_id INTO v_r_id FROM reservation WHERE r_f_id = p_flight AND r_seat = p_seat;
    IF FOUND THEN
        RETURN false;
    END IF;
    SELECT r_id INTO v_r_id FROM reservation WHERE r_f_id = p_flight AND r_c_id = p_customer;
    IF NOT FOUND THEN
        RETURN false;
    END IF;

    IF p_attribute = 0 THEN
        UPDATE reservation SET r_seat = p_seat, r_iattr00 = p_value
        WHERE r_id = v_r_id AND r_c_id = p_customer AND r_f_id = p_flight;
    ELSIF p_attribute = 1 THEN
        UPDATE reservation SET r_seat = p_seat, r_iattr01 = p_value
        WHERE r_id = v_r_id AND r_c_id = p_customer AND r_f_id = p_flight;
    ELSIF p_attribute = 2 THEN
        UPDATE reservation SET r_seat = p_seat, r_iattr02 = p_value
        WHERE r_id = v_r_id AND r_c_id = p_customer AND r_f_id = p_flight;
    ELSIF p_attribute = 3 THEN
        UPDATE reservation SET r_seat = p_seat, r_iattr03 = p_value
        WHERE r_id = v_r_id AND r_c_id = p_customer AND r_f_id = p_flight;
    ELSE
        RAISE EXCEPTION 'reservations have no attribute %', p_attribute;
    END IF;
    RETURN true;
END;
$$;

-- The seats left are those that nobody has reserved.
CREATE FUNCTION invariant_seats_left() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_taken bigint;
BEGIN
    FOR r IN SELECT f_id, f_seats_total, f_seats_left FROM flight LOOP
        SELECT count(*) INTO v_taken FROM reservation WHERE r_f_id = r.f_id;
        IF r.f_seats_left < 0 OR r.f_seats_left <> r.f_seats_total - v_taken THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- No seat is reserved twice.
CREATE FUNCTION invariant_seats_unique() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_flight bigint := 0;
    v_seat   bigint := 0;
BEGIN
    FOR r IN SELECT r_f_id, r_seat FROM reservation ORDER BY r_f_id, r_seat LOOP
        IF r.r_f_id = v_flight AND r.r_seat = v_seat THEN
            RETURN false;
        END IF;
        v_flight := r.r_f_id;
        v_seat := r.r_seat;
    END LOOP;
    RETURN true;
END;
$$;

-- Nobody is on a flight twice.
CREATE FUNCTION invariant_one_reservation_each() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r          record;
    v_flight   bigint := 0;
    v_customer bigint := 0;
BEGIN
    FOR r IN SELECT r_f_id, r_c_id FROM reservation ORDER BY r_f_id, r_c_id LOOP
        IF r.r_f_id = v_flight AND r.r_c_id = v_customer THEN
            RETURN false;
        END IF;
        v_flight := r.r_f_id;
        v_customer := r.r_c_id;
    END LOOP;
    RETURN true;
END;
$$;

-- Both of a customer's counters are the number of this customer's reservations.
CREATE FUNCTION invariant_customers_count_reservations() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_count bigint;
BEGIN
    FOR r IN SELECT c_id, c_iattr10, c_iattr11 FROM customer LOOP
        SELECT count(*) INTO v_count FROM reservation WHERE r_c_id = r.c_id;
        IF r.c_iattr10 <> v_count OR r.c_iattr11 <> v_count THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
