-- Opens a table to the application role. Migrations call it by itself only for the few tables that are read
-- before an operator is known (which host name belongs to whom).
create or replace function platform.open_table(target regclass, variadic privileges text[] default '{select}')
returns void language plpgsql as $$
begin
  execute format('grant usage on schema %s to candela_app',
    (select c.relnamespace::regnamespace from pg_class c where c.oid = target));
  execute format('grant %s on %s to candela_app', array_to_string(privileges, ', '), target);
end $$;
