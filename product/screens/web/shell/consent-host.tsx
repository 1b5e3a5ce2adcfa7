import { useRead } from '#platform/ui/calls/calls.ts';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { getConsent } from '#product/consent/client.ts';
import { forgetRefused, GIVEN, useConsent } from '#product/consent/web/consent.ts';
import { lazy, useEffect } from 'react';
import { useLocation } from 'react-router';

const ConsentBanner = lazy(() => import('#product/consent/web/banner.tsx'));

/**
 * Asks for consent if the person has not answered yet. Documents are the same for everybody, so the browser
 * decides; people who have answered never load the banner.
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
    // The choice may have been withdrawn in another browser of the person, or have expired.
    if (isChosen !== null) forgetRefused(JSON.parse(refused) as typeof allowed);
  }, [isChosen, refused]);
  // The cookies page has its own form.
  if (gated || !asked || isChosen !== false || pathname === '/cookies') return null;
  return (
    <Extra>
      <ConsentBanner overBar={!bare} />
    </Extra>
  );
}
