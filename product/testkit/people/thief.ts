import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';

/** A browser with these cookies of another one; it has opened no page. */
export async function thiefOf(
  site: TestSite,
  victim: Visitor,
  ...cookies: readonly string[]
): Promise<Visitor> {
  const thief = await site.visitor({ opened: false });
  for (const name of cookies) thief.setCookie(name, victim.cookie(name) as string);
  return thief;
}
