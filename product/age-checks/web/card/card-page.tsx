import { queryKeyOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { QueryClient } from '@tanstack/react-query';
import { BadgeCheck, LockKeyhole } from 'lucide-react';
import { useState } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import { redirectDocument } from 'react-router';
import { getCardToken } from '../../client.ts';
import { takeDestination, VERIFY_PATH } from '../destination.ts';
import { useFailed } from '../finishing.ts';
import { CardFields } from './card-fields.tsx';
import type { CardToken } from './token-service.ts';
import { useCardCheck, type CardResult } from './use-card-check.ts';

export const loader = routeData({
  texts: ['age-checks', 'accounts', 'billing'],
  always: true,
  member: true,
  reads: () => [read(getCardToken, {})],
});
/** The page has its own content policy, so it needs a document of its own. */
export const clientLoader = ({ request }: Pick<LoaderFunctionArgs, 'request'>): never => {
  throw redirectDocument(request.url);
};
/** It connects to our server and to the token service; it submits no form and has no frame. */
export const handle = {
  always: true,
  policy: (cache: QueryClient) => {
    const token = cache.getQueryData<CardToken>(queryKeyOf(getCardToken, {}));
    return { formsLocked: true, framesLocked: true, connect: token ? [new URL(token.url).origin] : [] };
  },
};

/** /verify-age/card: proves an age by card. The card goes from the browser to its token service alone. */
export default function CardPage() {
  const { t } = useTranslation('age-checks');
  const { data: token } = useRead(getCardToken, {}, { enabled: false });
  return (
    <Narrow title={t('web.variants.card.title')}>
      {token ? <CardCheckPart token={token} /> : <Skeleton className="h-64" />}
    </Narrow>
  );
}

interface Finished extends CardResult {
  readonly destination: string;
}

function CardCheckPart({ token }: { readonly token: CardToken }) {
  const { t } = useTranslation('age-checks');
  const [isOpen, setOpen] = useState(true);
  const [done, setDone] = useState<Finished | null>(null);
  const failed = useFailed(() => setOpen(false));
  const check = useCardCheck(token, {
    onDone: (result) => {
      if (result.gate !== 'open') return void failed(t('web.notEnough'));
      check.clear();
      setOpen(false);
      return setDone({ ...result, destination: takeDestination() ?? '/' });
    },
    onFailed: (message) => void failed(message),
  });
  if (done) return <Done result={done} />;
  const leave = () => {
    check.clear();
    setOpen(false);
  };
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="text-muted">{t('web.card.lead')}</p>
      <p className="flex items-start gap-3 text-sm text-muted">
        <LockKeyhole size={20} aria-hidden className="shrink-0" />
        {t('web.card.safe', { host: new URL(token.url).host })}
      </p>
      <div className="flex w-full flex-wrap gap-3 max-sm:*:grow">
        <Button tone="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {t('web.card.open')}
        </Button>
        <ButtonLink to={VERIFY_PATH} reloadDocument>{t('web.waiting.another')}</ButtonLink>
      </div>
      {isOpen
        ? (
          <Dialog title={t('web.card.title')} size="large" onClose={leave}>
            <CardFields check={check} token={token} />
          </Dialog>
        )
        : null}
    </div>
  );
}

/** Says that it worked, and what became of the offer; the page they came from is another document. */
function Done({ result: { tokens_bought: tokens, purchase, destination } }: { readonly result: Finished }) {
  const { t, i18n } = useTranslation('age-checks');
  const link = purchase?.link ?? null;
  return (
    <div role="status" className="flex flex-col items-start gap-4">
      <p className="flex items-start gap-3">
        <BadgeCheck size={20} aria-hidden className="mt-0.5 shrink-0 text-success-text" />
        {t('web.verified.text')}
      </p>
      {purchase
        ? <p>{t(`web.card.purchase.${purchase.state}`, { tokens: formatCount(tokens, i18n.language) })}</p>
        : null}
      <div className="flex w-full flex-wrap gap-3 max-sm:*:grow">
        {link === null
          ? null
          : <Button onClick={() => location.assign(link)}>{t('web.card.payNow')}</Button>}
        <ButtonLink to={destination} reloadDocument tone="primary">{t('web.page.goOn')}</ButtonLink>
      </div>
    </div>
  );
}
