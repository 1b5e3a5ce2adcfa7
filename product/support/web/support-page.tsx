import { routeData } from '../../../platform/ui/calls/route.ts';
import { Narrow } from '../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { ContactForm } from './contact-form.tsx';

const load = routeData({ texts: ['support'], always: true });
export { load as loader, load as clientLoader };
/** Whoever can't get past the entry gate may ask why. */
export const handle = { always: true };

/** /support: the contact form. */
export default function SupportPage() {
  const { t } = useTranslation('support');
  return <Narrow title={t('title')} lead={t('lead')}><ContactForm /></Narrow>;
}
