import { useAction } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { keepAccount } from '../../client.ts';
import { useGoOn } from '../me.ts';
import { forgetLeaving, leavingDay } from './leaving-day.ts';

const load = routeData({ texts: ['accounts'], always: true });
export { load as clientLoader, load as loader };
export const handle = { always: true };

/** What a refused log-in passes on. */
export interface Leaving {
  readonly at?: string;
  /** Keeps the account; null where that is too late. */
  readonly ticket?: string | null;
}

/**
 * The page of an account in deletion, shown after a refused log-in, which can still keep the account, and
 * after the request itself. The day and the ticket come from an answer in this visit or this tab, so that the
 * link alone reveals nothing about an account.
 */
export default function LeavingPage() {
  const { t, i18n } = useTranslation('accounts');
  const { at, ticket } = (useLocation().state ?? {}) as Leaving;
  const day = useOwnDay();
  const until = dayIn(at ?? day, i18n.language);
  const isKnown = until !== null || Boolean(ticket);
  return (
    <Narrow title={t(isKnown ? 'leaving.title' : 'leaving.unknown')}>
      {isKnown ? <p>{until === null ? t('leaving.soon') : t('leaving.on', { date: until })}</p> : null}
      {ticket ? <Keep ticket={ticket} /> : (
        <>
          <p className="mt-2 text-muted">
            {t(!isKnown ? 'leaving.see' : day === null ? 'leaving.over' : 'leaving.howBack')}
          </p>
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
          {isOver
            ? <ButtonLink to="/login" tone="primary">{t('leaving.logIn')}</ButtonLink>
            : (
              <Button
                tone="primary"
                busy={keep.busy}
                onClick={() =>
                  void keep.run({ ticket }).then(async (done) => {
                    if (!done) return;
                    forgetLeaving();
                    await goOn(null);
                    toast(t('leaving.kept'), 'success');
                  })}
              >
                {t('leaving.keep')}
              </Button>
            )}
          <ButtonLink to="/">{t('leaving.leave')}</ButtonLink>
        </div>
      </div>
    </>
  );
}

/** The day of a deletion asked for in this tab; only the browser reads it. */
function useOwnDay(): string | null {
  const [day, setDay] = useState<string | null>(null);
  useEffect(() => setDay(leavingDay()), []);
  return day;
}

function dayIn(at: string | null, language: string): string | null {
  const time = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(time)
    ? null
    : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(time);
}
