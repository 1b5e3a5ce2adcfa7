import type { PoolClient } from 'pg';

/**
 * Something that keeps PostgreSQL from dropping a function, with the statements that drop and recreate it.
 */
export interface Dependent {
  readonly kind: 'function' | 'trigger' | 'policy' | 'default' | 'view';
  /** With its schema; of a trigger, the function it calls. */
  readonly name: string;
  readonly oid: string;
  readonly drop: string;
  /** Empty for functions and triggers, which the files of functions create. */
  readonly create: string;
}

const FUNCTIONS = `
  select distinct 'function' as kind, n.nspname || '.' || p.proname as name, p.oid::text as oid,
    'drop routine ' || p.oid::regprocedure as drop, '' as create
  from pg_depend d join pg_proc p on d.classid = 'pg_proc'::regclass and d.objid = p.oid
  join pg_namespace n on n.oid = p.pronamespace
  where d.refclassid = $1::regclass and d.refobjid = $2`;

const TRIGGERS = `
  select distinct 'trigger' as kind, n.nspname || '.' || p.proname as name, t.oid::text as oid,
    format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as drop, '' as create
  from pg_depend d join pg_trigger t on d.classid = 'pg_trigger'::regclass and d.objid = t.oid
  join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = p.pronamespace
  where d.refclassid = $1::regclass and d.refobjid = $2 and not t.tgisinternal`;

const POLICIES = `
  select distinct 'policy' as kind, format('%I on %s', p.polname, p.polrelid::regclass) as name,
    p.oid::text as oid, format('drop policy %I on %s', p.polname, p.polrelid::regclass) as drop,
    format('create policy %I on %s as %s for %s to %s', p.polname, p.polrelid::regclass,
        case when p.polpermissive then 'permissive' else 'restrictive' end,
        case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
          when 'd' then 'delete' else 'all' end,
        (select string_agg(case when role = 0 then 'public' else role::regrole::text end, ', ')
          from unnest(p.polroles) role))
      || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
      || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') as create
  from pg_depend d join pg_policy p on d.classid = 'pg_policy'::regclass and d.objid = p.oid
  where d.refclassid = $1::regclass and d.refobjid = $2`;

/** Generated columns are left out, so that PostgreSQL refuses: dropping one would lose its values. */
const DEFAULTS = `
  select distinct 'default' as kind, format('%I of %s', a.attname, e.adrelid::regclass) as name,
    e.oid::text as oid,
    format('alter table %s alter column %I drop default', e.adrelid::regclass, a.attname) as drop,
    format('alter table %s alter column %I set default %s', e.adrelid::regclass, a.attname,
      pg_get_expr(e.adbin, e.adrelid)) as create
  from pg_depend d join pg_attrdef e on d.classid = 'pg_attrdef'::regclass and d.objid = e.oid
  join pg_attribute a on a.attrelid = e.adrelid and a.attnum = e.adnum and a.attgenerated = ''
  where d.refclassid = $1::regclass and d.refobjid = $2`;

const VIEWS = `
  select distinct 'view' as kind, c.oid::regclass::text as name, c.oid::text as oid,
    'drop view ' || c.oid::regclass as drop,
    format('create view %s%s as %s', c.oid::regclass,
        coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''), pg_get_viewdef(c.oid))
      || coalesce((select string_agg(format('; grant %s on %s to %s', g.privilege_type, c.oid::regclass,
          case when g.grantee = 0 then 'public' else g.grantee::regrole::text end), '')
        from aclexplode(c.relacl) g), '') as create
  from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
  join pg_class c on c.oid = r.ev_class and c.relkind = 'v' and c.oid <> $2
  where d.refclassid = $1::regclass and d.refobjid = $2`;

const DEPENDENTS = [FUNCTIONS, TRIGGERS, POLICIES, DEFAULTS, VIEWS].join(' union all ');

/** Everything that depends on a function, directly or not; each item comes after its own dependents. */
export async function dependentsOf(client: PoolClient, oid: string): Promise<Dependent[]> {
  const found = new Map<string, Dependent>();
  const visit = async (catalog: 'pg_proc' | 'pg_class', of: string): Promise<void> => {
    const { rows } = await client.query<Dependent>(DEPENDENTS, [catalog, of]);
    for (const row of rows) {
      const key = `${row.kind} ${row.oid}`;
      if (found.has(key)) continue;
      if (row.kind === 'function') await visit('pg_proc', row.oid);
      if (row.kind === 'view') await visit('pg_class', row.oid);
      found.set(key, row);
    }
  };
  await visit('pg_proc', oid);
  return [...found.values()];
}
