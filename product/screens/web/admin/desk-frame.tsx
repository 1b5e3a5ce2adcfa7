import { lazy, Suspense, type ReactNode } from 'react';
import { data, Outlet, redirect, useRouteError, type ShouldRevalidateFunctionArgs } from 'react-router';
import { queryOf } from '../../../../platform/ui/calls/calls.ts';
import { routeData, pageTools } from '../../../../platform/ui/calls/route.ts';
import { getCurrentUser } from '../../../accounts/client.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { DeskNav } from './desk-nav.tsx';
import { desksFor, wayIn } from './desks.ts';

const ErrorPage = lazy(async () => ({ default: (await import('../document/error-page.tsx')).ErrorPage }));

const askWho = routeData({ member: true, always: true });

/** Who may not open the desk that is asked for is refused here, whatever the page below it reads. */
async function open(args: Parameters<typeof askWho>[0]): Promise<null> {
  await askWho(args);
  const { cache, call } = args.context.get(pageTools);
  const { user } = await cache.ensureQueryData(queryOf(call, getCurrentUser, {}));
  const way = wayIn(new URL(args.request.url).pathname, user.user_roles);
  if (way === null) throw data(null, { status: 403 });
  if (way !== 'stay') throw redirect(way);
  return null;
}
export const loader = open;
export const clientLoader = open;
/** From desk to desk it is asked again: one may be open to somebody and the next not. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs): boolean =>
  currentUrl.pathname !== nextUrl.pathname;
export const handle = { always: true };

/** The desk around every page of the back office: where one can go, and the page. */
export default function DeskFrame() {
  return <Desk><Outlet /></Desk>;
}

/** A desk that fails keeps the way to the others. */
export function ErrorBoundary() {
  const error = useRouteError();
  return <Desk><Suspense><ErrorPage error={error} /></Suspense></Desk>;
}

function Desk({ children }: { children: ReactNode }) {
  const groups = desksFor(useMe()?.user.user_roles ?? []);
  if (groups.length === 0) return children;
  return (
    <div className="mx-auto flex w-full max-w-[1440px] grow flex-col lg:-mb-8 lg:flex-row">
      <DeskNav groups={groups} />
      <div id="desk" tabIndex={-1} className="min-w-0 grow outline-none lg:pb-8">{children}</div>
    </div>
  );
}
