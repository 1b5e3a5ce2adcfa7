import { keyOf } from '#platform/text/message-keys.ts';
import { queryKeyOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { pageTools, read, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select } from '#platform/ui/controls/fields.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { QueryClient } from '@tanstack/react-query';
import { Link, redirectDocument } from 'react-router';
import { getPreferences, setNoticeOptions, setPreference } from '../client.ts';
import type { KindView, PreferencesView } from '../contract/preferences.ts';
import type { PageProviderView } from '../contract/push-provider.ts';
import { FEATURED_SHOW, type FeaturedShow } from '../rules.ts';
import { pageOrigins } from '../rules/push-provider.ts';
import { showPreferences } from './live.ts';
import { usePushSwitch } from './push/use-push.ts';

const load = routeData({ texts: ['notices'], member: true, reads: () => [read(getPreferences, {})] });
export { load as loader };

const providerIn = (cache: QueryClient): PageProviderView | null =>
  cache.getQueryData<PreferencesView>(queryKeyOf(getPreferences, {}))?.push_provider ?? null;

/** With a push provider the page has its own content security policy, and so needs its own document. */
export const clientLoader = async (args: Parameters<typeof load>[0]): Promise<null> => {
  await load(args);
  if (providerIn(args.context.get(pageTools).cache)) throw redirectDocument(args.request.url);
  return null;
};
export const handle = {
  policy: (cache: QueryClient) => {
    const provider = providerIn(cache);
    return provider ? { providers: pageOrigins(provider) } : {};
  },
};

const LINK = 'inline-flex min-h-11 items-center text-link hover:underline';

/** How a person is notified, kind by kind and channel by channel. */
export default function PreferencesPage() {
  const { t } = useTranslation('notices');
  const answer = useRead(getPreferences, {});
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8">
      <Title>{t('preferences.title')}</Title>
      <div>
        <Heading>{t('preferences.title')}</Heading>
        <p className="mt-1 text-muted">{t('preferences.lead')}</p>
      </div>
      <Loaded read={answer} height="h-96">
        {(preferences) => (
          <>
            <LiveChoice preferences={preferences} />
            <Kinds preferences={preferences} />
            <PushSection preferences={preferences} />
            <Link to="/email/subscription" className={LINK}>{t('preferences.emails')}</Link>
          </>
        )}
      </Loaded>
    </div>
  );
}

function LiveChoice({ preferences }: { preferences: PreferencesView }) {
  const { t } = useTranslation('notices');
  const action = useAction(setNoticeOptions, showPreferences);
  const { featured_show_notification: choice, phone, email_confirmed: isConfirmed } = preferences;
  const isSmsOffered = preferences.sms_offered;
  const shown = FEATURED_SHOW.filter((value) => value !== 'sms' || isSmsOffered || choice === 'sms');
  return (
    <Section title={t('preferences.live')} anchor="live">
      <Select
        label={t('preferences.liveHow')}
        hint={t('preferences.liveHint')}
        value={choice}
        disabled={action.busy}
        onChange={({ target }) => {
          void action.run({ featured_show_notification: target.value as FeaturedShow });
        }}
        options={shown.map((value) => ({
          value,
          text: t(keyOf('notices', 'preferences.choice', value)),
        }))}
      />
      <FormError problem={action.problem} />
      {choice === 'sms' && !isSmsOffered ? <p className="mt-2 text-sm">{t('preferences.noSms')}</p> : null}
      {choice === 'sms' && isSmsOffered && phone === null
        ? (
          <p className="mt-2 text-sm">
            {t('preferences.noPhone')}{' '}
            <Link to="/account/settings" className={LINK}>
              {t('preferences.toSettings')}
            </Link>
          </p>
        )
        : null}
      {choice === 'email' && !isConfirmed
        ? <p className="mt-2 text-sm">{t('preferences.unconfirmed')}</p>
        : null}
    </Section>
  );
}

function Kinds({ preferences: { kinds } }: { preferences: PreferencesView }) {
  const { t } = useTranslation('notices');
  return (
    <Section title={t('preferences.kinds')} anchor="kinds">
      <div className="flex flex-col gap-4">
        {kinds.filter((kind) => !kind.by_featured_show)
          .map((kind) => <KindRow key={kind.kind} kind={kind} />)}
      </div>
    </Section>
  );
}

function KindRow({ kind: { kind, label, channels } }: { kind: KindView }) {
  const { t } = useTranslation('notices');
  const action = useAction(setPreference, showPreferences);
  return (
    <fieldset>
      <legend className="font-bold">{label}</legend>
      <div className="flex flex-wrap gap-x-6">
        {channels.map(({ channel, on, required }) => (
          <Checkbox
            key={channel}
            checked={on}
            disabled={required || action.busy}
            label={required
              ? `${t(keyOf('notices', 'preferences.channel', channel))} · ${t('preferences.required')}`
              : t(keyOf('notices', 'preferences.channel', channel))}
            onChange={({ target }) => void action.run({ kind, channel, on: target.checked })}
          />
        ))}
      </div>
      <FormError problem={action.problem} />
    </fieldset>
  );
}

function PushSection({ preferences }: { preferences: PreferencesView }) {
  const { t } = useTranslation('notices');
  const action = useAction(setNoticeOptions, showPreferences);
  const { push_provider: provider } = preferences;
  const { state, hindrance, busy, change, again } = usePushSwitch(provider);
  const host = provider ? new URL(provider.script).host : '';
  const said = hindrance === 'failed' && provider
    ? t('push.providerFailed', { host })
    : hindrance
    ? t(`push.${hindrance}`)
    : {
      unknown: null,
      off: null,
      on: t('push.working'),
      unsupported: t('push.unsupported'),
      unloaded: t('push.unloaded'),
    }[state];
  return (
    <Section title={t('preferences.push')} anchor="push">
      <div className="flex flex-col gap-3">
        {provider && state !== 'unsupported'
          ? <p className="text-sm text-muted">{t('push.provider', { host })}</p>
          : null}
        {said === null ? null : <p role="status" className="text-sm">{said}</p>}
        {state === 'unsupported' ? null : (
          <div>
            <Button
              busy={busy}
              disabled={state === 'unknown'}
              onClick={() => void (state === 'unloaded' ? again() : change(state !== 'on'))}
            >
              {t(state === 'unloaded' ? 'push.again' : state === 'on' ? 'push.off' : 'push.on')}
            </Button>
          </div>
        )}
        {preferences.push_browsers > 0
          ? (
            <p className="text-sm text-muted">
              {t('preferences.browsers', { count: preferences.push_browsers })}
            </p>
          )
          : null}
        <Checkbox
          label={t('preferences.discreet')}
          checked={preferences.push_discreet}
          disabled={action.busy}
          onChange={({ target }) => void action.run({ push_discreet: target.checked })}
        />
        <p className="text-sm text-muted">{t('preferences.discreetHint')}</p>
        <FormError problem={action.problem} />
      </div>
    </Section>
  );
}
