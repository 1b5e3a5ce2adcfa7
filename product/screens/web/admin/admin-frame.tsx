import { queryOf } from '#platform/ui/calls/calls.ts';
import { pageTools, routeData } from '#platform/ui/calls/route.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useStepOverdue } from '#product/accounts/web/second-step/step-missing.tsx';
import { lazy, Suspense, type ReactNode } from 'react';
import {
  data,
  isRouteErrorResponse,
  Outlet,
  redirect,
  useRouteError,
  type ShouldRevalidateFunctionArgs,
} from 'react-router';
import { AdminNav } from './admin-nav.tsx';
import { adminPagesFor, wayIn } from './admin-pages.ts';

const ErrorPage = lazy(async () => ({
  default: (await import('../document/errors/error-page.tsx')).ErrorPage,
}));

const StepPage = lazy(() => import('#product/accounts/web/second-step/step-page.tsx'));

const askWho = routeData({ member: true, always: true });

/** Refuses people who may not open the page, whatever the page itself reads. */
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
/** Checks again on the way to each page: a role may open one and not the next. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs): boolean =>
  currentUrl.pathname !== nextUrl.pathname;
export const handle = { always: true };

/** The frame of the back office: its navigation and the open page. */
export default function AdminFrame() {
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}

/** A refused admin page keeps the navigation. */
export function ErrorBoundary() {
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) throw error;
  return (
    <Frame>
      <Suspense>
        <ErrorPage error={error} />
      </Suspense>
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const user = useMe()?.user;
  const groups = adminPagesFor(user?.user_roles ?? []);
  // The server refuses their calls until the second step is set up.
  const isClosed = useStepOverdue(user?.two_factor_required_by);
  if (groups.length === 0) return children;
  if (isClosed) {
    return (
      <Suspense>
        <StepPage />
      </Suspense>
    );
  }
  return (
    <div className="mx-auto flex w-full max-w-[1440px] grow flex-col lg:-mb-8 lg:flex-row">
      <AdminNav groups={groups} />
      <div id="admin-page" tabIndex={-1} className="min-w-0 grow outline-none lg:pb-8">{children}</div>
    </div>
  );
}
