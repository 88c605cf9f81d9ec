-- Sales: what is sold, some of it to be paid later; how much it was, and how often.
--
-- Source: our own, for errors in computing what was read right: each answer is made of several rows, and a
-- sale that is not paid yet has no amount.
--
-- mix: sell 30, sell_on_credit 20, pay 20, count_sales 15, total 15
-- sizes: I = 3 * scale
-- arguments: sell(fresh, uniform(1, I), uniform(1, 100))
-- arguments: sell_on_credit(fresh, uniform(1, I))
-- arguments: pay(uniform(1, I), uniform(1, 100))
-- arguments: count_sales(uniform(1, I))
-- arguments: total(uniform(1, I))

CREATE TABLE sales (
    s_id   bigint PRIMARY KEY,
    item   bigint NOT NULL,
    amount bigint
);

-- Per unit of scale three items, each sold twice: once for 10, and once on credit.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..3 * p_scale LOOP
        INSERT INTO sales (s_id, item, amount) VALUES (-2 * i, i, 10), (-2 * i - 1, i, NULL);
    END LOOP;
END;
$$;

CREATE FUNCTION sell(p_s_id bigint, p_item bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sales (s_id, item, amount) VALUES (p_s_id, p_item, p_amount);
END;
$$;

CREATE FUNCTION sell_on_credit(p_s_id bigint, p_item bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sales (s_id, item) VALUES (p_s_id, p_item);
END;
$$;

-- Pays everything of this item that is not paid yet.
CREATE FUNCTION pay(p_item bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sales SET amount = p_amount WHERE item = p_item AND amount IS NULL;
END;
$$;

CREATE FUNCTION count_sales(p_item bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count FROM sales WHERE item = p_item;
    RETURN v_count;
END;
$$;

-- Of what is paid; 0 if nothing is.
CREATE FUNCTION total(p_item bigint) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_total numeric;
BEGIN
    SELECT sum(amount) INTO v_total FROM sales WHERE item = p_item;
    RETURN coalesce(v_total, 0);
END;
$$;

CREATE FUNCTION invariant_amounts_positive() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count FROM sales WHERE amount <= 0;
    RETURN v_count = 0;
END;
$$;
