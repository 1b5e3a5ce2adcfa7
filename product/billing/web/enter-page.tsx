import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect } from 'react';
import { afterFrame } from '../rules/payments/payment-return.ts';
import { takeDestination } from './destination.ts';

/** Message to the parent page: the person has left the biller's page. */
export const FRAME_RETURN = 'candela.frame_return';

const wanted = { texts: ['billing'], always: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
/** Only our own pages may frame it; it has no site layout around it. */
export const handle = {
  always: true,
  alone: true,
  policy: () => ({ framedBySelf: true, framesLocked: true, formsLocked: true }),
};

/**
 * `/enter.php`: a biller's page in a frame returns here. It notifies the parent page, or continues itself
 * without one. `id` is the order; its state comes from our server, never from this address.
 */
export default function EnterPage() {
  const { t } = useTranslation('billing');
  useEffect(() => {
    if (window.parent !== window) {
      window.parent.postMessage(FRAME_RETURN, location.origin);
      return;
    }
    // Loads a new document, because this one has its own content policy.
    location.replace(
      afterFrame(new URLSearchParams(location.search), takeDestination(), location.hostname),
    );
  }, []);
  return (
    <main>
      <Narrow title={t('web.enter.title')} lead={t('web.enter.text')}>{null}</Narrow>
    </main>
  );
}
