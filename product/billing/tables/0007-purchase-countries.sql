-- Purchases were closed where tips were, by tipBlockedCountries of site.operators. They have a list of
-- their own since; an operator who had set the common one keeps it for purchases.
insert into billing.settings (operator_id, settings)
select operator_id, jsonb_build_object('purchaseBlockedCountries', settings -> 'tipBlockedCountries')
from site.operators
where settings ? 'tipBlockedCountries'
on conflict (operator_id) do update
  set settings = excluded.settings || billing.settings.settings;
