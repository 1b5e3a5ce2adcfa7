-- What an operator's desk needs: promo codes in the order they were made, and what a re-up was confirmed for.
alter table billing.promo_codes add column nr bigint generated always as identity;
alter table billing.promo_codes add constraint promo_codes_nr unique (operator_id, nr);

-- What the person read and confirmed; null for re-ups of before, which take the product as it is now.
alter table billing.re_ups
  add column tokens int check (tokens >= 0),
  add column price_minor bigint check (price_minor >= 0),
  add column currency text;
