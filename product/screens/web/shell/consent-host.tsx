import { lazy, useEffect } from 'react';
import { useLocation } from 'react-router';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { getConsent } from '#product/consent/client.ts';
import { forgetRefused, GIVEN, useConsent } from '#product/consent/web/consent.ts';

const ConsentBanner = lazy(() => import('#product/consent/web/banner.tsx'));

/**
 * Asks for consent where nobody has answered yet. Documents are the same for everybody, so that the browser
 * decides; who has answered never loads the banner.
 * @param gated the entry gate comes first
 */
export function ConsentHost({ gated, bare }: { readonly gated: boolean; readonly bare: boolean }) {
  const asked = useRead(getConsent, {}).data?.asked ?? true;
  const { allowed, isChosen } = useConsent();
  const { pathname } = useLocation();
  useEffect(() => {
    document.documentElement.toggleAttribute(GIVEN, !asked);
  }, [asked]);
  const refused = JSON.stringify(allowed);
  useEffect(() => {
    // It may have been withdrawn in another browser of the person, or be over.
    if (isChosen !== null) forgetRefused(JSON.parse(refused) as typeof allowed);
  }, [isChosen, refused]);
  // The page of cookies asks by itself.
  if (gated || !asked || isChosen !== false || pathname === '/cookies') return null;
  return <Extra><ConsentBanner overBar={!bare} /></Extra>;
}
