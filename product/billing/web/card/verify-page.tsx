import { useAction, useCall } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { BadgeCheck } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { getVerificationLink } from '../../client.ts';
import { AGAIN, againPath } from '../../rules/payments/payment-return.ts';
import { KeepCard } from '../choice/card-choice.tsx';
import { leave } from '../destination.ts';

const wanted = { texts: ['billing'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Card verification, at `/account/verify?type=rocketgate` and, on a fling subdomain, at `/verify`. */
export default function VerifyPage() {
  const { t } = useTranslation('billing');
  const link = useAction(getVerificationLink);
  const call = useCall();
  const { state } = useLocation() as { readonly state: { readonly [AGAIN]?: unknown } | null };
  const declined = state?.[AGAIN];
  const back = typeof declined === 'string' ? againPath(declined) : '/account/tokens';
  const [keepsCard, setKeepsCard] = useState(false);
  const begin = async () => {
    const answer = await link.run(keepsCard ? { keep_card: true } : {});
    if (answer) leave(call, answer.biller_link, back);
  };
  return (
    <Narrow title={t('web.verify.title')} lead={t('web.verify.lead')}>
      <div className="flex flex-col gap-4">
        <ul className="flex flex-col gap-2 text-sm">
          {(['first', 'second', 'third'] as const).map((line) => (
            <li key={line} className="flex items-start gap-3">
              <BadgeCheck size={20} aria-hidden className="shrink-0 text-success-text" />
              {t(`web.verify.${line}`)}
            </li>
          ))}
        </ul>
        <KeepCard checked={keepsCard} onChange={setKeepsCard} />
        <FormError problem={link.problem} />
        <Button tone="primary" wide busy={link.busy} onClick={() => void begin()}>
          {t('web.verify.begin')}
        </Button>
        <ButtonLink to={back} tone="quiet" wide>{t('web.verify.later')}</ButtonLink>
      </div>
    </Narrow>
  );
}
