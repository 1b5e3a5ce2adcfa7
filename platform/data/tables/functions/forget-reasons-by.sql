-- Clears the reasons that one person typed, of at most so many lines of the audit log about a subject of the
-- operator, for an erasure of that person: who did what to whom, and when, stays. Answers how many there
-- were; done again, it finds none.
create or replace function platform.forget_reasons_by(about text, actor bigint, most int) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with forgotten as (
    update platform.audit set reason = null where id = any(array(
      select a.id from platform.audit a
      where a.operator_id = platform.operator_id() and a.subject = about and a.actor_id = actor
        and a.reason is not null
      limit most))
    returning 1
  )
  select count(*) from forgotten
$$;

grant execute on function platform.forget_reasons_by(text, bigint, int) to candela_app;
