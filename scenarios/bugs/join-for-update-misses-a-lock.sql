-- Baskets and what is left of the products in them: a join that is read FOR UPDATE.
--
-- buy() locks by that join both the basket and its product. If only the basket is locked, two
-- baskets with the same product see the same stock, and one of two sales is lost.

CREATE TABLE products (
    id    bigint PRIMARY KEY,
    stock bigint NOT NULL
);

CREATE TABLE baskets (
    id      bigint PRIMARY KEY,
    product bigint NOT NULL
);

CREATE FUNCTION load(p_products bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..p_products LOOP
        INSERT INTO products (id, stock) VALUES (i, 100);
        INSERT INTO baskets (id, product) VALUES (2 * i - 1, i), (2 * i, i);
    END LOOP;
END;
$$;

CREATE FUNCTION buy(p_basket bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_product bigint;
    v_stock   bigint;
BEGIN
    SELECT p.id, p.stock INTO v_product, v_stock
    FROM baskets b JOIN products p ON p.id = b.product
    WHERE b.id = p_basket
    FOR UPDATE;
    UPDATE products SET stock = v_stock - p_amount WHERE id = v_product;
END;
$$;
