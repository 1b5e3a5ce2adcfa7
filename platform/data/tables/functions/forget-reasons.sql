-- Clears the reasons of at most so many lines of the audit log about a subject of the operator, for an
-- erasure: who did what to whom, and when, stays. With an actor, only the reasons that this person typed. The
-- application may do nothing else to lines it has written. Answers how many there were; done again, it finds
-- none.
create or replace function platform.forget_reasons(about text, most int, actor bigint default null)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with forgotten as (
    update platform.audit set reason = null where id = any(array(
      select a.id from platform.audit a
      where a.operator_id = platform.operator_id() and a.subject = about and a.reason is not null
        and (actor is null or a.actor_id = actor)
      limit most))
    returning 1
  )
  select count(*) from forgotten
$$;

grant execute on function platform.forget_reasons(text, int, bigint) to candela_app;
