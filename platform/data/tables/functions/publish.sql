-- Publishes facts in order: `facts` is an array of {name, key, payload}. For SQL functions; TypeScript has a
-- method of the unit of work.
create or replace function platform.publish(facts jsonb, now timestamptz) returns void language plpgsql as $$
declare
  names text[];
  keys text[];
  payloads jsonb[];
begin
  select array_agg(e.fact ->> 'name'), array_agg(e.fact ->> 'key'), array_agg(e.fact -> 'payload')
  into names, keys, payloads from jsonb_array_elements(facts) as e(fact);
  perform platform.publish_rows(names, keys, payloads, now);
end $$;

grant execute on function platform.publish to candela_app;
