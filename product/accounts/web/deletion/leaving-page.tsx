import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { useAction } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { keepAccount } from '../../client.ts';
import { useGoOn } from '../me.ts';

const load = routeData({ texts: ['accounts'], always: true });
export { load as loader, load as clientLoader };
export const handle = { always: true };

/** What a refused log-in brings. */
export interface Leaving {
  readonly at?: string;
  /** Keeps the account; null where that is too late. */
  readonly ticket?: string | null;
}

/**
 * An account that is being deleted: what its log-in leads to, with the one thing that can still be done, and
 * what stands after the request. The day and the ticket come with an answer; the address alone names nobody.
 */
export default function LeavingPage() {
  const { t, i18n } = useTranslation('accounts');
  const { at, ticket } = (useLocation().state ?? {}) as Leaving;
  const day = useDayOfAddress();
  const until = dayIn(at ?? day, i18n.language);
  return (
    <Narrow title={t('leaving.title')}>
      <p>{until === null ? t('leaving.soon') : t('leaving.on', { date: until })}</p>
      {ticket ? <Keep ticket={ticket} /> : (
        <>
          <p className="mt-2 text-muted">{t(day === null ? 'leaving.over' : 'leaving.howBack')}</p>
          <div className="mt-6 flex flex-wrap gap-3">
            <ButtonLink to="/login" tone={day === null ? 'primary' : 'secondary'}>
              {t('leaving.logIn')}
            </ButtonLink>
            <ButtonLink to="/">{t('leaving.home')}</ButtonLink>
          </div>
        </>
      )}
    </Narrow>
  );
}

function Keep({ ticket }: { readonly ticket: string }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const goOn = useGoOn();
  const keep = useAction(keepAccount);
  const isOver = keep.problem?.errorType === 'keep_over';
  return (
    <>
      <p className="mt-2 text-muted">{t('leaving.text')}</p>
      <div className="mt-6 flex flex-col gap-4">
        <FormError problem={keep.problem} />
        <div className="flex flex-wrap gap-3">
          {isOver ? <ButtonLink to="/login" tone="primary">{t('leaving.logIn')}</ButtonLink> : (
            <Button tone="primary" busy={keep.busy}
              onClick={() => void keep.run({ ticket }).then(async (done) => {
                if (!done) return;
                await goOn(null);
                toast(t('leaving.kept'), 'success');
              })}>
              {t('leaving.keep')}
            </Button>
          )}
          <ButtonLink to="/">{t('leaving.leave')}</ButtonLink>
        </div>
      </div>
    </>
  );
}

/** The day after the `#` of the address, which no server reads. */
function useDayOfAddress(): string | null {
  const { hash } = useLocation();
  const [day, setDay] = useState<string | null>(null);
  useEffect(() => {
    setDay(/^#(\d{4}-\d{2}-\d{2})$/u.exec(hash)?.[1] ?? null);
  }, [hash]);
  return day;
}

function dayIn(at: string | null, language: string): string | null {
  const time = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? null
    : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(time);
}
