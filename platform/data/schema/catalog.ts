import type { Pool } from 'pg';

/** Our own schemas: those of the platform and of the slices. */
const OURS = `(select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`;
const grants = (acl: string): string =>
  `coalesce((select string_agg(format('%s to %s', g.privilege_type, g.grantee::regrole), ', '
      order by g.privilege_type, g.grantee::regrole::text)
    from aclexplode(${acl}) g where g.grantee <> 0 and g.grantee <> g.grantor), '')
    || case when ${acl} is null or exists (select from aclexplode(${acl}) g where g.grantee = 0)
      then ' to everybody' else '' end`;

/** One line for each part of a schema, independent of its owner. */
const PARTS = {
  schemas: `select n.nspname || ' ' || ${grants('n.nspacl')} as line
    from pg_namespace n where n.oid in ${OURS}`,
  extensions: `select extname::text as line from pg_extension`,
  sequences: `select format('%s %s %s %s %s %s %s %s %s', s.seqrelid::regclass, s.seqtypid::regtype,
      s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
      (select format('%s.%s', a.attrelid::regclass, a.attname) from pg_depend d
        join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
        where d.classid = 'pg_class'::regclass and d.objid = s.seqrelid and d.deptype = 'i')) as line
    from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relnamespace in ${OURS}`,
  functions: `select pg_get_functiondef(p.oid) || ' ' || ${grants('p.proacl')} as line
    from pg_proc p where p.pronamespace in ${OURS} and p.prokind <> 'a'`,
  aggregates: `select format('%s %s %s %s ', p.oid::regprocedure, a.aggtransfn, a.aggtranstype::regtype,
      a.agginitval) || ${grants('p.proacl')} as line
    from pg_proc p join pg_aggregate a on a.aggfnoid = p.oid where p.pronamespace in ${OURS}`,
  tables: `select format('%s %s %s %s %s ', c.oid::regclass, c.relkind, c.relrowsecurity,
      c.relforcerowsecurity, c.reloptions) || ${grants('c.relacl')} as line
    from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('r', 'v', 'S', 'm', 'p')`,
  columns: `select format('%s %s %s %s %s %s %s %s %s %s %s', c.oid::regclass,
      row_number() over (partition by c.oid order by a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation, a.attnotnull, a.attidentity,
      a.attgenerated, a.attstattarget, a.attacl, pg_get_expr(d.adbin, d.adrelid)) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace in ${OURS} and c.relkind in ('r', 'v', 'm', 'p')`,
  constraints: `select format('%s %s %s', c.conrelid::regclass, c.conname,
      pg_get_constraintdef(c.oid)) as line
    from pg_constraint c where c.connamespace in ${OURS} and c.contype <> 'n'`,
  indexes: `select pg_get_indexdef(i.indexrelid) as line
    from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace in ${OURS}`,
  triggers: `select t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace in ${OURS} and not t.tgisinternal`,
  policies: `select format('%s %s %s %s %s %s %s', p.polrelid::regclass, p.polname, p.polcmd, p.polpermissive,
      (select string_agg(case when role = 0 then 'public' else role::regrole::text end, ', ' order by role)
        from unnest(p.polroles) role),
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) as line
    from pg_policy p`,
  views: `select format('%s %s', c.oid::regclass, pg_get_viewdef(c.oid)) as line
    from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('v', 'm')`,
} as const;

/** A database's tables, functions and everything that belongs to them, to compare it with another. */
export async function describeCatalog(pool: Pool): Promise<Record<keyof typeof PARTS, string[]>> {
  const described: Partial<Record<keyof typeof PARTS, string[]>> = {};
  for (const [part, query] of Object.entries(PARTS)) {
    const { rows } = await pool.query<{ line: string }>(`${query} order by 1`);
    described[part as keyof typeof PARTS] = rows.map(({ line }) => line);
  }
  return described as Record<keyof typeof PARTS, string[]>;
}
