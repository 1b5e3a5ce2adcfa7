import { read, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { ToastProvider } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import styles from '#platform/ui/tokens.css?url';
import { getCurrentUser } from '#product/accounts/client.ts';
import { LoginPromptProvider } from '#product/accounts/web/login-prompt.tsx';
import { getEntry } from '#product/compliance/client.ts';
import { useGate } from '#product/compliance/web/gate.ts';
import { getConsent } from '#product/consent/client.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { isWithoutChrome } from '#product/site/rules.ts';
import letters from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { lazy, Suspense, type ReactNode } from 'react';
import {
  isRouteErrorResponse,
  Outlet,
  Scripts,
  ScrollRestoration,
  useMatches,
  useRouteError,
} from 'react-router';
import { BodyProviders, useFirstTheme } from './document/body.tsx';
import { DocumentHead } from './document/head.tsx';
import { PAGE_STATE_ID, useFrame } from './document/page-state.ts';
import { coloursOf, useSite } from './document/site.ts';
import { AgePromptProvider, useOpenAgeVerification } from './shell/age-prompt.tsx';
import { LiveClientProvider } from './shell/live/live-client.tsx';
import { MoneyPromptsProvider } from './shell/money-prompts.tsx';
import { Shell } from './shell/shell.tsx';

/** The shell reads the site, the gate and the current user; a guest's document knows that there is none. */
export const loader = routeData({
  texts: ['compliance'],
  always: true,
  reads: () => [read(getSiteConfig, {}), read(getEntry, {}), read(getCurrentUser, {}), read(getConsent, {})],
});
/** This data changes by events and actions, never by a navigation. */
export const shouldRevalidate = () => false;

export function Layout({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  const { nonce, script, state } = useFrame();
  const theme = useFirstTheme();
  const site = useSite();
  const colours = site ? coloursOf(site.custom.colours) : '';
  return (
    <html lang={i18n.language} data-theme={theme} suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="dark light" />
        <meta name="rating" content="adult" />
        <script
          nonce={nonce}
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: script }}
        />
        <link rel="icon" href={site?.custom.favicon_url ?? '/favicon.svg'} type="image/svg+xml" />
        <link rel="manifest" href="/site.webmanifest" />
        <DocumentHead />
        <link rel="preload" href={letters} as="font" type="font/woff2" crossOrigin="anonymous" />
        {
          /* React Aria inserts a style element unless one with this id exists, and the content policy allows
          none: the rule is in this file (decision 20). */
        }
        <link rel="stylesheet" href={styles} id="react-aria-pressable-style" />
        {colours ? <style nonce={nonce}>{colours}</style> : null}
      </head>
      <body>
        <BodyProviders>{children}</BodyProviders>
        <script
          type="application/json"
          id={PAGE_STATE_ID}
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: state() }}
        />
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

/** Seen once a month: visitors past it never load it. */
const EntryGate = lazy(async () => ({
  default: (await import('#product/compliance/web/entry-gate.tsx')).EntryGate,
}));

const ErrorPage = lazy(async () => ({
  default: (await import('./document/errors/error-page.tsx')).ErrorPage,
}));

const Prices = lazy(() => import('#product/billing/web/prices.tsx'));
const EntryChanges = lazy(() => import('#product/compliance/web/entry-changes.tsx'));
const NameCards = lazy(() => import('./shell/name-cards.tsx'));

/** Everything that any page can open over itself, and the live client. */
function Around({ children }: { children: ReactNode }) {
  return (
    <ToastProvider>
      <LoginPromptProvider
        prices={
          <Suspense fallback={null}>
            <Prices />
          </Suspense>
        }
      >
        <AgePromptProvider>
          <LiveClientProvider>
            <MoneyPromptsProvider>{children}</MoneyPromptsProvider>
            <Extra>
              <EntryChanges />
            </Extra>
            <Extra>
              <NameCards />
            </Extra>
          </LiveClientProvider>
        </AgePromptProvider>
      </LoginPromptProvider>
    </ToastProvider>
  );
}

const useHandles = (): readonly (RouteHandle | undefined)[] =>
  useMatches().map((match) => match.handle as RouteHandle | undefined);

/** The frame of a page: the shell, except around a document that has none. */
function Chrome({ isBare, children }: { readonly isBare: boolean; readonly children: ReactNode }) {
  const { gate } = useGate();
  const site = useSite();
  const isAlone = useHandles().some((handle) => handle?.alone);
  if (isAlone) return <main>{children}</main>;
  const isSiteAlone = site !== undefined && isWithoutChrome(site.domain_name);
  return <Shell gated={gate !== 'open'} bare={isBare} alone={isSiteAlone}>{children}</Shell>;
}

/** The gate with its way to a check of the age. */
function ClosedGate(state: Pick<ReturnType<typeof useGate>, 'gate' | 'minimumAge'>) {
  return <EntryGate {...state} onVerify={useOpenAgeVerification()} />;
}

export default function Root() {
  const { gate, minimumAge } = useGate();
  const handles = useHandles();
  const isOpen = gate === 'open' || handles.some((handle) => handle?.always);
  const isBare = handles.some((handle) => handle?.bare);
  if (handles.some((handle) => handle?.alone)) {
    return (
      <Around>
        <Outlet />
      </Around>
    );
  }
  const page = isOpen
    ? <Outlet />
    : (
      <Suspense>
        <ClosedGate gate={gate} minimumAge={minimumAge} />
      </Suspense>
    );
  return (
    <Around>
      <Chrome isBare={isBare}>{page}</Chrome>
    </Around>
  );
}

/**
 * Refused pages: code, text, reference, and a way on. Anything but a refusal, such as a page that did not
 * load, is a crash.
 */
export function ErrorBoundary() {
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) throw error;
  return (
    <Around>
      <Chrome isBare={false}>
        <Suspense>
          <ErrorPage error={error} />
        </Suspense>
      </Chrome>
    </Around>
  );
}
