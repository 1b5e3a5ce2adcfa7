import { useEffect } from 'react';
import { routeData } from '../../../platform/ui/calls/route.ts';
import { Narrow } from '../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { afterFrame } from '../rules/payments/payment-return.ts';
import { takeDestination } from './destination.ts';

/** Said to the page around this one: the person is through with the biller's page. */
export const FRAME_RETURN = 'candela.frame_return';

const wanted = { texts: ['billing'], always: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
/** Stands in a frame of our own pages, and of nobody else's; nothing of the shell is around it there. */
export const handle = {
  always: true, alone: true, policy: () => ({ framedBySelf: true, framesLocked: true, formsLocked: true }),
};

/**
 * `/enter.php`: a biller's page in a frame ends here. It tells the page around it, or goes on by itself
 * when there is none. `id` is the order: whoever waits for it asks our server, so nothing here is believed.
 */
export default function EnterPage() {
  const { t } = useTranslation('billing');
  useEffect(() => {
    if (window.parent !== window) {
      window.parent.postMessage(FRAME_RETURN, location.origin);
      return;
    }
    // A document of its own: this one's content policy is not that of other pages.
    location.replace(afterFrame(new URLSearchParams(location.search), takeDestination()));
  }, []);
  return <main><Narrow title={t('web.enter.title')} lead={t('web.enter.text')}>{null}</Narrow></main>;
}
