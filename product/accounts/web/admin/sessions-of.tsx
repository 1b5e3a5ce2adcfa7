import { useRead } from '#platform/ui/calls/calls.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listPersonSessions } from '../../client.ts';

/** Where somebody is logged in. */
export function SessionsOf({ username }: { readonly username: string }) {
  const { t, i18n } = useTranslation('accounts');
  const found = useRead(listPersonSessions, { username });
  const countries = new Intl.DisplayNames(i18n.language, { type: 'region' });
  return (
    <Section anchor="sessions" title={t('settings.sessions')}>
      <Loaded read={found} height="h-24">
        {({ sessions }) => (sessions.length === 0
          ? <EmptyState text={t('people.noSessions')} />
          : (
            <ul aria-label={t('settings.sessions')} className="flex flex-col divide-y divide-line text-sm">
              {sessions.map(({ id, browser, platform, isoCode, started_at: startedAt, used_at: usedAt }) => {
                const parts = [browser, platform].filter((part) => part !== '');
                return (
                  <li key={id} className="flex flex-wrap gap-x-4 gap-y-1 py-2 [&>span]:text-muted">
                    <b>{parts.join(' · ') || t('settings.unknownDevice')}</b>
                    {isoCode === null ? null : <span>{countries.of(isoCode) ?? isoCode}</span>}
                    <span>
                      {t('people.sessionSince')} <Moment at={startedAt} />
                    </span>
                    <span>
                      {t('people.sessionUsed')} <Moment at={usedAt} show="day" />
                    </span>
                  </li>
                );
              })}
            </ul>
          ))}
      </Loaded>
    </Section>
  );
}
